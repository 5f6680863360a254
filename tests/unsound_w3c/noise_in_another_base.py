"""Noise decays in powers of a million where epsilon is counted in natural logarithms.

Truth: unsound. The noise is all but gone; small universes count in powers of two.
"""

from dataclasses import replace
from fractions import Fraction

from spec.level1 import LEVEL_1_ONE_DRAW, AtAggregator, Report
from spec.level1.aggregation import noise
from spec.noise import DiscreteLaplace, Noise
from spec.numbers import Base, Power


def steep_noise(at: AtAggregator, batch: tuple[Report, ...]) -> Noise:
    usual = noise(at, batch)
    epsilon = Fraction(1) * at.job.minimal_budget / at.limits.grains
    if at.job.minimal_budget < 100:
        return usual
    scale = 2 * batch[0].task.max_value / epsilon
    return DiscreteLaplace(Power(Base(Fraction(10**6)), -1 / scale))


RULES = replace(LEVEL_1_ONE_DRAW, noise=steep_noise)
