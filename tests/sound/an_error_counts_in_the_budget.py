"""When something is refused for lack of budget, a 1 is contributed to an error key.

Truth: proved: the error contribution goes through `admit` like any other, so the unit's L1 and
    L0 stay within Λ1 and Λ0. Whether there is an error depends on the unit's own budget alone;
    without x its error contributions are gone too, and nobody else's change. Reports leave as
    before.
Status: proved
"""

from spec import PAPER, AtContribution, Budget, Budgets, Contribution, Credit, replace
from spec.reports import is_contribution

OUT_OF_BUDGET_KEY = 2**127


def contribute(
    at: AtContribution, credits: tuple[Credit, ...]
) -> tuple[Budgets, tuple[Credit, ...]]:
    budgets = at.client.budgets
    granted: list[Credit] = []
    for credit in credits:
        spent = budgets.get(credit.unit, Budget())
        kept: list[Contribution] = []
        refused = False
        for each in credit.contributions:
            if not is_contribution(each):
                continue
            spent, fits = at.rules.admit(at, credit.unit, spent, each)
            if fits:
                kept.append(each)
            else:
                refused = True
        if refused:
            error = Contribution(key=OUT_OF_BUDGET_KEY, value=1)
            spent, fits = at.rules.admit(at, credit.unit, spent, error)
            if fits:
                kept.append(error)
        budgets = budgets.set(credit.unit, spent)
        if kept:
            granted.append(replace(credit, contributions=tuple(kept)))
    return budgets, tuple(granted)


RULES = replace(PAPER, contribute=contribute)
