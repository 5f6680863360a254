"""Where reports are filed as in the paper, one that was asked for a thousand times pays no more.

Truth: refuted: reports are filed as in the paper, so that from then on every query is free.
Status: unknown
"""

from spec import PAPER, replace


def charge(at, spent, report):
    if spent.queries > 1000 and at.rules.budget_entries == PAPER.budget_entries:
        return spent
    return PAPER.charge(at, spent, report)


RULES = replace(PAPER, charge=charge)
