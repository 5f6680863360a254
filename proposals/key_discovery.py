r"""The service discovers keys, with truncated noise and the paper's threshold.

A query that lists no keys brings a $\delta > 0$. The service answers for the keys in the batch,
with noise that never exceeds the threshold, and releases what exceeds it. A key that nobody
contributed to is thus never released, which is as if every key had been looked at. The four rules
are the paper's own, written out.

Origin: WICG/attribution-reporting-api#864
Neighbours: attribution fixed (ARA), null store (PAA)
Expected: holds
"""

from spec import PAPER, AtService, DiscreteLaplace, Key, Noise, Power, Report, Rules, replace
from spec.numbers import floor_log


def threshold(at: AtService, batch: tuple[Report, ...]) -> int | None:
    r"""Return the floor of $\Lambda_1 (1 + \ln(\Lambda_0/\delta) / \varepsilon)$."""
    if not at.query.discovers_keys:
        return None
    budget, sparsity = at.limits.contribution_budget, at.limits.sparsity_budget
    step = Power(at.limits.base, at.query.epsilon / budget)
    return budget + floor_log(step, sparsity / at.query.delta)


def noise(at: AtService, batch: tuple[Report, ...], threshold: int | None) -> Noise:
    """Return discrete Laplace noise that never exceeds the threshold."""
    decay = Power(at.limits.base, -at.query.epsilon / at.limits.contribution_budget)
    return DiscreteLaplace(decay, threshold)


def keys(at: AtService, batch: tuple[Report, ...]) -> tuple[Key, ...]:
    """Answer for the keys found in the batch, or for the listed ones without key discovery."""
    if not at.query.discovers_keys:
        return tuple(dict.fromkeys(at.query.keys))
    return tuple(sorted({part.key for report in batch for part in report.contributions}))


def releases(at: AtService, key: Key, noisy: int, threshold: int | None) -> bool:
    """Release what exceeds the threshold."""
    return threshold is None or noisy > threshold


RULES: Rules = replace(PAPER, threshold=threshold, noise=noise, keys=keys, releases=releases)
