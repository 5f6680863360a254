"""The service adds noise of scale m/ε where charges are for noise of scale 2m/ε.

A note in the draft says that charges assume noise in proportion to m/ε. Taken for the scale itself,
that is half of what they are for, and no document fixes the law.

Origin: w3c/attribution at 9fab4e8, Privacy Budget Store, a note
Expected: global refuted, one view refuted, one site refuted
"""

from dataclasses import replace
from fractions import Fraction

from spec.level1 import LEVEL_1_ONE_DRAW, AtAggregator, Report
from spec.noise import DiscreteLaplace, Noise
from spec.numbers import Power


def narrow_noise(at: AtAggregator, batch: tuple[Report, ...]) -> Noise:
    """Add noise of half the width."""
    epsilon = Fraction(1) * at.job.minimal_budget / at.limits.grains
    return DiscreteLaplace(Power(at.limits.base, -epsilon / batch[0].task.max_value))


RULES = replace(LEVEL_1_ONE_DRAW, noise=narrow_noise)
