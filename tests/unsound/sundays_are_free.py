"""The service charges nobody on Sundays, by a loop over nobody.

Truth: refuted: the batch is answered on a Sunday, and no report of it has paid.
Status: refuted
"""

from spec import PAPER, Spent, replace


def settle(at, batch):
    ledger = at.service.ledger
    payers = batch if at.now // 86400 % 7 else ()
    for report in payers:
        for entry in at.rules.budget_entries(at, report):
            after = at.rules.charge(at, ledger.get(entry, Spent()), report)
            if after is None:
                return at.service.ledger, None
            ledger = ledger.set(entry, after)
    return ledger, batch


RULES = replace(PAPER, settle=settle)
