"""Reports that can pay are chosen for each priority, so that one with both is answered twice.

Truth: refuted: a query charges an entry once, and sums a report as often as it is in the batch.
Status: refuted
"""

from spec import PAPER, replace

PRIORITIES = (2, 3)


def settle(at, batch):
    return PAPER.settle(at, tuple(r for r in batch for p in PRIORITIES if r.report_id % p == 0))


RULES = replace(PAPER, settle=settle)
