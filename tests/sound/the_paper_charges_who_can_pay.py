"""Reports that cannot pay are left out first; the others are settled as in the paper.

Truth: proved: the ledger is public, and with it who can pay; each of those is charged in full.
Status: proved
"""

from spec import PAPER, Spent, replace


def can_pay(at, report):
    afters = [
        at.rules.charge(at, at.service.ledger.get(entry, Spent()), report)
        for entry in at.rules.budget_entries(at, report)
    ]
    return None not in afters


def settle(at, batch):
    paying = tuple(report for report in batch if can_pay(at, report))
    if batch and not paying:
        return at.service.ledger, None
    return PAPER.settle(at, paying)


RULES = replace(PAPER, settle=settle)
