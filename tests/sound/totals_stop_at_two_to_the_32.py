"""Sums are kept in 32 bits, and one that is too large is kept as the largest there is.

Truth: proved: cutting a sum off never makes a change larger.
Status: not refuted
"""

from spec import PAPER, replace


def totals(at, batch):
    return {key: min(value, 2**32 - 1) for key, value in PAPER.totals(at, batch).items()}


RULES = replace(PAPER, totals=totals)
