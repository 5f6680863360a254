"""From a day on, by the clock of the machine, nothing is charged.

Truth: unsound. A rule that reads the clock is no function of what it is given.
"""

import time
from dataclasses import replace

from spec.level1 import LEVEL_1_ONE_DRAW, AtConversion, Charge
from spec.level1.budgets import charge


def charge_until(at: AtConversion, single: bool, norm: int) -> Charge:
    if time.time() > 4 * 10**9:
        return Charge(site=0, shared=0)
    return charge(at, single, norm)


RULES = replace(LEVEL_1_ONE_DRAW, charge=charge_until)
