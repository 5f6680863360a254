"""Event level: a device keeps the two newest sources, and the names of all.

Truth: proved: a source that is forgotten sends nothing any more. No source is registered twice,
    because its name is known, so that each draws one response. Which sources are kept depends on
    what was registered alone.
Status: not refuted
"""

from dataclasses import dataclass

from spec import PAPER, DuplicateSource, EventClient, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembering(EventClient):
    """Know the names of all sources."""

    names: frozenset[str] = frozenset()


def register_event_source(at, source, draw):
    if source.source_id in at.client.names:
        raise DuplicateSource(f"source {source.source_id!r} was registered before")
    client = PAPER.register_event_source(at, source, draw)
    names = at.client.names | {source.source_id}
    return replace(client, records=client.records[:2], names=names)


RULES = replace(
    PAPER,
    initial=replace(PAPER.initial, events=Remembering()),
    register_event_source=register_event_source,
)
