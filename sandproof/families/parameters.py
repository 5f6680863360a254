"""The public parameters of each family's own rules, known before its checks are imported.

Their names are written out, so that the help lists them, and a `--set` that names none is refused,
before the specification is imported.
"""

from __future__ import annotations

from typing import Any

PARAMETERS = {
    "paper": (
        *("contribution_budget", "sparsity_budget", "epsilon", "delta", "event_epsilon"),
        *("base", "maximum_queries", "window_length", "maximum_reports", "maximum_windows"),
        *("maximum_trigger_data", "maximum_buckets"),
    ),
    "w3c": (
        *("site_budget", "global_budget", "site_quota", "grains", "base", "epoch", "day"),
        *("hour", "maximum_lookback", "maximum_epsilon", "maximum_histogram"),
        *("maximum_credit", "maximum_match_values", "maximum_conversion_sites"),
        *("maximum_conversion_callers", "maximum_impression_sites"),
        *("maximum_impression_callers", "minimum_batch", "activation_duration"),
    ),
}
"""The parameters of each family that `--set` can change."""


def own_parameters(family: str) -> Any:
    """Return the parameters of the rules that are judged where no proposal is named."""
    # Here, because a command about the paper's rules does without the draft's.
    if family == "paper":
        from spec import PAPER

        return PAPER.limits
    from spec.level1 import LEVEL_1_2026_05

    return {"w3c": LEVEL_1_2026_05.limits}[family]
