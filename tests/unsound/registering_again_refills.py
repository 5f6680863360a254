"""A source that is registered again takes the place of the earlier one, and begins anew.

Truth: refuted: the unit is the source with its identifier. Registered twice it contributes its
    budget twice.
Status: refuted
"""

from spec import PAPER, replace


def register_source(at, source):
    others = tuple(each for each in at.client.sources if each.source_id != source.source_id)
    return PAPER.register_source(replace(at, client=replace(at.client, sources=others)), source)


RULES = replace(PAPER, register_source=register_source)
