"""Event level: a device keeps the 1024 newest sources.

Truth: refuted: after so many others x may be registered again, and draws a new response.
Status: unknown
"""

from spec import PAPER, replace


def register_event_source(at, source, draw):
    client = PAPER.register_event_source(at, source, draw)
    return replace(client, records=client.records[:1024])


RULES = replace(PAPER, register_event_source=register_event_source)
