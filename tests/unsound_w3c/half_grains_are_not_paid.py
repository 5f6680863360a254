"""Everything costs half a grain more, and what is no whole number of grains is not paid.

Truth: unsound. Every charge covers the noise, and nothing is ever charged.
"""

from dataclasses import replace
from fractions import Fraction
from math import floor
from typing import cast

from spec.level1 import LEVEL_1_ONE_DRAW, AtConversion, Budgets, Charge, Impression
from spec.level1.budgets import charge, deduct


def half_more(at: AtConversion, single: bool, norm: int) -> Charge:
    cost = charge(at, single, norm)
    half = cast(int, Fraction(1, 2))
    return replace(cost, site=cost.site + half, shared=cost.shared + half)


def pay_whole_grains(
    at: AtConversion, budgets: Budgets, epoch: int, shown: tuple[Impression, ...], cost: Charge
) -> tuple[Budgets, tuple[Impression, ...]]:
    if floor(cost.site) != cost.site:
        return budgets, shown
    return deduct(at, budgets, epoch, shown, cost)


RULES = replace(LEVEL_1_ONE_DRAW, charge=half_more, deduct=pay_whole_grains)
