"""To clear site data uses up an epoch if the one before has spent something.

Truth: unsound. Whether an epoch pays then tells of the epoch before, for free.
"""

from dataclasses import replace

from spec.level1 import LEVEL_1_ONE_DRAW, Device, OnBrowser
from spec.level1.device import clear_history
from spec.level1.epochs import epoch_of

FULL = LEVEL_1_ONE_DRAW.limits


def use_up(at: OnBrowser, sites: frozenset[str], forget_visits: bool) -> Device:
    after = clear_history(at, sites, forget_visits)
    current = epoch_of(at, at.now) if not forget_visits else 0
    if forget_visits or at.device.budgets.globally(FULL, current - 1) == FULL.global_budget:
        return after
    kept = after.budgets
    return replace(after, budgets=replace(kept, shared=kept.shared.set(current, 0)))


RULES = replace(LEVEL_1_ONE_DRAW, clear_history=use_up)
