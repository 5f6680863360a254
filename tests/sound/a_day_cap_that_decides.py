"""A device is credited with at most sixteen windows' worth a day; later programs count for nothing.

Truth: proved: who is credited with what is decided once, on the real data. Without x only the
    credits of x are missing, and those are within the budget of its window.
Status: proved
"""

from spec import PAPER, Budget, replace

WINDOWS_IN_A_DAY = 144
WINDOWS_PAID = 16


def propose(at, draw):
    client, credits = PAPER.propose(at, draw)
    unit = PAPER.budget_unit(at)
    used = sum(part.value for credit in credits for part in credit.contributions)
    for window in range(unit.window - unit.window % WINDOWS_IN_A_DAY, unit.window + 1):
        used += at.client.budgets.get(replace(unit, window=window), Budget()).value
    if used > WINDOWS_PAID * at.limits.contribution_budget:
        return client, ()
    return client, credits


RULES = replace(PAPER, propose=propose)
