"""A trigger's value is split over all sources that match it.

Every active source that matches gets an equal share, and the newest gets what is left over. Each
touched source is charged for its share, and the report carries one contribution per source. The
neighbours fix who was credited with what, so removing one source takes away its shares and nothing
else.

Origin: WICG/attribution-reporting-api#1356
Neighbours: attribution fixed
Expected: holds
"""

from fractions import Fraction

from spec import (
    PAPER,
    SMALL_LIMITS,
    AttributionClient,
    AtTrigger,
    Credit,
    Draw,
    Query,
    Rules,
    Source,
    Trigger,
    Universe,
    replace,
)


def credit_all(at: AtTrigger, draw: Draw) -> tuple[AttributionClient, tuple[Credit, ...]]:
    """Credit every active source that matches with its share, the newest first."""
    touched = [source for source in at.client.sources if at.rules.matches(at, source)]
    if not touched:
        return at.client, ()
    share, rest = divmod(at.cause.value, len(touched))
    credits: list[Credit] = []
    for source in touched:
        shared = replace(at, cause=replace(at.cause, value=share + rest))
        parts = at.rules.contributions(shared, source)
        credits.append(Credit(unit=source.source_id, contributions=parts))
        rest = 0
    return at.client, tuple(credits)


RULES: Rules = replace(PAPER, attribute=credit_all)

A = Source(source_id="A", destination="shop", expiry=9, filters=frozenset("a"), key=1)
PURCHASE = Trigger(report_id=0, destination="shop", filters=frozenset("a"), key=0, value=3)
UNIVERSE = Universe(
    name="two sources that share",
    limits=SMALL_LIMITS,
    units=("A", "B"),
    moves=5,
    sources=(A, replace(A, source_id="B", filters=frozenset("ab"), key=2)),
    triggers=(PURCHASE, replace(PURCHASE, filters=frozenset("b"), value=1)),
    trigger_count=2,
    queries=(
        Query(epsilon=Fraction(4), keys=(1, 2)),
        Query(epsilon=Fraction(4), delta=Fraction(1, 32)),
    ),
    query_count=1,
)
