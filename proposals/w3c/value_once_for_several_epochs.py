"""A conversion over several epochs is charged for its value, not for twice its value.

Without an epoch, its credit does not vanish but goes to another bucket: the histogram loses the
value in one place and gains it in another.

Origin: w3c/attribution#212, w3c/attribution#270
Expected: global refuted, one view refuted, one site refuted
"""

from dataclasses import replace

from spec.level1 import LEVEL_1_ONE_DRAW, AtConversion, Charge
from spec.level1.budgets import charge, noise_scale, rounded_up


def charge_once(at: AtConversion, single: bool, l1_norm: int) -> Charge:
    """Charge for the value."""
    if single:
        return charge(at, single, l1_norm)
    scale = noise_scale(at.conversion.max_value, at.conversion.epsilon)
    once = rounded_up(at.conversion.value / scale * at.limits.grains)
    return Charge(site=once, shared=once)


RULES = replace(LEVEL_1_ONE_DRAW, charge=charge_once)
