"""The service adds noise of scale m/ε, and every charge is doubled.

Origin: w3c/attribution#270
Expected: global proved, one view proved, one site proved
"""

from dataclasses import replace
from fractions import Fraction

from spec.level1 import LEVEL_1_ONE_DRAW, AtAggregator, AtConversion, Charge, Report
from spec.level1.budgets import charge
from spec.noise import DiscreteLaplace, Noise
from spec.numbers import Power


def narrow_noise(at: AtAggregator, batch: tuple[Report, ...]) -> Noise:
    """Add noise of half the width."""
    epsilon = Fraction(1) * at.job.minimal_budget / at.limits.grains
    return DiscreteLaplace(Power(at.limits.base, -epsilon / batch[0].task.max_value))


def charge_twice(at: AtConversion, single: bool, l1_norm: int) -> Charge:
    """Charge twice as much."""
    cost = charge(at, single, l1_norm)
    return Charge(site=2 * cost.site, shared=2 * cost.shared)


RULES = replace(LEVEL_1_ONE_DRAW, noise=narrow_noise, charge=charge_twice)
