"""A credit is granted as a whole, or not at all.

Truth: proved: a credit is granted if every part of it was admitted, and then all are counted.
Status: not refuted
"""

from spec import PAPER, Budget, replace


def contribute(at, credits):
    budgets = at.client.budgets
    granted = []
    for credit in credits:
        spent = budgets.get(credit.unit, Budget())
        for part in credit.contributions:
            spent, fits = at.rules.admit(at, credit.unit, spent, part)
            if not fits:
                break
        else:
            budgets = budgets.set(credit.unit, spent)
            granted.append(credit)
    return budgets, tuple(granted)


RULES = replace(PAPER, contribute=contribute)
