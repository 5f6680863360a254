"""A contribution counts for nothing if its value is that of the contribution before.

Truth: refuted: let x give one between two contributions that give the whole budget to the same
    key. With x both count, without x only the first does. So a value of one moves the sum by the
    budget, under 20 keys at once.
Status: refuted
"""

from spec import PAPER, replace


def totals(at, batch):
    sums = {}
    before = 0
    for report in batch:
        for part in report.contributions:
            if part.value != before:
                sums[part.key] = sums.get(part.key, 0) + part.value
            before = part.value
    return sums


RULES = replace(PAPER, totals=totals)
