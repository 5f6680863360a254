"""The quota of an impression site is charged only if the site is credited.

Who is credited depends on all epochs. So what is left of a quota in one epoch tells of another.

Origin: w3c/attribution#377
Expected: global refuted, one view refuted, one site unknown
"""

from dataclasses import replace

from spec.level1 import LEVEL_1_ONE_DRAW, AtConversion, Budgets, Charge, Impression
from spec.level1.budgets import affordable, paid, sites_of
from spec.level1.credit import by_priority
from spec.level1.epochs import epoch_of
from spec.level1.measurement import matching


def deduct_by_credit(
    at: AtConversion,
    budgets: Budgets,
    epoch: int,
    impressions: tuple[Impression, ...],
    cost: Charge,
) -> tuple[Budgets, tuple[Impression, ...]]:
    """Charge the quotas of credited sites; all must be able to pay."""
    if not affordable(at, budgets, epoch, sites_of(impressions), cost):
        return budgets, ()
    epochs = range(at.rules.first_epoch(at), epoch_of(at, at.now) + 1)
    everything = tuple(each for other in epochs for each in matching(at, other))
    credited = by_priority(everything)[: len(at.conversion.credit)]
    sites = sites_of(each for each in impressions if each in credited)
    return paid(at, budgets, epoch, sites, cost), impressions


RULES = replace(LEVEL_1_ONE_DRAW, deduct=deduct_by_credit)
