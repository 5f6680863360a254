"""A report states a thousand times as much where its epsilon is no whole number of grains.

Truth: unsound. With an epsilon of 0.1000001 an epoch is charged 100001 grains for a report that
takes part in a job for 100001000 grains.
"""

from dataclasses import replace
from math import floor

from spec.level1 import LEVEL_1_ONE_DRAW, AtConversion
from spec.level1.measurement import stated_budget


def stated(at: AtConversion) -> int:
    asked = at.conversion.epsilon * at.limits.grains
    return stated_budget(at) if floor(asked) == asked else 1000 * stated_budget(at)


RULES = replace(LEVEL_1_ONE_DRAW, stated_budget=stated)
