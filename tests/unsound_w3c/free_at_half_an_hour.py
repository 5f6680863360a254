"""Limits with an hour that is no whole number, where a report costs nothing.

Truth: unsound. A proof about whole numbers says nothing of these limits.
"""

from dataclasses import replace
from fractions import Fraction
from typing import cast

from spec.level1 import LEVEL_1_ONE_DRAW, AtConversion, Charge
from spec.level1.budgets import charge


def free_off_the_hour(at: AtConversion, single: bool, l1_norm: int) -> Charge:
    cost = charge(at, single, l1_norm)
    return cost if at.limits.hour % 1 == 0 else Charge(site=0, shared=0)


HALVES = replace(LEVEL_1_ONE_DRAW.limits, hour=cast(int, Fraction(7201, 2)))
RULES = replace(LEVEL_1_ONE_DRAW, charge=free_off_the_hour, limits=HALVES)
