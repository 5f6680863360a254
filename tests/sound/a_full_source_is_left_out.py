"""Every source that matches is credited, and one that has too little budget left gives nothing.

Truth: proved: attribution is the same in both worlds, and each credit is granted by itself.
Status: proved
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
        if spent + asked <= at.limits.contribution_budget:
            fitting.append(credit)
    return PAPER.contribute(at, tuple(fitting))


RULES = replace(PAPER, attribute=attribute, contribute=contribute)
