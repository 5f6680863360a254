"""To clear site data after two billion seconds gives an epoch its global budget back.

Truth: unsound. From 2033 on a user who clears site data makes the global budget full again.
"""

from dataclasses import replace

from spec.level1 import LEVEL_1_ONE_DRAW, Device, OnBrowser
from spec.level1.device import clear_history
from spec.level1.epochs import epoch_of


def renew_from_2033(at: OnBrowser, sites: frozenset[str], forget_visits: bool) -> Device:
    after = clear_history(at, sites, forget_visits)
    if forget_visits or at.now < 2 * 10**9:
        return after
    shared = after.budgets.shared.set(epoch_of(at, at.now), at.limits.global_budget)
    return replace(after, budgets=replace(after.budgets, shared=shared))


RULES = replace(LEVEL_1_ONE_DRAW, clear_history=renew_from_2033)
