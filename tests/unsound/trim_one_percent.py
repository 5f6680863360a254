"""Sums are trimmed: for every key the smallest and the largest one percent of reports are left out.

Truth: refuted: let 99 others give the whole budget to a key and x give one. With x there are 100
    reports, two are cut off, and 98 budgets are left. Without x nothing is cut off: 99 are left.
    So a value of one moves a sum by the budget, and a unit may do so under 20 keys at once.
Status: refuted
"""

from spec import PAPER, replace


def trimmed(at, batch):
    values = {}
    for report in batch:
        for key, value in PAPER.totals(at, (report,)).items():
            values.setdefault(key, []).append(value)
    sums = {}
    for key, found in values.items():
        cut = len(found) // 100
        sums[key] = sum(sorted(found)[cut : len(found) - cut])
    return sums


RULES = replace(PAPER, totals=trimmed)
