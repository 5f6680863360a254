"""The first report of a batch is charged once, and stands twice among those that are answered.

Truth: refuted: a report that counts twice moves a sum by twice its value, and the noise is that for
    once.
Status: refuted
"""

from spec import PAPER, Spent, replace


def begun_with(report):
    accepted = []
    accepted.append(report)
    return accepted


def settle(at, batch):
    ledger = at.service.ledger
    for report in batch:
        after = at.rules.charge(at, ledger.get(report.report_id, Spent()), report)
        if after is None:
            return ledger, None
        ledger = ledger.set(report.report_id, after)
        accepted = begun_with(report)
        accepted.append(report)
        return ledger, tuple(accepted)
    return ledger, None


RULES = replace(PAPER, settle=settle)
