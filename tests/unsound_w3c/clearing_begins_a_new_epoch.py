"""To clear site data begins a new epoch at that moment.

Truth: unsound. Budgets are kept by the index of an epoch. With another start the same impressions
are in an epoch of another index, with budgets that nobody touched.
"""

from dataclasses import replace

from spec.level1 import LEVEL_1_ONE_DRAW, Device, OnBrowser
from spec.level1.device import clear_history


def restart(at: OnBrowser, sites: frozenset[str], forget_visits: bool) -> Device:
    after = clear_history(at, sites, forget_visits)
    return after if forget_visits else replace(after, epoch_start=at.now)


RULES = replace(LEVEL_1_ONE_DRAW, clear_history=restart)
