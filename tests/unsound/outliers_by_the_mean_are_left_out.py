"""Contributions of more than ten times the mean of the batch are left out.

Truth: refuted: x moves the mean, so that a large contribution of another source counts with x and
    not without.
Status: refuted
"""

from spec import PAPER, replace


def totals(at, batch):
    values = [part.value for report in batch for part in report.contributions]
    sums = {}
    for report in batch:
        for part in report.contributions:
            if part.value * len(values) <= 10 * sum(values):
                sums[part.key] = sums.get(part.key, 0) + part.value
    return sums


RULES = replace(PAPER, totals=totals)
