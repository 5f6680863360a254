"""Attribution notes which source is credited, and a report shows it.

Truth: refuted: the report of a trigger that x takes names x, and is null and must name nobody
    without x. The relation fixes attribution, so that what it notes is the same in both worlds.
Status: unknown
"""

from dataclasses import dataclass

from spec import PAPER, AttributionClient, replace
from spec.contributions import send


@dataclass(frozen=True, slots=True, kw_only=True)
class DebugClient(AttributionClient):
    last: str = ""


def attribute(at, draw):
    client, credits = PAPER.attribute(at, draw)
    return replace(client, last=credits[0].unit if credits else ""), credits


def show(at, granted):
    sent = send(at, granted)
    if not isinstance(at.client, DebugClient):
        return sent
    return tuple(replace(each, shown=(each.shown, at.client.last)) for each in sent)


RULES = replace(
    PAPER, attribute=attribute, send=show, initial=replace(PAPER.initial, attribution=DebugClient())
)
