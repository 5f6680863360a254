"""Who saved an impression uses it only where the epoch before it paid nothing.

Truth: unsound. What an epoch paid shows in reports about the next one, which it does not pay for.
"""

from dataclasses import replace

from spec.level1 import LEVEL_1_ONE_DRAW, AtConversion, Impression
from spec.level1.epochs import epoch_of
from spec.level1.impressions import matches


def rested(at: AtConversion, impression: Impression) -> bool:
    if impression.caller == at.caller.name:
        before = epoch_of(at, impression.timestamp) - 1
        if at.device.budgets.globally(at.limits, before) < at.limits.global_budget:
            return False
    return matches(at, impression)


RULES = replace(LEVEL_1_ONE_DRAW, matches=rested)
