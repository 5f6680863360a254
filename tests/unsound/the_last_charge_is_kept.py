"""Reports are charged one by one, and each charge is written into the ledger from before the query.

Truth: refuted: of a batch only the last report is charged, so that a report that is named first can
    be asked for without end.
Status: refuted
"""

from spec import PAPER, Spent, replace


def settle(at, batch):
    ledger = at.service.ledger
    for report in batch:
        after = at.rules.charge(at, at.service.ledger.get(report.report_id, Spent()), report)
        if after is None:
            return at.service.ledger, None
        ledger = at.service.ledger.set(report.report_id, after)
    return ledger, batch


RULES = replace(PAPER, settle=settle)
