"""A query with more than 64 reports and an eighth of the contribution budget more is refused.

Truth: proved: what is refused follows from the size of the batch, which is public.
Status: proved
"""

from spec import PAPER, replace


def settle(at, batch):
    if len(batch) > 64 + at.limits.contribution_budget // 8:
        return at.service.ledger, None
    return PAPER.settle(at, batch)


RULES = replace(PAPER, settle=settle)
