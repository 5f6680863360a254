"""Noise is scaled to how many bits the maximal value has.

Truth: unsound. A value of a thousand has ten bits, and the noise is a hundredth as wide as charged.
"""

from dataclasses import replace
from fractions import Fraction

from spec import DiscreteLaplace, Noise, Power
from spec.level1 import LEVEL_1_ONE_DRAW, AtAggregator, Report
from spec.level1.budgets import noise_scale


def noise(at: AtAggregator, batch: tuple[Report, ...]) -> Noise:
    epsilon = Fraction(at.job.minimal_budget, at.limits.grains)
    scale = noise_scale(batch[0].task.max_value.bit_length(), epsilon)
    return DiscreteLaplace(Power(at.limits.base, -1 / scale))


RULES = replace(LEVEL_1_ONE_DRAW, noise=noise)
