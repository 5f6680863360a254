"""Conversion sites of a table pay nothing.

Truth: unsound. These sites learn all.
"""

from dataclasses import replace

from spec.level1 import LEVEL_1_ONE_DRAW, AtConversion, Charge
from spec.level1.budgets import charge

HOUSE = frozenset({"house.example", "garden.example"})


def charge_others(at: AtConversion, single: bool, norm: int) -> Charge:
    if at.caller.site in HOUSE:
        return Charge(site=0, shared=0)
    return charge(at, single, norm)


RULES = replace(LEVEL_1_ONE_DRAW, charge=charge_others)
