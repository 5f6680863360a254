"""Every report is charged in the ledger from before the query, so that one charge is kept.

Truth: refuted: all reports of a batch but the last one can be asked for again and again.
Status: refuted
"""

from spec import PAPER, AtService, Ledger, Report, Spent, replace


def settle(at: AtService, batch: tuple[Report, ...]) -> tuple[Ledger, tuple[Report, ...] | None]:
    ledger = at.service.ledger
    paying: list[Report] = []
    for report in batch:
        after = at.rules.charge(at, at.service.ledger.get(report.report_id, Spent()), report)
        if after is None:
            return at.service.ledger, None
        ledger = at.service.ledger.set(report.report_id, after)
        paying.append(report)
    return ledger, tuple(paying)


RULES = replace(PAPER, settle=settle)
