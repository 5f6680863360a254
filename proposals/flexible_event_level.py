r"""Sources choose their own windows, reports and trigger data for event-level reports.

This is the lite form of flexible event-level reports: a source states trigger data, each with its
own windows and summary buckets, and how many reports it may send. All of that is fixed when the
source is registered, so that the output set is public, and the noise follows from its size. The
rule counts the outputs of exactly what the source states. It is the paper's own, written out.

Origin: WICG/attribution-reporting-api#856
Neighbours: attribution fixed
Expected: holds
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


def outputs_of_the_source(at: AtEventSource, source: EventSource) -> OutputSet:
    """Return every combination of reports that the source's own configuration allows."""
    return OutputSet(
        maximum_reports=source.maximum_reports,
        windows=tuple(len(each.windows) for each in source.specifications),
        buckets=tuple(len(each.buckets) for each in source.specifications),
    )


RULES: Rules = replace(PAPER, output_set=outputs_of_the_source)

SNEAKERS = TriggerSpecification(data="sneakers", windows=(5, 10), buckets=(1, 2))
SANDALS = TriggerSpecification(data="sandals", windows=(5,), buckets=(1,))
PURCHASE = EventTrigger(
    trigger_id="t", destination="shop", filters=frozenset("a"), data="sneakers", value=2
)
UNIVERSE = Universe(
    name="two data with their own windows",
    limits=SMALL_LIMITS,
    units=("A",),
    moves=6,
    event_sources=(
        EventSource(
            source_id="A",
            destination="shop",
            expiry=100,
            filters=frozenset("a"),
            maximum_reports=2,
            specifications=(SNEAKERS, SANDALS),
        ),
    ),
    event_triggers=(
        PURCHASE,
        replace(PURCHASE, value=1),
        replace(PURCHASE, data="sandals", value=1),
    ),
    event_trigger_count=3,
    moments=(5, 10),
    promise="event",
)
