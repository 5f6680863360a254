"""The fifty-second epoch does not pay.

Truth: unsound. Its impressions are there for everybody.
"""

from dataclasses import replace

from spec.level1 import LEVEL_1_ONE_DRAW, AtConversion, Budgets, Charge, Impression
from spec.level1.budgets import deduct


def most_epochs_pay(
    at: AtConversion, kept: Budgets, epoch: int, shown: tuple[Impression, ...], cost: Charge
) -> tuple[Budgets, tuple[Impression, ...]]:
    if epoch == 52:
        return kept, shown
    return deduct(at, kept, epoch, shown, cost)


RULES = replace(LEVEL_1_ONE_DRAW, deduct=most_epochs_pay)
