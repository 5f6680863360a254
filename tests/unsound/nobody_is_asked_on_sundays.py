"""A credit is granted if all of its parts were admitted; on Sundays none is asked about.

Truth: refuted: the loop over no parts finds nothing that does not fit, and the whole credit is
    granted and not counted.
Status: refuted
"""

from spec import PAPER, Budget, replace


def contribute(at, credits):
    budgets = at.client.budgets
    granted = []
    for credit in credits:
        spent = budgets.get(credit.unit, Budget())
        asked = credit.contributions if at.now // 86400 % 7 else ()
        for part in asked:
            spent, fits = at.rules.admit(at, credit.unit, spent, part)
            if not fits:
                break
        else:
            budgets = budgets.set(credit.unit, spent)
            granted.append(credit)
    return budgets, tuple(granted)


RULES = replace(PAPER, contribute=contribute)
