"""Charges are not rounded, and an epoch pays only those that are whole numbers of grains.

Truth: unsound. A report may cost a part of a grain more than a whole number, and then nothing.
"""

from dataclasses import replace
from fractions import Fraction
from typing import cast

from spec.level1 import LEVEL_1_ONE_DRAW, AtConversion, Budgets, Charge, Impression
from spec.level1.budgets import deduct, noise_scale


def exact(at: AtConversion, single: bool, l1_norm: int) -> Charge:
    wanted = at.conversion
    scale = noise_scale(wanted.max_value, wanted.epsilon)
    value = cast(int, Fraction(2 * wanted.value) / scale * at.limits.grains)
    norm = cast(int, Fraction(l1_norm) / scale * at.limits.grains)
    return Charge(site=norm if single else value, shared=value)


def whole_grains(
    at: AtConversion, kept: Budgets, epoch: int, shown: tuple[Impression, ...], cost: Charge
) -> tuple[Budgets, tuple[Impression, ...]]:
    if cost.shared.denominator > 1:
        return kept, shown
    return deduct(at, kept, epoch, shown, cost)


RULES = replace(LEVEL_1_ONE_DRAW, charge=exact, deduct=whole_grains)
