"""The public parameters of each family's own rules, known before its checks are imported.

So a `--set` that names no parameter is refused at once.
"""

from __future__ import annotations

from typing import Any

from spec import PAPER


def own_parameters(family: str) -> Any:
    """Return the parameters of the rules that are judged where no proposal is named."""
    if family == "paper":
        return PAPER.limits
    # Here, because a command about the paper's rules does without it.
    from spec.level1 import LEVEL_1_2026_05

    return {"w3c": LEVEL_1_2026_05.limits}[family]
