"""A charge is for the share of the maximal value that a conversion has.

Truth: unsound. The share of two whole numbers is rounded, and the charge is rounded up from there:
where the share is rounded down to what is a whole number of grains, it is too little.
"""

from dataclasses import replace

from spec.level1 import LEVEL_1_ONE_DRAW, AtConversion, Charge, budgets


def charge(at: AtConversion, single: bool, norm: int) -> Charge:
    share = at.conversion.value / at.conversion.max_value
    cost = budgets.rounded_up(share * at.conversion.epsilon * at.limits.grains)  # type: ignore[arg-type]
    return Charge(site=cost, shared=cost)


RULES = replace(LEVEL_1_ONE_DRAW, charge=charge)
