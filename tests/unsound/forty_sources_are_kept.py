"""A device keeps the forty newest sources, and forgets older ones.

Truth: refuted: after forty others x may be registered again, and its budget is full again.
Status: refuted
"""

from spec import PAPER, replace


def register_source(at, source):
    client = PAPER.register_source(at, source)
    return replace(client, sources=client.sources[:40])


RULES = replace(PAPER, register_source=register_source)
