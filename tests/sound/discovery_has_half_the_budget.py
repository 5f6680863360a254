"""Refuse key discovery once half of a report's budget is spent.

Truth: proved: how a query asks is public, and whatever is answered has passed the paper's own test.
Status: proved
"""

from spec import PAPER, AtService, Report, Spent, replace


def charge(at: AtService, spent: Spent, report: Report) -> Spent | None:
    after = PAPER.charge(at, spent, report)
    if after is None:
        return None
    if at.query.discovers_keys and 2 * after.epsilon > at.limits.epsilon:
        return None
    return after


RULES = replace(PAPER, charge=charge)
