"""The output set counts at most one report per trigger datum, but the client may send several.

A smaller output set means a larger probability of the truth, which is welcome. But an output that
is never drawn shows only if it is true. Here a source with two buckets can send two reports for one
datum, and the set holds outputs with at most one.

Origin: ours; a set that is smaller than what the client sends
Neighbours: attribution fixed
Expected: refuted, no factor keeps delta
"""

from spec import (
    PAPER,
    SMALL_LIMITS,
    AtEventSource,
    EventSource,
    EventTrigger,
    OutputSet,
    Rules,
    TriggerSpecification,
    Universe,
    replace,
)


def one_report_per_datum(at: AtEventSource, source: EventSource) -> OutputSet:
    """Return the outputs with at most one report for every trigger datum."""
    outputs = PAPER.output_set(at, source)
    return replace(outputs, buckets=tuple(min(1, each) for each in outputs.buckets))


RULES: Rules = replace(PAPER, output_set=one_report_per_datum)

UNIVERSE = Universe(
    name="one datum, one window, two buckets",
    limits=SMALL_LIMITS,
    units=("A",),
    moves=3,
    event_sources=(
        EventSource(
            source_id="A",
            destination="shop",
            expiry=100,
            filters=frozenset("a"),
            maximum_reports=2,
            specifications=(TriggerSpecification(data=0, windows=(10,), buckets=(1, 2)),),
        ),
    ),
    event_triggers=(
        EventTrigger(trigger_id="t", destination="shop", filters=frozenset("a"), data=0, value=2),
    ),
    event_trigger_count=1,
    moments=(10,),
    promise="event",
)
