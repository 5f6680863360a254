"""A batch is refused by what entries held before the query, and charged by what they hold by now.

Truth: refuted: an entry of two reports cannot pay twice; it then holds None, and begins anew.
Status: refuted
"""

from spec import PAPER, Spent, replace


def budget_entries(at, report):
    return (report.report_id // 2,)


def charge(at, spent, report):
    return PAPER.charge(at, Spent() if spent is None else spent, report)


def settle(at, batch):
    ledger = at.service.ledger
    for report in batch:
        for entry in at.rules.budget_entries(at, report):
            asked = at.rules.charge(at, at.service.ledger.get(entry, Spent()), report)
            after = at.rules.charge(at, ledger.get(entry, Spent()), report)
            if asked is None:
                return at.service.ledger, None
            ledger = ledger.set(entry, after)
    return ledger, batch


RULES = replace(PAPER, budget_entries=budget_entries, charge=charge, settle=settle)
