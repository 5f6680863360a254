"""A batch with fewer than ten reports that carry something is refused.

Truth: refuted: with nine others the batch is answered with x and refused without x.
Status: refuted
"""

from spec import PAPER, replace


def settle(at, batch):
    if sum(not report.is_null for report in batch) < 10:
        return at.service.ledger, None
    return PAPER.settle(at, batch)


RULES = replace(PAPER, settle=settle)
