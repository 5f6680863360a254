"""Clearing history forgets budgets, and attribution goes on in the same epoch.

Origin: w3c/attribution#404
Expected: global refuted, one view refuted, one site refuted
"""

from dataclasses import replace

from spec.level1 import LEVEL_1_ONE_DRAW, Device, OnBrowser
from spec.level1.device import clear_history


def forget_only(at: OnBrowser, sites: frozenset[str], forget_visits: bool) -> Device:
    """Leave the last clearing as it was."""
    after = clear_history(at, sites, forget_visits)
    return replace(after, last_clearing=at.device.last_clearing)


RULES = replace(LEVEL_1_ONE_DRAW, clear_history=forget_only)
