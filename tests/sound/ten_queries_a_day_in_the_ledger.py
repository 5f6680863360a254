"""The service answers ten queries a day, and counts them in an entry of the ledger.

Truth: proved: the entry is no report's, and holds what the ad-tech knows.
Status: not refuted
"""

from spec import PAPER, Spent, replace

MOST = 10


def settle(at, batch):
    day = ("queries", at.now // 86400)
    asked = at.service.ledger.get(day, Spent())
    if asked.queries >= MOST:
        return at.service.ledger, None
    ledger, accepted = PAPER.settle(at, batch)
    if accepted is None:
        return ledger, None
    return ledger.set(day, replace(asked, queries=asked.queries + 1)), accepted


RULES = replace(PAPER, settle=settle)
