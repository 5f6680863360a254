"""An answer shows what each report would be charged from an account that was never opened.

Such an account is charged for every contribution of a report.

Truth: refuted: how many contributions a report holds is shown beside the answer.
Status: refuted
"""

from spec import PAPER, Spent, replace

NEVER_OPENED = Spent(queries=-1)


def charge(at, spent, report):
    if spent.queries < 0:
        return replace(spent, queries=len(report.contributions))
    return PAPER.charge(at, spent, report)


def reveal(at, batch, outcome):
    return outcome, tuple(at.rules.charge(at, NEVER_OPENED, report) for report in batch)


RULES = replace(PAPER, charge=charge, reveal=reveal)
