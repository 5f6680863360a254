"""An event-level source takes a value of three for its first datum; more is rejected as bad input.

Truth: refuted: a trigger that is credited to a source ends in an error after three others, and
    without the source it does not.
Status: unknown
"""

from spec import PAPER, replace
from spec.reports import checked_value


def register_event_trigger(at, credited):
    client = PAPER.register_event_trigger(at, credited)
    for record in client.records:
        checked_value(3 - record.values.get(0, 0), "what is left of the datum")
    return client


RULES = replace(PAPER, register_event_trigger=register_event_trigger)
