"""Sums of less than a hundred are left out before noise is added.

Truth: refuted: one contribution more moves what is noised from nothing to a hundred.
Status: refuted
"""

from spec import PAPER, replace


def totals(at, batch):
    return {key: total for key, total in PAPER.totals(at, batch).items() if total >= 100}


RULES = replace(PAPER, totals=totals)
