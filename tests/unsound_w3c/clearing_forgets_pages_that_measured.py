"""Clearing forgets which pages are active, where something was measured.

Truth: unsound. The next call of the page is rejected if an impression was used, and not without it.
"""

from __future__ import annotations

from immutables import Map

from spec import replace
from spec.level1 import LEVEL_1_ONE_DRAW, Device, OnBrowser
from spec.level1.epochs import epoch_of


def last_clearing(at: OnBrowser) -> int:
    """Remember the latest time at which history was cleared."""
    last = at.device.last_clearing
    return at.now if last is None else max(last, at.now)


def clear_history(at: OnBrowser, sites: frozenset[str], forget_visits: bool) -> Device:
    """Clear as in the draft; pages must be activated anew if this epoch was measured."""
    after = LEVEL_1_ONE_DRAW.clear_history(at, sites, forget_visits)
    if at.device.epoch_start is None:
        return after
    left = at.device.budgets.globally(at.limits, epoch_of(at, at.now))
    if left < at.limits.global_budget:
        return replace(after, pages=Map())
    return after


LIMITS = replace(LEVEL_1_ONE_DRAW.limits, activation_duration=5)
RULES = replace(
    LEVEL_1_ONE_DRAW, limits=LIMITS, last_clearing=last_clearing, clear_history=clear_history
)
