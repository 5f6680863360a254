"""In the neighbour the records of x belong to a dummy source, and still contribute.

The paper's neighbour replaces x by a dummy source, but does not say that the dummy contributes
nothing. If its records are summed like those of any other source, the sums change by what x
contributed and by what the dummy contributes in its place. See dummy_source_holds_records.py for
a dummy that has records of its own already.

Origin: a literal reading of the paper's neighbours, difference A4
Neighbours: moved to the dummy
Expected: refuted, factor 2
"""

from fractions import Fraction

from spec import (
    MOVED_TO_DUMMY,
    PAPER,
    SMALL_LIMITS,
    Query,
    Rules,
    Source,
    Trigger,
    Universe,
    replace,
)

RULES: Rules = PAPER
NEIGHBOURS = MOVED_TO_DUMMY

UNIVERSE = Universe(
    name="one source, one trigger, one query",
    limits=replace(SMALL_LIMITS, epsilon=Fraction(2), delta=Fraction(0)),
    units=("A",),
    moves=3,
    sources=(Source(source_id="A", destination="shop", expiry=9, filters=frozenset("a"), key=1),),
    triggers=(Trigger(report_id=0, destination="shop", filters=frozenset("a"), key=0, value=2),),
    trigger_count=1,
    queries=(Query(epsilon=Fraction(2), keys=(1, 3)),),
    query_count=1,
)
