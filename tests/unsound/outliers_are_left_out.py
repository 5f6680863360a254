"""A value that is larger than the sum of its key so far counts as an outlier and is left out.

Truth: refuted: let x give one to a key before others give it the whole budget each. With x all of
    them are outliers, without x none is. So a value of one moves the sum by as much as all others
    give.
Status: refuted
"""

from spec import PAPER, replace


def totals(at, batch):
    sums = {}
    for report in batch:
        for part in report.contributions:
            if 0 < sums.get(part.key, 0) < part.value:
                continue
            sums[part.key] = sums.get(part.key, 0) + part.value
    return sums


RULES = replace(PAPER, totals=totals)
