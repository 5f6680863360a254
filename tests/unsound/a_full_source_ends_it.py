"""Every source that matches is credited, the newest first, until one of them has no budget left.

Truth: refuted: while x has no budget left, the older sources are granted nothing. Without x each of
    three of them gives its whole budget.
Status: refuted
"""

from spec import PAPER, Budget, Credit, replace


def attribute(at, draw):
    return at.client, tuple(
        Credit(unit=source.source_id, contributions=at.rules.contributions(at, source))
        for source in at.client.sources
        if at.rules.matches(at, source)
    )


def contribute(at, credits):
    fitting = []
    for credit in credits:
        spent = at.client.budgets.get(credit.unit, Budget()).value
        asked = sum(part.value for part in credit.contributions)
        if spent + asked > at.limits.contribution_budget:
            break
        fitting.append(credit)
    return PAPER.contribute(at, tuple(fitting))


RULES = replace(PAPER, attribute=attribute, contribute=contribute)
