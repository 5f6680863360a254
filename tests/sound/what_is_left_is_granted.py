"""A contribution that does not fit is clipped to what is left of the budget, not dropped.

Truth: proved: What a unit is granted in total stays within L1 in value and L0 in number: a
    clipped value uses up exactly what is left. Each unit has its own budget, so nobody else is
    granted more or less because of x. The number of reports and what is shown of them stay as
    they are.
Status: proved
"""

from spec import PAPER, AtContribution, Budget, Budgets, Contribution, Credit, replace
from spec.reports import is_contribution


def clip(
    at: AtContribution, spent: Budget, parts: tuple[Contribution, ...]
) -> tuple[Budget, list[Contribution]]:
    fitting = []
    for part in parts:
        if not is_contribution(part):
            continue
        left = at.limits.contribution_budget - spent.value
        value = min(part.value, left)
        if value <= 0 or spent.count >= at.limits.sparsity_budget:
            continue
        spent = replace(spent, value=spent.value + value, count=spent.count + 1)
        fitting.append(replace(part, value=value))
    return spent, fitting


def contribute(
    at: AtContribution, credits: tuple[Credit, ...]
) -> tuple[Budgets, tuple[Credit, ...]]:
    budgets = at.client.budgets
    granted = []
    for credit in credits:
        spent, fitting = clip(at, budgets.get(credit.unit, Budget()), credit.contributions)
        if fitting:
            budgets = budgets.set(credit.unit, spent)
            granted.append(replace(credit, contributions=tuple(fitting)))
    return budgets, tuple(granted)


RULES = replace(PAPER, contribute=contribute)
