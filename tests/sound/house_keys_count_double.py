"""Contributions to house keys, whose top sixteen bits are 0xBEEF, are counted twice.

Truth: proved: every contribution is counted with at least its value.
Status: proved
"""

from spec import PAPER, replace


def admit(at, unit, spent, contribution):
    if contribution.key >> 112 == 0xBEEF:
        contribution = replace(contribution, value=2 * contribution.value)
    return PAPER.admit(at, unit, spent, contribution)


RULES = replace(PAPER, admit=admit)
