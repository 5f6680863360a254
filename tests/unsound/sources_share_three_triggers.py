"""At most three event-level triggers count per destination on a device.

Truth: refuted: without x the triggers of x use nothing of the limit, and another source reports
    instead.
Status: refuted
"""

from dataclasses import dataclass

from immutables import Map

from spec import PAPER, EventClient, replace

MOST = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitedClient(EventClient):
    taken: Map[str, int] = Map()


def take(at, credited):
    used = at.client.taken.get(at.cause.destination, 0)
    if not credited or used >= MOST:
        return at.client
    client = PAPER.register_event_trigger(at, credited)
    return replace(client, taken=client.taken.set(at.cause.destination, used + 1))


RULES = replace(
    PAPER, register_event_trigger=take, initial=replace(PAPER.initial, events=LimitedClient())
)
