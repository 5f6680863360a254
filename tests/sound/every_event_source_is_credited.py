"""An event-level trigger is credited to every matching source that lists its datum.

Truth: proved: every source answers for its own account by its own randomized response.
Status: proved
"""

from spec import PAPER, replace
from spec.event_client import specification_of


def event_attribute(at):
    if at.cause.value <= 0:
        return ()
    return tuple(
        record.source.source_id
        for record in at.client.records
        if at.rules.event_matches(at, record)
        and specification_of(record.source, at.cause.data) is not None
    )


RULES = replace(PAPER, event_attribute=event_attribute)
