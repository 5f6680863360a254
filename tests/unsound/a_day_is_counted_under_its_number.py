"""The service counts the queries of a day in the ledger, under the number of the day.

Truth: refuted: a report may have this number as its identifier, and is then charged nothing.
Status: refuted
"""

from spec import PAPER, Spent, replace


def settle(at, batch):
    day = at.now // 86400
    asked = at.service.ledger.get(day, Spent())
    ledger, accepted = PAPER.settle(at, batch)
    if accepted is None:
        return ledger, None
    return ledger.set(day, Spent(queries=asked.queries + 1)), accepted


RULES = replace(PAPER, settle=settle)
