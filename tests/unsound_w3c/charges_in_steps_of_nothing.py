"""Charges are rounded up to steps of a part of a site's budget, which may be no grain at all.

Truth: unsound. A step of more parts than there are grains is nothing, and so is every charge.
"""

from dataclasses import replace

from spec.level1 import LEVEL_1_ONE_DRAW, AtConversion, Charge, Level1Limits
from spec.level1.budgets import charge

STEPS = 10**7


def in_steps(limits: Level1Limits, grains: int) -> int:
    step = limits.site_budget // STEPS
    return -(-grains // max(1, step)) * step


def charge_in_steps(at: AtConversion, single: bool, l1_norm: int) -> Charge:
    exact = charge(at, single, l1_norm)
    return Charge(site=in_steps(at.limits, exact.site), shared=in_steps(at.limits, exact.shared))


RULES = replace(LEVEL_1_ONE_DRAW, charge=charge_in_steps)
