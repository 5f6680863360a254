"""Reports that can pay are charged one by one, and the whole batch is answered.

Truth: refuted: a report that cannot pay any more is not charged and takes part all the same, in any
    number of queries, as long as another report of the batch can pay, or none.
Status: refuted
"""

from spec import PAPER, Spent, replace


def settle(at, batch):
    ledger = at.service.ledger
    for report in batch:
        after = at.rules.charge(at, ledger.get(report.report_id, Spent()), report)
        if after is not None:
            ledger = ledger.set(report.report_id, after)
    return ledger, batch


RULES = replace(PAPER, settle=settle)
