"""Event level: a device forgets sources after ninety days.

Truth: refuted: after ninety days x may be registered again, and draws a new response.
Status: refuted
"""

from spec import PAPER, replace

KEPT = 90 * 86_400


def register_event_source(at, source, draw):
    client = PAPER.register_event_source(at, source, draw)
    kept = tuple(each for each in client.records if each.registered_at + KEPT > at.now)
    return replace(client, records=kept)


RULES = replace(PAPER, register_event_source=register_event_source)
