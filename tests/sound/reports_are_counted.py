"""With an answer the service shows how many reports the batch has.

Truth: proved: the ad-tech listed them, and null reports count like others.
Status: proved
"""

from spec import PAPER, replace


def reveal(at, batch, outcome):
    return outcome, len(batch)


RULES = replace(PAPER, reveal=reveal)
