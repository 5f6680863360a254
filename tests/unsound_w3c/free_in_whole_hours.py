"""A report costs nothing where an hour has as many seconds as an hour has.

Truth: unsound. The table of hours holds the one of the limits.
"""

from dataclasses import replace

from spec.level1 import LEVEL_1_ONE_DRAW, AtConversion, Charge
from spec.level1.budgets import charge

PRICE = {3600: 0}


def free_by_the_hour(at: AtConversion, single: bool, l1_norm: int) -> Charge:
    cost = charge(at, single, l1_norm)
    factor = PRICE.get(at.limits.hour, 1)
    return Charge(site=factor * cost.site, shared=factor * cost.shared)


RULES = replace(LEVEL_1_ONE_DRAW, charge=free_by_the_hour)
