"""A report is paid for as long as something is left; the last one may overdraw the budget.

Truth: unsound. An epoch with one grain left still answers a report of any epsilon in full. A site
gets its whole budget but a grain, and then as much again or more; so do all sites together.
"""

from dataclasses import replace

from spec.level1 import LEVEL_1_ONE_DRAW, AtConversion, Budgets, Charge, Impression
from spec.level1.budgets import affordable, paid, sites_of

ONE_GRAIN = Charge(site=1, shared=1)


def deduct(
    at: AtConversion,
    budgets: Budgets,
    epoch: int,
    impressions: tuple[Impression, ...],
    cost: Charge,
) -> tuple[Budgets, tuple[Impression, ...]]:
    sites = sites_of(impressions)
    if not affordable(at, budgets, epoch, sites, ONE_GRAIN):
        return budgets, ()
    return paid(at, budgets, epoch, sites, cost), impressions


RULES = replace(LEVEL_1_ONE_DRAW, deduct=deduct)
