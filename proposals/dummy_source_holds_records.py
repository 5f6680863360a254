"""The dummy source that takes over the records of x has records of its own already.

Triggers that no source takes are credited to the dummy, which contributes like any other source.
Moved there, a record of x uses up the dummy's budget and displaces one of the dummy's own. So three
reports' worth changes: that of x, the dummy's in its place, and the displaced one. In this universe
the exact delta at 1, 2 and 3 times epsilon is 2/9, 4/27 and 0.

Origin: a literal reading of the paper's neighbours, difference A4
Neighbours: moved to the dummy
Expected: refuted, factor 3
"""

from fractions import Fraction

from spec import (
    MOVED_TO_DUMMY,
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
from spec.neighbours import DUMMY, DUMMY_KEY


def attribute_to_someone(at: AtTrigger, draw: Draw) -> tuple[AttributionClient, tuple[Credit, ...]]:
    """Credit the dummy with a trigger that no source takes."""
    client, credits = PAPER.attribute(at, draw)
    if credits:
        return client, credits
    dummy = Source(
        source_id=DUMMY,
        destination=at.cause.destination,
        expiry=at.now + 1,
        filters=at.cause.filters,
        key=DUMMY_KEY,
    )
    return client, (Credit(unit=DUMMY, contributions=at.rules.contributions(at, dummy)),)


RULES: Rules = replace(PAPER, attribute=attribute_to_someone)
NEIGHBOURS = MOVED_TO_DUMMY

PURCHASE = Trigger(report_id=0, destination="shop", filters=frozenset("a"), key=0, value=1)
UNIVERSE = Universe(
    name="one trigger for x, one for nobody",
    limits=replace(SMALL_LIMITS, contribution_budget=1, epsilon=Fraction(1), delta=Fraction(0)),
    units=("A",),
    moves=4,
    sources=(Source(source_id="A", destination="shop", expiry=9, filters=frozenset("a"), key=1),),
    triggers=(PURCHASE, replace(PURCHASE, filters=frozenset("b"), key=4)),
    trigger_count=2,
    queries=(Query(epsilon=Fraction(1), keys=(1, 3, 7)),),
    query_count=1,
)
