"""A contribution that does not fit what is left of its source's budget is rejected as bad input.

Truth: refuted: a trigger ends in an error if the source that is credited has used its budget, and
    without the source a null report arrives.
Status: unknown
"""

from spec import PAPER, replace
from spec.reports import checked_value


def admit(at, unit, spent, contribution):
    left = at.limits.contribution_budget - spent.value
    checked_value(left - contribution.value, "what is left of the budget")
    return PAPER.admit(at, unit, spent, contribution)


RULES = replace(PAPER, admit=admit)
