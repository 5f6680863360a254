"""A new source inherits what the expired sources of its destination have left unused.

Truth: refuted: one source expires unused, the next inherits its budget and contributes twice as
    much as the noise hides.
Status: refuted
"""

from spec import PAPER, Budget, replace


def register_source(at, source):
    left = 0
    for other in at.client.sources:
        if other.destination == source.destination and other.expiry <= at.now:
            used = at.client.budgets[other.source_id].value
            left = max(left, at.limits.contribution_budget - used)
    client = PAPER.register_source(at, source)
    return replace(client, budgets=client.budgets.set(source.source_id, Budget(value=-left)))


RULES = replace(PAPER, register_source=register_source)
