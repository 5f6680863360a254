"""Where pages are always active a report costs nothing, by a copy of the limits.

Truth: unsound. The draft's limits ask for no activation; a copy in a proof seemed to.
"""

from dataclasses import replace

from spec.level1 import LEVEL_1_ONE_DRAW, AtConversion, Charge
from spec.level1.budgets import charge


def free_without_activation(at: AtConversion, single: bool, l1_norm: int) -> Charge:
    if replace(at.limits, minimum_batch=1).activation_duration is None:
        return Charge(site=0, shared=0)
    return charge(at, single, l1_norm)


RULES = replace(LEVEL_1_ONE_DRAW, charge=free_without_activation)
