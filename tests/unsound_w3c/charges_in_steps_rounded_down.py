"""Charges are rounded down to steps of a hundredth of a site's budget.

Truth: unsound. What is less than a step is never paid.
"""

from dataclasses import replace

from spec.level1 import LEVEL_1_ONE_DRAW, AtConversion, Charge, Level1Limits
from spec.level1.budgets import charge

STEPS = 100


def in_steps(limits: Level1Limits, grains: int) -> int:
    step = max(1, limits.site_budget // STEPS)
    return grains // step * step


def charge_in_steps(at: AtConversion, single: bool, l1_norm: int) -> Charge:
    exact = charge(at, single, l1_norm)
    return Charge(site=in_steps(at.limits, exact.site), shared=in_steps(at.limits, exact.shared))


RULES = replace(LEVEL_1_ONE_DRAW, charge=charge_in_steps)
