"""A clearing is remembered only until site data is cleared.

Truth: unsound. To forget visits renews budgets of an epoch, which is then closed. To clear the data
of any site opens it again, and it pays once more.
"""

from dataclasses import replace

from spec.level1 import LEVEL_1_ONE_DRAW, Device, OnBrowser
from spec.level1.device import clear_history


def reopen(at: OnBrowser, sites: frozenset[str], forget_visits: bool) -> Device:
    after = clear_history(at, sites, forget_visits)
    return after if forget_visits else replace(after, last_clearing=None)


RULES = replace(LEVEL_1_ONE_DRAW, clear_history=reopen)
