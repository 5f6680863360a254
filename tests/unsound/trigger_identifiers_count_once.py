"""Event level: a trigger identifier counts once per device; repetitions are ignored.

Truth: refuted: a trigger credited to x uses up its identifier. Without x a later trigger with the
    same identifier counts for another source, so that two sources change, which costs 2 epsilon.
Status: refuted
"""

from dataclasses import dataclass

from immutables import Map

from spec import PAPER, EventClient, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Deduplicating(EventClient):
    used: Map = Map()


def register_event_trigger(at, credited):
    again = at.cause.trigger_id in at.client.used
    client = PAPER.register_event_trigger(at, () if again else credited)
    if credited:
        client = replace(client, used=client.used.set(at.cause.trigger_id, None))
    return client


RULES = replace(
    PAPER,
    register_event_trigger=register_event_trigger,
    initial=replace(PAPER.initial, events=Deduplicating()),
)
