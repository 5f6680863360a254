"""A device keeps the ten newest sources per destination.

Truth: refuted: a source that was dropped can be registered again, and its budget begins anew.
Status: refuted
"""

from spec import PAPER, AtSource, AttributionClient, Source, replace

MOST = 10


def register_source(at: AtSource, source: Source) -> AttributionClient:
    client = PAPER.register_source(at, source)
    kept: list[Source] = []
    for known in client.sources:
        same = sum(1 for other in kept if other.destination == known.destination)
        if same < MOST:
            kept.append(known)
    return replace(client, sources=tuple(kept))


RULES = replace(PAPER, register_source=register_source)
