"""A refusal names the reports that cannot pay.

Truth: proved: the ledger is charged whatever reports hold, so that who cannot pay is public.
Status: proved
"""

from spec import PAPER, Aborted, Spent, replace


def reveal(at, batch, outcome):
    if not isinstance(outcome, Aborted):
        return outcome
    ledger = at.service.ledger
    return "refused", tuple(
        report.report_id
        for report in batch
        if at.rules.charge(at, ledger.get(report.report_id, Spent()), report) is None
    )


RULES = replace(PAPER, reveal=reveal)
