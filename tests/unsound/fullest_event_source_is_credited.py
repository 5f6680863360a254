"""Credit an event-level trigger to the source whose reports say most.

Truth: refuted: whether a source answers truthfully was drawn, and the source that gets the trigger
    tells of it.
Status: refuted
"""

from spec import PAPER, AtEventTrigger, Unit, replace


def event_attribute(at: AtEventTrigger) -> tuple[Unit, ...]:
    listing = [record for record in at.client.records if at.rules.event_matches(at, record)]
    if at.cause.value == 0 or not listing:
        return ()
    fullest = max(listing, key=lambda record: len(record.response or ()))
    return (fullest.source.source_id,)


RULES = replace(PAPER, event_attribute=event_attribute)
