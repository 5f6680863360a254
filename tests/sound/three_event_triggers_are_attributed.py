"""At most three event-level triggers per destination and device are attributed.

Truth: proved: the limit decides who is credited, which is decided once.
Status: proved
"""

from dataclasses import dataclass

from immutables import Map

from spec import PAPER, EventClient, replace

MOST = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitedClient(EventClient):
    taken: Map[str, int] = Map()


def event_attribute(at):
    if at.client.taken.get(at.cause.destination, 0) >= MOST:
        return ()
    return PAPER.event_attribute(at)


def take(at, credited):
    client = PAPER.register_event_trigger(at, credited)
    if not credited:
        return client
    used = client.taken.get(at.cause.destination, 0)
    return replace(client, taken=client.taken.set(at.cause.destination, used + 1))


RULES = replace(
    PAPER,
    event_attribute=event_attribute,
    register_event_trigger=take,
    initial=replace(PAPER.initial, events=LimitedClient()),
)
