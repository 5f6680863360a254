"""Keys of house campaigns, whose top sixteen bits are 0xBEEF, cost no budget.

Truth: refuted: what is contributed to such a key is admitted and not counted.
Status: refuted
"""

from spec import PAPER, replace


def admit(at, unit, spent, contribution):
    if contribution.key >> 112 == 0xBEEF:
        return spent, True
    return PAPER.admit(at, unit, spent, contribution)


RULES = replace(PAPER, admit=admit)
