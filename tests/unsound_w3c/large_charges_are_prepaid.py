"""Small conversions are charged, those of a large maximal value are marked as prepaid.

Truth: unsound. Reports of a large maximal value cost nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from spec import replace
from spec.level1 import (
    LEVEL_1_ONE_DRAW,
    AtConversion,
    Budgets,
    Charge,
    Impression,
    OnBrowser,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepaid(Charge):
    """A charge that was paid elsewhere."""


def last_clearing(at: OnBrowser) -> int:
    """Remember the latest time at which history was cleared."""
    last = at.device.last_clearing
    return at.now if last is None else max(last, at.now)


def charge(at: AtConversion, single: bool, l1_norm: int) -> Charge:
    """Charge as in the draft, and mark what is large."""
    cost = LEVEL_1_ONE_DRAW.charge(at, single, l1_norm)
    if at.conversion.max_value >= 10**9:
        return Prepaid(site=cost.site, shared=cost.shared)
    return cost


def deduct(
    at: AtConversion,
    budgets: Budgets,
    epoch: int,
    impressions: tuple[Impression, ...],
    cost: Charge,
) -> tuple[Budgets, tuple[Impression, ...]]:
    """Let an epoch pay what is not prepaid."""
    if isinstance(cost, Prepaid):
        return budgets, impressions
    return LEVEL_1_ONE_DRAW.deduct(at, budgets, epoch, impressions, cost)


RULES = replace(LEVEL_1_ONE_DRAW, last_clearing=last_clearing, charge=charge, deduct=deduct)
