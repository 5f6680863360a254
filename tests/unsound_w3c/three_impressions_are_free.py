"""An epoch with three impressions or more does not pay.

Truth: unsound. A site that shows an advertisement often enough learns all.
"""

from dataclasses import replace

from spec.level1 import LEVEL_1_ONE_DRAW, AtConversion, Budgets, Charge, Impression
from spec.level1.budgets import deduct


def crowds_are_free(
    at: AtConversion, kept: Budgets, epoch: int, shown: tuple[Impression, ...], cost: Charge
) -> tuple[Budgets, tuple[Impression, ...]]:
    _, *more = shown
    if more:
        _, *others = more
        if others:
            return kept, shown
    return deduct(at, kept, epoch, shown, cost)


RULES = replace(LEVEL_1_ONE_DRAW, deduct=crowds_are_free)
