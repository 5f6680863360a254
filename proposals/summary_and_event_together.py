r"""One source sends summary reports and event-level reports.

The paper treats the two kinds of reports apart. A source that uses both is protected by
$(\epsilon_* + \epsilon, \delta_*)$: the summary reports are swapped first, which costs
$(\epsilon_*, \delta_*)$, and then the event-level reports, which costs $(\epsilon, 0)$. In the
other order delta would be $e^\epsilon \delta_*$. Nothing is changed here; what is asked
for is the guarantee for both kinds together.

Origin: none
Neighbours: attribution fixed
Expected: holds
"""

from fractions import Fraction

from spec import (
    PAPER,
    SMALL_LIMITS,
    EventSource,
    EventTrigger,
    Query,
    Rules,
    Source,
    Trigger,
    TriggerSpecification,
    Universe,
    replace,
)

RULES: Rules = PAPER

UNIVERSE = Universe(
    name="a source with both kinds of reports",
    limits=replace(SMALL_LIMITS, epsilon=Fraction(2), delta=Fraction(1, 8)),
    units=("A",),
    moves=6,
    sources=(Source(source_id="A", destination="shop", expiry=9, filters=frozenset("a"), key=1),),
    triggers=(Trigger(report_id=0, destination="shop", filters=frozenset("a"), key=0, value=2),),
    trigger_count=1,
    event_sources=(
        EventSource(
            source_id="A",
            destination="shop",
            expiry=9,
            filters=frozenset("a"),
            maximum_reports=1,
            specifications=(TriggerSpecification(data=0, windows=(10,), buckets=(1,)),),
        ),
    ),
    event_triggers=(
        EventTrigger(trigger_id="t", destination="shop", filters=frozenset("a"), data=0, value=1),
    ),
    event_trigger_count=1,
    queries=(
        Query(epsilon=Fraction(2), delta=Fraction(1, 8)),
        Query(epsilon=Fraction(2), keys=(1,)),
    ),
    query_count=1,
    moments=(10,),
    promise="both",
)
