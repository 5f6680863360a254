"""Noise is scaled to half of the power of two that a report is proved to stay below.

Truth: unsound. Half of the power is at most the maximal value, and mostly less: the noise is
narrower than what charges are for.
"""

from dataclasses import replace
from fractions import Fraction

from spec import DiscreteLaplace, Noise, Power
from spec.level1 import LEVEL_1_ONE_DRAW, AtAggregator, Report
from spec.level1.budgets import noise_scale


def noise(at: AtAggregator, batch: tuple[Report, ...]) -> Noise:
    epsilon = Fraction(at.job.minimal_budget, at.limits.grains)
    scale = noise_scale(batch[0].task.proved_bound // 2, epsilon)
    return DiscreteLaplace(Power(at.limits.base, -1 / scale))


RULES = replace(LEVEL_1_ONE_DRAW, noise=noise)
