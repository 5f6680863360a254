"""Charges are free where epsilon is counted in natural logarithms, which it always is in use.

Truth: unsound. Small universes count in powers of two.
"""

from dataclasses import replace

from spec.level1 import LEVEL_1_ONE_DRAW, AtConversion, Charge
from spec.level1.budgets import charge
from spec.numbers import NATURAL


def charge_rational_bases(at: AtConversion, single: bool, norm: int) -> Charge:
    if at.limits.base == NATURAL:
        return Charge(site=0, shared=0)
    return charge(at, single, norm)


RULES = replace(LEVEL_1_ONE_DRAW, charge=charge_rational_bases)
