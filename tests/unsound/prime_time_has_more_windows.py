"""Windows of PAA last five minutes in the evening, with a budget each.

Truth: refuted: the unit stays a window of ten minutes, and has two budgets.
Status: refuted
"""

from spec import PAPER, replace


def unit(at):
    usual = PAPER.budget_unit(at)
    if 20 <= at.now // 3600 % 24 < 22:
        return replace(usual, window=-1 - at.now // 300)
    return usual


RULES = replace(PAPER, budget_unit=unit)
