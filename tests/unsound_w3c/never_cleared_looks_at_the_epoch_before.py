"""Until history is cleared an impression is selected only where the epoch before it paid nothing.

Truth: unsound. What an epoch paid shows in the reports about the next one, which it does not pay
for.
"""

from dataclasses import replace

from spec.level1 import LEVEL_1_ONE_DRAW, AtConversion, Impression
from spec.level1.epochs import epoch_of
from spec.level1.impressions import matches


def rested(at: AtConversion, impression: Impression) -> bool:
    if at.device.last_clearing is None:
        before = epoch_of(at, impression.timestamp) - 1
        left = at.device.budgets.site(at.limits, before, at.caller.site)
        if left < at.limits.site_budget:
            return False
    return matches(at, impression)


RULES = replace(LEVEL_1_ONE_DRAW, matches=rested)
