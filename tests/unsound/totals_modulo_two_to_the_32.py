"""Sums are kept in 32 bits.

Truth: refuted: 65535 others and x give 65536 each, together 2^32, which is kept as zero. Without x
    the sum is 65536 below 2^32. No noise that is usual here hides that.
Status: refuted
"""

from spec import PAPER, replace


def totals(at, batch):
    return {key: value % 2**32 for key, value in PAPER.totals(at, batch).items()}


RULES = replace(PAPER, totals=totals)
