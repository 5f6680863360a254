"""A report may stand in a batch twice, and then its value counts twice.

The budget of a report is checked once per batch, however often the report stands in it. So a
report that is listed twice moves the sum by twice its value and pays once. Listed n times it would
cost a factor n.

Origin: WICG/attribution-reporting-api#299 and privacysandbox/aggregation-service#26 forbid it
Neighbours: attribution fixed (ARA), null store (PAA)
Expected: refuted, factor 2
"""

from fractions import Fraction

from spec import (
    PAPER,
    SMALL_LIMITS,
    AtService,
    Query,
    Report,
    Rules,
    Source,
    Trigger,
    Universe,
    replace,
)


def count_repetitions(at: AtService, reports: tuple[Report, ...]) -> tuple[Report, ...]:
    """Let a report stand in the batch as often as it is listed."""
    return reports


RULES: Rules = replace(PAPER, batch=count_repetitions)

UNIVERSE = Universe(
    name="one source, one trigger, one query",
    limits=replace(SMALL_LIMITS, epsilon=Fraction(2), delta=Fraction(0)),
    units=("A",),
    moves=3,
    sources=(Source(source_id="A", destination="shop", expiry=9, filters=frozenset("a"), key=1),),
    triggers=(Trigger(report_id=0, destination="shop", filters=frozenset("a"), key=0, value=2),),
    trigger_count=1,
    queries=(Query(epsilon=Fraction(2), keys=(1,)),),
    query_count=1,
)
