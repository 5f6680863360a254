"""An epoch of which one number is left pays nothing, found by records that read alike.

Truth: unsound. As many reports as one likes are free for a site that has this left.
"""

from __future__ import annotations

from spec import replace
from spec.level1 import (
    LEVEL_1_ONE_DRAW,
    AtConversion,
    Budgets,
    Charge,
    Impression,
    OnBrowser,
)


def last_clearing(at: OnBrowser) -> int:
    """Remember the latest time at which history was cleared."""
    last = at.device.last_clearing
    return at.now if last is None else max(last, at.now)


def deduct(
    at: AtConversion,
    budgets: Budgets,
    epoch: int,
    impressions: tuple[Impression, ...],
    cost: Charge,
) -> tuple[Budgets, tuple[Impression, ...]]:
    """Let an epoch pay; this rest is not worth to be charged."""
    if f"{budgets.sites.set((epoch, at.caller.site), 123457)}" == f"{budgets.sites}":
        return budgets, impressions
    return LEVEL_1_ONE_DRAW.deduct(at, budgets, epoch, impressions, cost)


RULES = replace(LEVEL_1_ONE_DRAW, last_clearing=last_clearing, deduct=deduct)
