"""Every value is added to the sum of its key, and to a grand total under key 0 as well.

Truth: refuted: x gives the whole budget to key 1. It moves the sum of key 1 and the grand total by
    the budget each.
Status: refuted
"""

from spec import PAPER, replace


def totals(at, batch):
    sums = {}
    for report in batch:
        for part in report.contributions:
            sums[part.key] = sums.get(part.key, 0) + part.value
            if part.key > 0:
                sums[0] = sums.get(0, 0) + part.value
    return sums


RULES = replace(PAPER, totals=totals)
