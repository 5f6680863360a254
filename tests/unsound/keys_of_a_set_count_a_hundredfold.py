"""What is contributed to the keys of a set counts a hundredfold.

Truth: refuted: one contribution moves the sum of such a key by a hundred times its value.
Status: unknown
"""

from spec import PAPER, replace


def totals(at, batch):
    sums = {}
    for report in batch:
        for part in report.contributions:
            weight = 100 if part.key in frozenset((2**77 + 12345,)) else 1
            sums[part.key] = sums.get(part.key, 0) + weight * part.value
    return sums


RULES = replace(PAPER, totals=totals)
