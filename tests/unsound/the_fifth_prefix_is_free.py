"""Contributions to a few reserved keys cost no budget; the first four are no keys at all.

Truth: refuted: what is contributed to the key 7 * 2^20 is admitted and not counted.
Status: refuted
"""

from spec import PAPER, replace

FREE = (3 << 200, 5 << 200, 6 << 200, 9 << 200, 7 << 20)


def admit(at, unit, spent, contribution):
    counted = replace(contribution, value=contribution.value * (contribution.key not in FREE))
    return PAPER.admit(at, unit, spent, counted)


RULES = replace(PAPER, admit=admit)
