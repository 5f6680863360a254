"""Credit an event-level trigger to the matching source that was registered first.

Truth: proved: when a source was registered is public, and no response is looked at.
Status: proved
"""

from spec import PAPER, AtEventTrigger, Unit, replace


def event_attribute(at: AtEventTrigger) -> tuple[Unit, ...]:
    listing = [
        record
        for record in at.client.records
        if any(at.cause.data == each.data for each in record.source.specifications)
        and at.rules.event_matches(at, record)
    ]
    if at.cause.value == 0 or not listing:
        return ()
    first = min(listing, key=lambda record: record.registered_at)
    return (first.source.source_id,)


RULES = replace(PAPER, event_attribute=event_attribute)
