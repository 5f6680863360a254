"""A device keeps its five newest sources; older ones are forgotten.

Truth: refuted: an identifier that was pushed out is registered again, with a fresh budget.
Status: refuted
"""

from spec import PAPER, replace

MOST = 5


def register(at, source):
    client = PAPER.register_source(at, source)
    return replace(client, sources=client.sources[:MOST])


RULES = replace(PAPER, register_source=register)
