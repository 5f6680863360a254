"""Charges are rounded to the nearest grain.

Truth: unsound. A report of less than half a grain costs nothing, however often it is asked for.
"""

from dataclasses import replace

from spec.level1 import LEVEL_1_ONE_DRAW, AtConversion, Charge
from spec.level1.budgets import noise_scale


def charge_nearest(at: AtConversion, single: bool, l1_norm: int) -> Charge:
    wanted, grains = at.conversion, at.limits.grains
    scale = noise_scale(wanted.max_value, wanted.epsilon)
    for_value = round(2 * wanted.value / scale * grains)
    for_norm = round(l1_norm / scale * grains)
    return Charge(site=for_norm if single else for_value, shared=for_value)


RULES = replace(LEVEL_1_ONE_DRAW, charge=charge_nearest)
