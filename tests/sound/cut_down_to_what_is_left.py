"""A contribution that does not fit is cut down to what is left of the budget.

Truth: proved: a unit never gets more than Λ1 in sum nor more than Λ0 contributions, since every
    cut value is at most the room that is left and is counted. Budgets are per unit, so what
    other units are granted is the same in both worlds. One report leaves per trigger and event
    as before, null if nothing was granted.
Status: proved
"""

from spec import PAPER, AtContribution, Budget, Budgets, Contribution, Credit, replace
from spec.reports import is_contribution


def contribute(
    at: AtContribution, credits: tuple[Credit, ...]
) -> tuple[Budgets, tuple[Credit, ...]]:
    budgets = at.client.budgets
    granted = []
    for credit in credits:
        spent = budgets.get(credit.unit, Budget())
        kept: list[Contribution] = []
        for wanted in filter(is_contribution, credit.contributions):
            room = at.limits.contribution_budget - spent.value
            value = min(wanted.value, room)
            if value <= 0 or spent.count >= at.limits.sparsity_budget:
                continue
            kept.append(replace(wanted, value=value))
            spent = Budget(value=spent.value + value, count=spent.count + 1)
        if kept:
            budgets = budgets.set(credit.unit, spent)
            granted.append(Credit(unit=credit.unit, contributions=tuple(kept)))
    return budgets, tuple(granted)


RULES = replace(PAPER, contribute=contribute)
