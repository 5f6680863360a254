"""Contributions to a reserved key are admitted and not counted; small games try this key, too.

Truth: refuted: two triggers of the whole budget each move one sum by twice the budget.
Status: refuted
"""

from spec import PAPER, replace

RESERVED = frozenset({4096})


def admit(at, unit, spent, contribution):
    if contribution.key in RESERVED:
        return spent, True
    return PAPER.admit(at, unit, spent, contribution)


RULES = replace(PAPER, admit=admit)
