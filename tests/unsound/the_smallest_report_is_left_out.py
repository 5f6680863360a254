"""Of each key the report with the smallest value is left out of the sum.

Truth: refuted: let others give the whole budget to a key and x give one. With x the one is left
    out, without x one of the budgets is. So a value of one moves the sum by the budget, under 20
    keys at once.
Status: refuted
"""

from spec import PAPER, replace


def totals(at, batch):
    values = {}
    for report in batch:
        for key, value in PAPER.totals(at, (report,)).items():
            values.setdefault(key, []).append(value)
    return {key: sum(found) - min(found) for key, found in values.items()}


RULES = replace(PAPER, totals=totals)
