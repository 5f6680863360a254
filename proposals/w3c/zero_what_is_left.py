"""An epoch that cannot pay loses what the site has left in it.

Origin: w3c/attribution#336
Expected: global proved, one view proved, one site proved
"""

from dataclasses import replace

from spec.level1 import LEVEL_1_ONE_DRAW, AtConversion, Budgets, Charge, Impression
from spec.level1.budgets import deduct


def deduct_or_zero(
    at: AtConversion,
    budgets: Budgets,
    epoch: int,
    impressions: tuple[Impression, ...],
    cost: Charge,
) -> tuple[Budgets, tuple[Impression, ...]]:
    """Use up the site's budget where something is short."""
    after, used = deduct(at, budgets, epoch, impressions, cost)
    if used:
        return after, used
    return replace(after, sites=after.sites.set((epoch, at.caller.site), 0)), used


RULES = replace(LEVEL_1_ONE_DRAW, deduct=deduct_or_zero)
