"""A credit is granted as a whole or not at all, so that no report holds half of its histogram.

Truth: proved: Every contribution is still admitted by the paper's rule, one after the other, on
    the unit's own budget. If one does not fit, the budget goes back to what it was and nothing
    is granted, so granted values never exceed what was charged. Nothing here looks at another
    unit's budget.
Status: proved
"""

from spec import PAPER, AtContribution, Budget, Budgets, Credit, replace
from spec.reports import is_contribution


def admit_all(at: AtContribution, credit: Credit) -> Budget | None:
    """Return the unit's budget after the whole credit, or None if some part does not fit."""
    spent = at.client.budgets.get(credit.unit, Budget())
    for contribution in credit.contributions:
        if not is_contribution(contribution):
            return None
        spent, fits = at.rules.admit(at, credit.unit, spent, contribution)
        if not fits:
            return None
    return spent


def contribute(
    at: AtContribution, credits: tuple[Credit, ...]
) -> tuple[Budgets, tuple[Credit, ...]]:
    """Grant the credits that fit as a whole, each after the ones before it."""
    granted: list[Credit] = []
    for credit in credits:
        if not credit.contributions:
            continue
        after = admit_all(at, credit)
        if after is None:
            continue
        budgets = at.client.budgets.set(credit.unit, after)
        at = replace(at, client=replace(at.client, budgets=budgets))
        granted.append(credit)
    return at.client.budgets, tuple(granted)


RULES = replace(PAPER, contribute=contribute)
