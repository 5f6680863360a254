"""Every matching source is credited, and each grants its parts if all of them fit, or none.

Truth: proved: what a source grants is counted in its own budget, and depends on no other source.
Status: proved
"""

from spec import PAPER, Budget, Contribution, Credit, replace
from spec.reports import is_contribution


def contributions(at, source):
    value = at.cause.value
    both = (source.key | at.cause.key, value), (at.cause.key, value // 2)
    return tuple(Contribution(key=key, value=part) for key, part in both if part > 0)


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
        parts, all_fit = [], True
        for part in filter(is_contribution, credit.contributions):
            spent, fits = at.rules.admit(at, credit.unit, spent, part)
            if fits:
                parts.append(part)
            else:
                all_fit = False
        if all_fit and parts:
            budgets = budgets.set(credit.unit, spent)
            granted.append(replace(credit, contributions=tuple(parts)))
    return budgets, tuple(granted)


RULES = replace(PAPER, attribute=attribute, contributions=contributions, contribute=contribute)
