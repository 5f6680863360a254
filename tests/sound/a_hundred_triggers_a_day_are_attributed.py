"""At most 100 triggers of a destination are attributed per day on a device.

Truth: proved: the count decides who is credited, which is decided once, and is never shown.
Status: proved
"""

from dataclasses import dataclass

from immutables import Map

from spec import PAPER, AttributionClient, replace

DAY = 86400
MOST = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitedClient(AttributionClient):
    attributed: Map[tuple[str, int], int] = Map()


def attribute(at, draw):
    today = (at.cause.destination, at.now // DAY)
    used = at.client.attributed.get(today, 0)
    if used >= MOST:
        return at.client, ()
    client, credits = PAPER.attribute(at, draw)
    if credits:
        client = replace(client, attributed=client.attributed.set(today, used + 1))
    return client, credits


RULES = replace(
    PAPER, attribute=attribute, initial=replace(PAPER.initial, attribution=LimitedClient())
)
