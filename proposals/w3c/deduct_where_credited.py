"""Only epochs whose impressions are credited pay.

An epoch whose impressions others push aside would keep its budget. So its budget tells that there
were others.

Origin: w3c/attribution#75
Expected: global refuted, one view refuted, one site refuted
"""

from dataclasses import replace

from spec.level1 import LEVEL_1_ONE_DRAW, AtConversion, Budgets, Charge, Impression
from spec.level1.budgets import deduct
from spec.level1.credit import by_priority
from spec.level1.epochs import epoch_of
from spec.level1.measurement import matching


def deduct_if_credited(
    at: AtConversion,
    budgets: Budgets,
    epoch: int,
    impressions: tuple[Impression, ...],
    cost: Charge,
) -> tuple[Budgets, tuple[Impression, ...]]:
    """Let an epoch pay only if one of its impressions would be credited."""
    epochs = range(at.rules.first_epoch(at), epoch_of(at, at.now) + 1)
    everything = tuple(each for other in epochs for each in matching(at, other))
    credited = by_priority(everything)[: len(at.conversion.credit)]
    if not any(each in credited for each in impressions):
        return budgets, impressions
    return deduct(at, budgets, epoch, impressions, cost)


RULES = replace(LEVEL_1_ONE_DRAW, deduct=deduct_if_credited)
