"""A trigger makes several contributions, and its source grants all of them or none.

A trigger lists further key pieces with values, and its report holds all of them. If they do not fit
into the source's budget together, the report is null and costs nothing, as in the API today.

Origin: WICG/attribution-reporting-api#779
Neighbours: attribution fixed (ARA), null store (PAA)
Expected: holds
"""

from dataclasses import dataclass
from fractions import Fraction

from spec import (
    PAPER,
    SMALL_LIMITS,
    AtContribution,
    AtTrigger,
    Budgets,
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


def contributions(at: AtTrigger, source: Source) -> tuple[Contribution, ...]:
    """Contribute the trigger's own value and the further ones."""
    further = at.cause.more if isinstance(at.cause, TriggerWithMore) else ()
    return tuple(
        Contribution(key=source.key | key, value=value)
        for key, value in ((at.cause.key, at.cause.value), *further)
        if value > 0
    )


def contribute_all_or_nothing(
    at: AtContribution, credits: tuple[Credit, ...]
) -> tuple[Budgets, tuple[Credit, ...]]:
    """Admit all contributions; if one of them does not fit, none is granted."""
    budgets, granted = PAPER.contribute(at, credits)
    return (budgets, granted) if granted == credits else (at.client.budgets, ())


RULES: Rules = replace(PAPER, contributions=contributions, contribute=contribute_all_or_nothing)

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
    triggers=(BASKET, replace(BASKET, more=((2, 0),)), replace(BASKET, filters=frozenset("b"))),
    trigger_count=2,
    queries=(
        Query(epsilon=Fraction(2), keys=(1, 3)),
        Query(epsilon=Fraction(4), delta=Fraction(1, 8)),
    ),
    query_count=2,
)
