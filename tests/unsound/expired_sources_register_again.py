"""A source that has expired may be registered again under its identifier.

Truth: refuted: registering refills the budget: a trigger before and one after it give all of it
    each.
Status: refuted
"""

from spec import PAPER, replace


def register(at, source):
    left = tuple(
        s for s in at.client.sources if s.source_id != source.source_id or at.now < s.expiry
    )
    return PAPER.register_source(replace(at, client=replace(at.client, sources=left)), source)


RULES = replace(PAPER, register_source=register)
