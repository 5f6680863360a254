"""A credit is granted as a whole once a part of it was admitted.

Truth: refuted: the loop ends at the part that does not fit, and the whole credit is granted, so
    that this part is contributed and not counted.
Status: refuted
"""

from spec import PAPER, Budget, Contribution, replace


def contributions(at, source):
    if at.cause.value < 1:
        return ()
    key = source.key | at.cause.key
    return Contribution(key=key, value=1), Contribution(key=key, value=at.cause.value)


def contribute(at, credits):
    budgets = at.client.budgets
    granted = []
    for credit in credits:
        before = budgets.get(credit.unit, Budget())
        spent = before
        for part in credit.contributions:
            spent, fits = at.rules.admit(at, credit.unit, spent, part)
            if not fits:
                break
        if spent != before:
            budgets = budgets.set(credit.unit, spent)
            granted.append(credit)
    return budgets, tuple(granted)


RULES = replace(PAPER, contributions=contributions, contribute=contribute)
