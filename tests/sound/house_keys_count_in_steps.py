"""Values of keys that begin with 0xBEEF count in steps of sixteen, and those of five keys never.

Truth: proved: each value is rounded down by itself, before it is added, or left out.
Status: proved
"""

from spec import PAPER, replace

RETIRED = frozenset({3, 5, 7, 2**64, 2**127})


def totals(at, batch):
    sums = {}
    for report in batch:
        for part in report.contributions:
            if part.key in RETIRED:
                continue
            step = 16 if part.key >> 112 == 0xBEEF else 1
            sums[part.key] = sums.get(part.key, 0) + part.value - part.value % step
    return sums


RULES = replace(PAPER, totals=totals)
