"""Event level: a device keeps the sources of three destinations, those registered last.

Truth: refuted: after sources of three other destinations x is forgotten, may be registered again
    and draws a new response.
Status: refuted
"""

from spec import PAPER, replace


def register_event_source(at, source, draw):
    client = PAPER.register_event_source(at, source, draw)
    places = tuple(dict.fromkeys(each.source.destination for each in client.records))[:3]
    kept = tuple(each for each in client.records if each.source.destination in places)
    return replace(client, records=kept)


RULES = replace(PAPER, register_event_source=register_event_source)
