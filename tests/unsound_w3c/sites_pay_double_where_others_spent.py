"""Sites pay double for an epoch once half of its global budget is used.

Truth: unsound. Whether a site can pay then tells what another site was paid, though no shared limit
ever runs short: a site and two others lose 1.99 where one site's budget is 1.
"""

from dataclasses import replace

from spec.level1 import LEVEL_1_ONE_DRAW, AtConversion, Budgets, Charge, Impression
from spec.level1.budgets import deduct


def surge(
    at: AtConversion, budgets: Budgets, epoch: int, shown: tuple[Impression, ...], cost: Charge
) -> tuple[Budgets, tuple[Impression, ...]]:
    half_used = 2 * budgets.globally(at.limits, epoch) < at.limits.global_budget
    price = replace(cost, site=2 * cost.site) if half_used else cost
    return deduct(at, budgets, epoch, shown, price)


RULES = replace(LEVEL_1_ONE_DRAW, deduct=surge)
