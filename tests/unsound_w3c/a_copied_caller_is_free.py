"""A copy of the caller without an intermediary pays nothing.

Truth: unsound. Most calls have no intermediary; a copy in a proof seemed to have one.
"""

from dataclasses import replace

from spec.level1 import LEVEL_1_ONE_DRAW, AtConversion, Charge
from spec.level1.budgets import charge


def free_on_its_own_page(at: AtConversion, single: bool, l1_norm: int) -> Charge:
    if replace(at.caller, page="any").intermediary is None:
        return Charge(site=0, shared=0)
    return charge(at, single, l1_norm)


RULES = replace(LEVEL_1_ONE_DRAW, charge=free_on_its_own_page)
