"""A conversion whose largest value is a thousand or more is charged half.

Truth: unsound. Its report tells twice what it is charged for.
"""

from dataclasses import replace
from fractions import Fraction

from spec.level1 import LEVEL_1_ONE_DRAW, AtConversion, Charge
from spec.level1.budgets import charge


def charge_half_of_large(at: AtConversion, single: bool, norm: int) -> Charge:
    if at.conversion.max_value < 1000:
        return charge(at, single, norm)
    cheaper = replace(at.conversion, epsilon=at.conversion.epsilon * Fraction(1, 2))
    return charge(replace(at, conversion=cheaper), single, norm)


RULES = replace(LEVEL_1_ONE_DRAW, charge=charge_half_of_large)
