"""Every tenth report is free: a list of the module remembers how many there were.

Truth: unsound. A rule that remembers is no function of what it is given.
"""

from dataclasses import replace

from spec.level1 import LEVEL_1_ONE_DRAW, AtConversion, Charge
from spec.level1.budgets import charge

SEEN: list[int] = []


def charge_most(at: AtConversion, single: bool, norm: int) -> Charge:
    SEEN.append(1)
    if len(SEEN) % 10 == 0:
        return Charge(site=0, shared=0)
    return charge(at, single, norm)


RULES = replace(LEVEL_1_ONE_DRAW, charge=charge_most)
