"""The service leaves out the reports over budget and answers for the rest.

A batch is never refused. Every report that can pay is charged and counts, the others do not. Which
ones those are follows from the ledger, and the ledger from the queries: it is public. This is what
an individual privacy filter does.

Origin: individual filters, Lemma 4.11 of the paper
Neighbours: attribution fixed (ARA), null store (PAA)
Expected: holds
"""

from spec import PAPER, AtService, Ledger, Report, Rules, Spent, replace


def settle(at: AtService, batch: tuple[Report, ...]) -> tuple[Ledger, tuple[Report, ...] | None]:
    """Charge the reports that can pay; return the ledger and those reports."""
    ledger, paying = at.service.ledger, list[Report]()
    for report in batch:
        after = at.rules.charge(at, ledger.get(report.report_id, Spent()), report)
        if after is not None:
            ledger = ledger.set(report.report_id, after)
            paying.append(report)
    return ledger, tuple(paying)


RULES: Rules = replace(PAPER, settle=settle)
