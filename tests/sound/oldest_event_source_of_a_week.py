"""Credit an event-level trigger to the oldest source of the last seven days.

Truth: proved: who is credited depends on what was registered and counted, never on a response.
Status: proved
"""

from spec import PAPER, AtEventTrigger, SourceRecord, Unit, replace

WEEK = 7 * 24 * 3600


def event_matches(at: AtEventTrigger, record: SourceRecord) -> bool:
    return at.now < record.registered_at + WEEK and PAPER.event_matches(at, record)


def event_attribute(at: AtEventTrigger) -> tuple[Unit, ...]:
    if at.cause.value == 0:
        return ()
    for record in reversed(at.client.records):
        listed = [each.data for each in record.source.specifications]
        if at.cause.data in listed and at.rules.event_matches(at, record):
            return (record.source.source_id,)
    return ()


RULES = replace(PAPER, event_matches=event_matches, event_attribute=event_attribute)
