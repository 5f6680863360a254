"""Event level: a device keeps the two newest sources and forgets older ones.

Truth: refuted: a forgotten source may be registered again, and draws a new response. The ad-tech
    reads the reports of x, registers two more sources, registers x again and lets it take the same
    triggers: two independent responses about x.
Status: refuted
"""

from spec import PAPER, AtEventSource, Draw, EventClient, EventSource, replace

MOST_SOURCES = 2


def register_event_source(at: AtEventSource, source: EventSource, draw: Draw) -> EventClient:
    client = PAPER.register_event_source(at, source, draw)
    return replace(client, records=client.records[:MOST_SOURCES])


RULES = replace(PAPER, register_event_source=register_event_source)
