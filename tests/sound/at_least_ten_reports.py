"""A batch with fewer than ten reports is refused.

Truth: proved: the size of a batch is public, and null reports count like others.
Status: proved
"""

from spec import PAPER, replace


def settle(at, batch):
    return (at.service.ledger, None) if len(batch) < 10 else PAPER.settle(at, batch)


RULES = replace(PAPER, settle=settle)
