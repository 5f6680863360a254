"""A report that credits many impression sites is thought to hide each of them.

Truth: unsound. The epoch is what is protected, and it pays nothing.
"""

from dataclasses import replace

from spec.level1 import LEVEL_1_ONE_DRAW, AtConversion, Budgets, Charge, Impression
from spec.level1.budgets import deduct, sites_of


def many_sites_are_free(
    at: AtConversion, kept: Budgets, epoch: int, shown: tuple[Impression, ...], cost: Charge
) -> tuple[Budgets, tuple[Impression, ...]]:
    if len(sites_of(shown)) >= 20:
        return kept, shown
    return deduct(at, kept, epoch, shown, cost)


RULES = replace(LEVEL_1_ONE_DRAW, deduct=many_sites_are_free)
