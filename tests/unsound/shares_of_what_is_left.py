"""Values are scaled by how often what is left of a budget goes into the whole budget.

Truth: refuted: a source with nothing left makes the division fail, so that no report arrives, and
    without the source a null report does.
Status: unknown
"""

from spec import PAPER, Budget, replace


def scaled(at, credit):
    used = at.client.budgets.get(credit.unit, Budget()).value
    most = at.limits.contribution_budget
    scale = most // (most - used)
    parts = tuple(replace(each, value=each.value * scale) for each in credit.contributions)
    return replace(credit, contributions=parts)


def contribute(at, credits):
    return PAPER.contribute(at, tuple(scaled(at, each) for each in credits))


RULES = replace(PAPER, contribute=contribute)
