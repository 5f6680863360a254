"""A device keeps its five newest sources, and an identifier with a budget stays taken.

Truth: proved: no budget is ever refilled.
Status: not refuted
"""

from spec import PAPER, DuplicateSource, replace

MOST = 5


def register(at, source):
    if source.source_id in at.client.budgets:
        raise DuplicateSource(f"source {source.source_id!r} was registered before")
    client = PAPER.register_source(at, source)
    return replace(client, sources=client.sources[:MOST])


RULES = replace(PAPER, register_source=register)
