"""Event level: a source that answers at random is passed over, so that no trigger is wasted on it.

Truth: refuted: an older source then gets the trigger, and its report says that the newer one was
    drawn. With E = e^epsilon and two outputs each the ratio is E^2 - E + 1, which is above E.
Status: refuted
"""

from spec import PAPER, replace


def event_matches(at, record):
    return record.response is None and PAPER.event_matches(at, record)


RULES = replace(PAPER, event_matches=event_matches)
