"""True sums are rounded to the nearest multiple of 1024 before the noise is added.

Truth: refuted: on two keys the rounded sums move by 33 and 32 steps, more than the budget.
Status: refuted
"""

from spec import PAPER, replace

GRAIN = 1024


def totals(at, batch):
    return {
        key: (total + GRAIN // 2) // GRAIN * GRAIN for key, total in PAPER.totals(at, batch).items()
    }


RULES = replace(PAPER, totals=totals)
