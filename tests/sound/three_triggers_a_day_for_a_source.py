"""A source takes at most three triggers a day; further ones go to an older source.

Truth: proved: the count is part of deciding who is credited, which happens once, on D; both
    worlds share it. It only narrows the sources that the paper's attribution tries. Each credit
    is admitted against its own source's budget, and a report is sent for every trigger, also
    where no source is left.
Status: proved
"""

from dataclasses import dataclass

from immutables import Map

from spec import PAPER, AttributionClient, AtTrigger, Credit, Draw, replace

DAY = 86400
MOST_PER_DAY = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientWithCounts(AttributionClient):
    taken: Map[tuple[str, int], int] = Map()


def attribute(at: AtTrigger, draw: Draw) -> tuple[AttributionClient, tuple[Credit, ...]]:
    client, today = at.client, at.now // DAY
    fresh = tuple(
        source
        for source in client.sources
        if client.taken.get((source.source_id, today), 0) < MOST_PER_DAY
    )
    _, credits = PAPER.attribute(replace(at, client=replace(client, sources=fresh)), draw)
    taken = client.taken
    for credit in credits:
        place = (credit.unit, today)
        taken = taken.set(place, taken.get(place, 0) + 1)
    return replace(client, taken=taken), credits


RULES = replace(
    PAPER,
    attribute=attribute,
    initial=replace(PAPER.initial, attribution=ClientWithCounts()),
)
