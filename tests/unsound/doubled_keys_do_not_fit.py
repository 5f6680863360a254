"""A contribution is moved to twice its key before it is admitted.

Truth: refuted: twice a key of 128 bits may be none, and the report that holds it is an error in the
    world with the unit alone.
Status: unknown
"""

from spec import PAPER, Budget, replace


def contribute(at, credits):
    budgets = at.client.budgets
    granted = []
    for credit in credits:
        spent = budgets.get(credit.unit, Budget())
        fitting = []
        for part in credit.contributions:
            moved = replace(part, key=2 * part.key)
            spent, fits = at.rules.admit(at, credit.unit, spent, moved)
            if fits:
                fitting.append(moved)
        if fitting:
            budgets = budgets.set(credit.unit, spent)
            granted.append(replace(credit, contributions=tuple(fitting)))
    return budgets, tuple(granted)


RULES = replace(PAPER, contribute=contribute)
