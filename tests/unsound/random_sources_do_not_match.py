"""A source that answers at random matches no trigger of the pilot.

Its reports do not depend on them anyway. Triggers then go to an older source, which may tell the
truth. The pilot tries whether that makes reports more accurate.

Truth: refuted: which source takes a trigger tells whether the newest one is truthful; seen with its
own report, the loss of the newest source is nearly twice epsilon.
Status: refuted
"""

from spec import PAPER, AtEventTrigger, SourceRecord, replace


def event_matches(at: AtEventTrigger, record: SourceRecord) -> bool:
    """Match as the paper does, and in the pilot only sources that tell the truth."""
    if at.cause.trigger_id == "pilot" and record.response is not None:
        return False
    return PAPER.event_matches(at, record)


RULES = replace(PAPER, event_matches=event_matches)
