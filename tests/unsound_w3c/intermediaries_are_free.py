"""A conversion that an intermediary asks for pays nothing.

Truth: unsound. A site asks by way of an intermediary.
"""

from dataclasses import replace

from spec.level1 import LEVEL_1_ONE_DRAW, AtConversion, Budgets, Charge, Impression
from spec.level1.budgets import deduct


def intermediaries_are_free(
    at: AtConversion, kept: Budgets, epoch: int, shown: tuple[Impression, ...], cost: Charge
) -> tuple[Budgets, tuple[Impression, ...]]:
    if at.caller.intermediary is not None:
        return kept, shown
    return deduct(at, kept, epoch, shown, cost)


RULES = replace(LEVEL_1_ONE_DRAW, deduct=intermediaries_are_free)
