"""When something is refused for lack of budget, a 1 is contributed to an error key.

Truth: refuted: the 1 is not taken from the budget, since there is none left. A unit contributes
    Λ1, and then one more to the error key with every further event that is refused. So its L1
    passes Λ1, and one query over all its reports at ε* tells more than ε*.
Status: refuted
"""

from spec import PAPER, AtContribution, Budgets, Contribution, Credit, replace

OUT_OF_BUDGET = Contribution(key=2**127, value=1)


def contribute(
    at: AtContribution, credits: tuple[Credit, ...]
) -> tuple[Budgets, tuple[Credit, ...]]:
    budgets, fitting = PAPER.contribute(at, credits)
    admitted = {credit.unit: credit.contributions for credit in fitting}
    granted: list[Credit] = []
    for credit in credits:
        parts = admitted.get(credit.unit, ())
        if len(parts) < len(credit.contributions):
            parts = (*parts, OUT_OF_BUDGET)
        if parts:
            granted.append(replace(credit, contributions=parts))
    return budgets, tuple(granted)


RULES = replace(PAPER, contribute=contribute)
