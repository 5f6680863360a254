"""Impressions with match value 99 are selected only while the epoch before has something left.

Truth: unsound. Whether an epoch's impressions are used then tells of the epoch before, for free.
"""

from dataclasses import replace

from spec.level1 import LEVEL_1_ONE_DRAW, AtConversion, Impression
from spec.level1.epochs import epoch_of
from spec.level1.impressions import matches


def matches_beside_others(at: AtConversion, impression: Impression) -> bool:
    if impression.match_value == 99:
        before = epoch_of(at, impression.timestamp) - 1
        if at.device.budgets.site(at.limits, before, at.caller.site) == 0:
            return False
    return matches(at, impression)


RULES = replace(LEVEL_1_ONE_DRAW, matches=matches_beside_others)
