"""A loop of its own grants what is left of a budget, and counts nothing of what was cut.

Truth: refuted: a value above what is left is granted what is left as often as it is asked for.
Status: refuted
"""

from spec import PAPER, Budget, replace
from spec.reports import is_contribution


def contribute(at, credits):
    budgets = at.client.budgets
    granted = []
    for credit in credits:
        spent = budgets.get(credit.unit, Budget())
        kept = []
        for part in filter(is_contribution, credit.contributions):
            spent, fits = at.rules.admit(at, credit.unit, spent, part)
            left = at.limits.contribution_budget - spent.value
            if fits:
                kept.append(part)
            elif left > 0:
                kept.append(replace(part, value=min(part.value, left)))
        budgets = budgets.set(credit.unit, spent)
        if kept:
            granted.append(replace(credit, contributions=tuple(kept)))
    return budgets, tuple(granted)


RULES = replace(PAPER, contribute=contribute)
