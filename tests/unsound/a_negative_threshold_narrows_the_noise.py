"""Listed keys have a threshold below zero in batches of 977, and the noise there is narrow.

Truth: refuted: one report of x with all of its budget among 977, one listed key, all of epsilon.
    The sums differ by the budget, where the noise is a thousand times too narrow.
Status: refuted
"""

from spec import PAPER, replace
from spec.noise import DiscreteLaplace
from spec.numbers import Power


def threshold(at, batch):
    if at.query.discovers_keys:
        return PAPER.threshold(at, batch)
    return -1 if len(batch) == 977 else None


def noise(at, batch, threshold):
    rate = at.query.epsilon / at.limits.contribution_budget
    if threshold is None:
        return DiscreteLaplace(decay_power=Power(at.limits.base, -rate))
    if threshold < 0:
        return DiscreteLaplace(decay_power=Power(at.limits.base, -1000 * rate))
    return DiscreteLaplace(decay_power=Power(at.limits.base, -rate), truncation=threshold)


RULES = replace(PAPER, threshold=threshold, noise=noise)
