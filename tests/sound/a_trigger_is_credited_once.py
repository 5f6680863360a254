"""A trigger whose name was credited before is credited to nobody, and its report is null.

Truth: proved: who is credited is decided once for both worlds, and a report is sent for everybody.
Status: proved
"""

from dataclasses import dataclass

from spec import PAPER, AttributionClient, AtTrigger, Credit, Draw, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class DeduplicatingClient(AttributionClient):
    """Keep the names of triggers that were credited."""

    seen: tuple[str, ...] = ()


def attribute(at: AtTrigger, draw: Draw) -> tuple[AttributionClient, tuple[Credit, ...]]:
    assert isinstance(at.client, DeduplicatingClient)
    name = at.cause.trigger_id
    if name and name in at.client.seen:
        return at.client, ()
    client, credits = PAPER.attribute(at, draw)
    if not credits or not name:
        return client, credits
    return replace(client, seen=(*at.client.seen, name)), credits


RULES = replace(
    PAPER,
    initial=replace(PAPER.initial, attribution=DeduplicatingClient()),
    attribute=attribute,
)
