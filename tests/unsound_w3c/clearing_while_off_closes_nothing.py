"""To clear history while the interface is off forgets budgets and leaves the epoch open.

Truth: unsound. The user turns it on again, and every budget is full.
"""

from dataclasses import replace

from spec.level1 import LEVEL_1_ONE_DRAW, Device, OnBrowser
from spec.level1.device import clear_history


def close_while_on(at: OnBrowser, sites: frozenset[str], forget_visits: bool) -> Device:
    after = clear_history(at, sites, forget_visits)
    if not at.device.enabled:
        return replace(after, last_clearing=at.device.last_clearing)
    return after


RULES = replace(LEVEL_1_ONE_DRAW, clear_history=close_while_on)
