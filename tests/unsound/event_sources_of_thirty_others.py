"""Event level: a device keeps the thirty newest sources.

Truth: refuted: after thirty others x is forgotten, may be registered again and draws a new
    response.
Status: refuted
"""

from spec import PAPER, replace


def register_event_source(at, source, draw):
    client = PAPER.register_event_source(at, source, draw)
    return replace(client, records=client.records[:30])


RULES = replace(PAPER, register_event_source=register_event_source)
