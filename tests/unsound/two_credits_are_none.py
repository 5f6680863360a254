"""Every source that matches is credited, and nothing is granted if there are two.

Truth: refuted: a source that has spent its budget keeps any number of others from contributing.
Status: refuted
"""

from spec import PAPER, Budget, Credit, replace
from spec.reports import checked_contribution


def attribute(at, draw):
    return at.client, tuple(
        Credit(unit=source.source_id, contributions=at.rules.contributions(at, source))
        for source in at.client.sources
        if at.rules.matches(at, source)
    )


def contribute(at, credits):
    budgets = at.client.budgets
    granted = []
    for credit in credits:
        spent = budgets.get(credit.unit, Budget())
        fitting = []
        for part in credit.contributions:
            checked_contribution(part)
            spent, fits = at.rules.admit(at, credit.unit, spent, part)
            if fits:
                fitting.append(part)
        budgets = budgets.set(credit.unit, spent)
        granted.append(replace(credit, contributions=tuple(fitting)))
    count = 0
    for _ in granted:
        count += 1
    return budgets, () if count > 1 else tuple(granted)


RULES = replace(PAPER, attribute=attribute, contribute=contribute)
