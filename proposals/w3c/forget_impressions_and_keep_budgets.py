"""Clearing the history of some sites removes their impressions, keeps budgets and closes nothing.

Other sites can go on in the epoch. What was spent stays spent, so nothing has to be closed. That a
budget was touched stays on the device, which is what the draft wants to avoid.

Origin: w3c/attribution#404
Expected: global proved, one view proved, one site proved
"""

from dataclasses import replace

from spec.level1 import LEVEL_1_ONE_DRAW, Device, OnBrowser
from spec.level1.device import clear_history


def forget_impressions(at: OnBrowser, sites: frozenset[str], forget_visits: bool) -> Device:
    """Remove the impressions of the sites; to forget everything is as in the draft."""
    after = clear_history(at, sites, forget_visits)
    if not forget_visits or not sites:
        return after
    return replace(at.device, impressions=after.impressions)


RULES = replace(LEVEL_1_ONE_DRAW, clear_history=forget_impressions)
