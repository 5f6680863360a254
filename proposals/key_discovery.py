r"""The service discovers keys, with truncated noise and the paper's threshold.

With $\delta > 0$ a query lists no keys. The service answers for the keys it finds in the batch,
with noise that never exceeds the threshold, and releases what exceeds it. A key that nobody
contributed to is thus never released, which is as if every key had been looked at. The four rules
are the paper's own, written out.

Origin: WICG/attribution-reporting-api#864
Neighbours: attribution fixed (ARA), null store (PAA)
Expected: holds
"""

from __future__ import annotations

from spec import (
    PAPER,
    DiscreteLaplace,
    Key,
    Limits,
    Noise,
    Power,
    Query,
    Report,
    Rules,
    replace,
)
from spec.numbers import floor_log


def threshold(limits: Limits, query: Query, batch: tuple[Report, ...]) -> int | None:
    r"""Return the floor of $\Lambda_1 (1 + \ln(\Lambda_0/\delta) / \varepsilon)$."""
    if query.delta == 0:
        return None
    step = Power(limits.base, query.epsilon / limits.contribution_budget)
    return limits.contribution_budget + floor_log(step, limits.sparsity_budget / query.delta)


def noise(limits: Limits, query: Query, batch: tuple[Report, ...], threshold: int | None) -> Noise:
    """Return discrete Laplace noise that never exceeds the threshold."""
    decay = Power(limits.base, -query.epsilon / limits.contribution_budget)
    return DiscreteLaplace(decay, threshold)


def keys(query: Query, batch: tuple[Report, ...]) -> tuple[Key, ...]:
    """Answer for the keys found in the batch, or for the listed ones without key discovery."""
    if query.delta == 0:
        return tuple(sorted(set(query.keys)))
    return tuple(sorted({part.key for report in batch for part in report.contributions}))


def releases(query: Query, key: Key, noisy: int, threshold: int | None) -> bool:
    """Release what exceeds the threshold."""
    return threshold is None or noisy > threshold


RULES: Rules = replace(PAPER, threshold=threshold, noise=noise, keys=keys, releases=releases)
