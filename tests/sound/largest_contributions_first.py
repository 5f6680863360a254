"""A report takes the largest contributions first, by a loop that admits them one by one.

Truth: proved: what is granted was admitted on the way from the unit's budget to the one that is
    stored, whatever the order.
Status: not refuted
"""

from spec import PAPER, Budget, Contribution, replace
from spec.reports import checked_contribution


def contributions(at, source):
    value = at.cause.value
    both = (source.key | at.cause.key, value), (at.cause.key, value // 2)
    return tuple(Contribution(key=key, value=part) for key, part in both if part > 0)


def fitting_parts(at, credit, spent):
    fitting = []
    for part in sorted(credit.contributions, key=lambda each: each.value, reverse=True):
        checked_contribution(part)
        spent, fits = at.rules.admit(at, credit.unit, spent, part)
        if fits:
            fitting.append(part)
    return spent, tuple(fitting)


def contribute(at, credits):
    budgets = at.client.budgets
    granted = []
    for credit in credits:
        spent, fitting = fitting_parts(at, credit, budgets.get(credit.unit, Budget()))
        if fitting:
            budgets = budgets.set(credit.unit, spent)
            granted.append(replace(credit, contributions=fitting))
    return budgets, tuple(granted)


RULES = replace(PAPER, contributions=contributions, contribute=contribute)
