"""A report states the whole grains of its epsilon, rounded down.

The draft rounds up what a report states, and up what it is charged. An epsilon between two grains
is then charged for less than it states. Rounded down it never is; an epsilon below one grain states
nothing and takes part in no job.

Origin: w3c/attribution at 9fab4e8, Report Encryption For DAP
Expected: global proved, one view proved, one site proved
"""

from dataclasses import replace
from math import floor

from spec.level1 import LEVEL_1_ONE_DRAW, AtConversion


def stated_budget(at: AtConversion) -> int:
    """Round down."""
    return floor(at.conversion.epsilon * at.limits.grains)


RULES = replace(LEVEL_1_ONE_DRAW, stated_budget=stated_budget)
