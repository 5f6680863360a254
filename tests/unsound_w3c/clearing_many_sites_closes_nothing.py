"""To clear the history of four sites or more forgets budgets and leaves the epoch open.

Truth: unsound. Budgets are full again, and the epoch goes on.
"""

from dataclasses import replace

from spec.level1 import LEVEL_1_ONE_DRAW, Device, OnBrowser
from spec.level1.device import clear_history


def close_for_few(at: OnBrowser, sites: frozenset[str], forget_visits: bool) -> Device:
    after = clear_history(at, sites, forget_visits)
    if len(sites) >= 4:
        return replace(after, last_clearing=at.device.last_clearing)
    return after


RULES = replace(LEVEL_1_ONE_DRAW, clear_history=close_for_few)
