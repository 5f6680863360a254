"""Ads on the conversion site itself are credited only where the epoch before them paid nothing.

Truth: unsound. What an epoch paid shows in reports about the next one, which it does not pay for.
"""

from dataclasses import replace

from spec.level1 import LEVEL_1_ONE_DRAW, AtConversion, Impression
from spec.level1.epochs import epoch_of
from spec.level1.impressions import matches


def rested(at: AtConversion, impression: Impression) -> bool:
    if impression.site == at.caller.site:
        before = epoch_of(at, impression.timestamp) - 1
        if at.device.budgets.site(at.limits, before, at.caller.site) < at.limits.site_budget:
            return False
    return matches(at, impression)


RULES = replace(LEVEL_1_ONE_DRAW, matches=rested)
