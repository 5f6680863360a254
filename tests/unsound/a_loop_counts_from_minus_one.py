"""A loop of its own grants what is left of a budget, and counts from minus one.

Truth: refuted: every credit of a source is granted one more than is counted.
Status: refuted
"""

from spec import PAPER, Budget, Credit, replace
from spec.reports import is_contribution


def contribute(at, credits):
    budgets = at.client.budgets
    granted = []
    for credit in credits:
        account = budgets.get(credit.unit, Budget())
        parts = []
        used = -1
        for wanted in filter(is_contribution, credit.contributions):
            value = min(wanted.value, at.limits.contribution_budget - account.value - used)
            if value <= 0 or account.count + len(parts) >= at.limits.sparsity_budget:
                continue
            parts.append(replace(wanted, value=value))
            used += value
        if parts:
            after = Budget(value=account.value + used, count=account.count + len(parts))
            budgets = budgets.set(credit.unit, after)
            granted.append(Credit(unit=credit.unit, contributions=tuple(parts)))
    return budgets, tuple(granted)


RULES = replace(PAPER, contribute=contribute)
