"""Beside the answer it is shown how many thousand reports of the batch carry something.

Truth: refuted: in a batch of 999 others that carry something the report of the unit makes the
    difference between none and one.
Status: refuted
"""

from spec import PAPER, replace

SHOWN_IN = 1000


def reveal(at, batch, outcome):
    carrying = sum(1 for report in batch if not report.is_null)
    return PAPER.reveal(at, batch, outcome), carrying // SHOWN_IN


RULES = replace(PAPER, reveal=reveal)
