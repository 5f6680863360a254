"""Event level: a source may be registered once for every destination.

Truth: refuted: x is registered for two destinations, and draws a response for each.
Status: refuted
"""

from spec import PAPER, replace


def register_event_source(at, source, draw):
    here = tuple(x for x in at.client.records if x.source.destination == source.destination)
    others = tuple(x for x in at.client.records if x.source.destination != source.destination)
    near = replace(at, client=replace(at.client, records=here))
    client = PAPER.register_event_source(near, source, draw)
    return replace(client, records=(*client.records, *others))


RULES = replace(PAPER, register_event_source=register_event_source)
