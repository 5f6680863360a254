"""An epoch from which nothing was spent yet answers for nothing.

Truth: unsound. Every site's first report of every epoch is free, and there may be many sites.
"""

from dataclasses import replace

from spec.level1 import LEVEL_1_ONE_DRAW, AtConversion, Budgets, Charge, Impression
from spec.level1.budgets import deduct


def first_is_free(
    at: AtConversion, kept: Budgets, epoch: int, shown: tuple[Impression, ...], cost: Charge
) -> tuple[Budgets, tuple[Impression, ...]]:
    if epoch not in kept.shared:
        return replace(kept, shared=kept.shared.set(epoch, at.limits.global_budget)), shown
    return deduct(at, kept, epoch, shown, cost)


RULES = replace(LEVEL_1_ONE_DRAW, deduct=first_is_free)
