"""A source takes at most three conversions, each within the lookback that the trigger names.

Truth: proved: both decide who is credited, which is decided once; the count is never shown.
Status: proved
"""

from dataclasses import dataclass

from immutables import Map

from spec import PAPER, AttributionClient, Trigger, replace

MOST = 3
MONTH = 30 * 24 * 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class LookbackTrigger(Trigger):
    lookback: int = MONTH


@dataclass(frozen=True, slots=True, kw_only=True)
class CountingClient(AttributionClient):
    taken: Map[str, int] = Map()


def matches(at, source):
    lookback = at.cause.lookback if isinstance(at.cause, LookbackTrigger) else MONTH
    if at.now - source.registered_at > lookback:
        return False
    return at.client.taken.get(source.source_id, 0) < MOST and PAPER.matches(at, source)


def attribute(at, draw):
    client, credits = PAPER.attribute(at, draw)
    taken = client.taken
    for credit in credits:
        taken = taken.set(credit.unit, taken.get(credit.unit, 0) + 1)
    return replace(client, taken=taken), credits


RULES = replace(
    PAPER,
    matches=matches,
    attribute=attribute,
    initial=replace(PAPER.initial, attribution=CountingClient()),
)
