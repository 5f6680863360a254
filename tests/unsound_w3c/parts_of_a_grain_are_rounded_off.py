"""Charges are not rounded up, and an epoch pays the nearest whole number of grains.

Truth: unsound. A report that costs less than half a grain costs nothing.
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


def nearest(
    at: AtConversion, kept: Budgets, epoch: int, shown: tuple[Impression, ...], cost: Charge
) -> tuple[Budgets, tuple[Impression, ...]]:
    near = Charge(site=round(cost.site), shared=round(cost.shared))
    return deduct(at, kept, epoch, shown, near)


RULES = replace(LEVEL_1_ONE_DRAW, charge=exact, deduct=nearest)
