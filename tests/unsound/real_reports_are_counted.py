"""With an answer the service shows how many reports of the batch carry something.

Truth: refuted: the number is exact, and the report of x counts in it.
Status: refuted
"""

from spec import PAPER, replace


def reveal(at, batch, outcome):
    return outcome, sum(not report.is_null for report in batch)


RULES = replace(PAPER, reveal=reveal)
