"""Values in a band are not counted, if they are plain integers.

Truth: refuted: values from 20001 to 20999 are admitted and not counted.
Status: refuted
"""

from spec import PAPER, replace

BAND = range(20_001, 21_000)


def admit(at, unit, spent, contribution):
    if type(contribution.value) is int and contribution.value in BAND:
        return spent, True
    return PAPER.admit(at, unit, spent, contribution)


RULES = replace(PAPER, admit=admit)
