"""A loop of its own grants what is left of a budget where more is asked for, and counts that.

Truth: proved: the value that is granted is the one that is counted, within the unit's own budget.
Status: proved
"""

from spec import PAPER, Budget, replace
from spec.reports import is_contribution


def contribute(at, credits):
    budgets = at.client.budgets
    granted = []
    for credit in credits:
        spent = budgets.get(credit.unit, Budget())
        kept = []
        for part in credit.contributions:
            if not is_contribution(part):
                continue
            left = at.limits.contribution_budget - spent.value
            cut = replace(part, value=min(part.value, left))
            if cut.value == 0:
                continue
            spent, fits = at.rules.admit(at, credit.unit, spent, cut)
            if fits:
                kept.append(cut)
        budgets = budgets.set(credit.unit, spent)
        if kept:
            granted.append(replace(credit, contributions=tuple(kept)))
    return budgets, tuple(granted)


RULES = replace(PAPER, contribute=contribute)
