"""A trigger makes several contributions, and its source grants all of them or none.

A trigger lists further key pieces with values, and its report holds all of them. If they do not fit
into the source's budget together, the report is null and costs nothing, as in the API today.

Origin: WICG/attribution-reporting-api#779
Neighbours: attribution fixed (ARA), null store (PAA)
Expected: holds
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from spec import (
    PAPER,
    SMALL_LIMITS,
    Budget,
    Cause,
    Contribution,
    Credit,
    Query,
    Rules,
    Source,
    Trigger,
    Universe,
    replace,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TriggerWithMore(Trigger):
    """Hold a trigger with further pairs of key piece and value."""

    more: tuple[tuple[int, int], ...] = ()


def contributions(rules: Rules, source: Source, trigger: Trigger) -> tuple[Contribution, ...]:
    """Contribute the trigger's own value and the further ones."""
    further = trigger.more if isinstance(trigger, TriggerWithMore) else ()
    return tuple(
        Contribution(key=rules.join_keys(source.key, key), value=value)
        for key, value in ((trigger.key, trigger.value), *further)
        if value > 0
    )


def grant_all_or_nothing(
    rules: Rules, spent: Budget, credit: Credit, cause: Cause
) -> tuple[Budget, tuple[Contribution, ...]]:
    """Admit all contributions of a unit; if one of them does not fit, none is granted."""
    after = spent
    for contribution in credit.contributions:
        admitted = rules.admit(rules.cap(rules.limits), after, contribution, cause)
        if admitted is None:
            return spent, ()
        after = admitted
    return after, credit.contributions


RULES: Rules = replace(PAPER, contributions=contributions, grant=grant_all_or_nothing)

BASKET = TriggerWithMore(
    report_id=0,
    destination="shop",
    filters=frozenset("a"),
    key=0,
    value=1,
    more=((2, 1),),
)
UNIVERSE = Universe(
    name="a trigger with two keys",
    limits=replace(SMALL_LIMITS, delta=Fraction(1, 8)),
    units=("A",),
    moves=6,
    sources=(
        Source(source_id="A", destination="shop", expiry=9, filters=frozenset("a"), key=1),
        Source(source_id="B", destination="shop", expiry=9, filters=frozenset("b"), key=1),
    ),
    triggers=(BASKET, replace(BASKET, more=()), replace(BASKET, filters=frozenset("b"))),
    trigger_count=2,
    queries=(
        Query(epsilon=Fraction(2), keys=(1, 3)),
        Query(epsilon=Fraction(4), delta=Fraction(1, 8)),
    ),
    query_count=2,
)
