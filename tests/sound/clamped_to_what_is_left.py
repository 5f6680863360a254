"""A value that is too large is cut to what is left of the budget, and is charged.

Truth: proved: what is granted is counted, and stays within the budget.
Status: proved
"""

from spec import PAPER, Budget, replace


def contribute(at, credits):
    clamped = []
    for credit in credits:
        left = at.limits.contribution_budget - at.client.budgets.get(credit.unit, Budget()).value
        parts = []
        for part in credit.contributions:
            value = min(part.value, left)
            left -= value
            if value > 0:
                parts.append(replace(part, value=value))
        clamped.append(replace(credit, contributions=tuple(parts)))
    return PAPER.contribute(at, tuple(clamped))


RULES = replace(PAPER, contribute=contribute)
