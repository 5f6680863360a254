"""Beside an answer stands which reports of the batch could pay for the same query again.

Truth: proved: entries and charges depend on the ledger, which is public, and on no contents.
Status: proved
"""

from spec import PAPER, Spent, replace


def can_pay(at, report):
    for entry in at.rules.budget_entries(at, report):
        if at.rules.charge(at, at.service.ledger.get(entry, Spent()), report) is None:
            return False
    return True


def reveal(at, batch, outcome):
    return outcome, tuple((report.report_id, can_pay(at, report)) for report in batch)


RULES = replace(PAPER, reveal=reveal)
