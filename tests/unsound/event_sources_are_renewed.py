"""An event-level source that is registered again starts over.

Today a second registration is refused. Here the old record is dropped: new windows, nothing
counted, and a newly drawn response.

Truth: refuted: every registration draws one more response about the same source. Register x,
trigger, let the window pass, and all that again: that both windows report is e^ε times as likely
each time, so two registrations cost 2ε.
Status: refuted
"""

from spec import PAPER, replace


def register_event_source(at, source, draw):
    others = tuple(each for each in at.client.records if each.source.source_id != source.source_id)
    begun_again = replace(at, client=replace(at.client, records=others))
    return PAPER.register_event_source(begun_again, source, draw)


RULES = replace(PAPER, register_event_source=register_event_source)
