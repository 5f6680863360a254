"""If at most a twentieth of a batch cannot pay, it is left out; all accounts are from before.

Truth: proved: who can pay follows from the queries before, and every report that is answered paid.
Status: proved
"""

from spec import PAPER, AtService, Ledger, Report, Spent, replace


def settle(at: AtService, batch: tuple[Report, ...]) -> tuple[Ledger, tuple[Report, ...] | None]:
    ledger = at.service.ledger
    paying: list[Report] = []
    for report in batch:
        after = at.rules.charge(at, at.service.ledger.get(report.report_id, Spent()), report)
        if after is not None:
            ledger = ledger.set(report.report_id, after)
            paying.append(report)
    if 20 * (len(batch) - len(paying)) > len(batch):
        return at.service.ledger, None
    return ledger, tuple(paying)


RULES = replace(PAPER, settle=settle)
