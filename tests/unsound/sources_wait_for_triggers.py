"""An event-level source is not registered after a trigger was credited.

Truth: refuted: whether the next source is registered depends on whether x was credited.
Status: refuted
"""

from dataclasses import dataclass

from spec import PAPER, replace
from spec.event_client import EventClient


@dataclass(frozen=True, slots=True, kw_only=True)
class Client(EventClient):
    sources: int = 0


def count(at, units):
    client = PAPER.register_event_trigger(at, units)
    return replace(client, sources=len(units))


def register(at, source, draw):
    if at.client.sources > 0:
        return at.client
    return PAPER.register_event_source(at, source, draw)


RULES = replace(
    PAPER,
    register_event_trigger=count,
    register_event_source=register,
    initial=replace(PAPER.initial, events=Client()),
)
