"""A value that is too large is cut to what is left of the budget, and a cut value is not charged.

Truth: refuted: with nothing spent every value above the budget is cut to the budget and is free.
Status: refuted
"""

from spec import PAPER, Budget, replace


def contribute(at, credits):
    budgets, granted = PAPER.contribute(at, credits)
    if granted:
        return budgets, granted
    cut = []
    for credit in credits:
        left = at.limits.contribution_budget - budgets.get(credit.unit, Budget()).value
        parts = tuple(replace(part, value=left) for part in credit.contributions if left > 0)
        if parts:
            cut.append(replace(credit, contributions=parts[:1]))
    return budgets, tuple(cut)


RULES = replace(PAPER, contribute=contribute)
