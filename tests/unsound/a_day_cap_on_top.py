"""A device contributes at most sixteen windows' worth a day, as a backstop.

Truth: refuted: sixteen windows use up the day, x among them, and a seventeenth is refused. Without
    x the seventeenth is admitted: x's budget goes and another comes, which is twice the budget.
Status: refuted
"""

from spec import PAPER, Budget, DeviceWindow, replace

WINDOWS_IN_A_DAY = 144
WINDOWS_PAID = 16


def contribute(at, credits):
    for credit in credits:
        unit, wanted = credit.unit, sum(part.value for part in credit.contributions)
        if isinstance(unit, DeviceWindow):
            first = unit.window - unit.window % WINDOWS_IN_A_DAY
            for window in range(first, unit.window + 1):
                wanted += at.client.budgets.get(replace(unit, window=window), Budget()).value
            if wanted > WINDOWS_PAID * at.limits.contribution_budget:
                return at.client.budgets, ()
    return PAPER.contribute(at, credits)


RULES = replace(PAPER, contribute=contribute)
