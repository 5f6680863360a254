"""A batch is answered from the reports that can pay, if these are at least half of it.

Truth: proved: who can pay is read off the ledger, and whoever is answered has paid for every entry.
Status: proved
"""

from spec import PAPER, Spent, replace


def settle(at, batch):
    ledger, charged, paying = at.service.ledger, {}, []
    for report in batch:
        rows = {}
        for entry in at.rules.budget_entries(at, report):
            if entry in charged:
                continue
            after = at.rules.charge(at, ledger.get(entry, Spent()), report)
            if after is None:
                break
            rows[entry] = after
        else:
            charged.update(rows)
            paying.append(report)
    if 2 * len(paying) < len(batch):
        return ledger, None
    return ledger.update(charged), tuple(paying)


RULES = replace(PAPER, settle=settle)
