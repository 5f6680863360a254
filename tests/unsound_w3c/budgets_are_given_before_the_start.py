"""Who clears history before anything was measured is given a large global budget.

Truth: unsound. The first two epochs of such a device pay for as much as all sites ask.
"""

from dataclasses import replace

from immutables import Map

from spec.level1 import LEVEL_1_ONE_DRAW, Budgets, Device, OnBrowser
from spec.level1.device import clear_history


def give(at: OnBrowser, sites: frozenset[str], forget_visits: bool) -> Device:
    after = clear_history(at, sites, forget_visits)
    if at.device.epoch_start is None:
        return replace(after, budgets=Budgets(shared=Map({0: 10**12, 1: 10**12})))
    return after


RULES = replace(LEVEL_1_ONE_DRAW, clear_history=give)
