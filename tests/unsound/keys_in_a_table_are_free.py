"""A table says at which rate the contributions to a partner's key count; some rates are zero.

Truth: refuted: what is contributed to the key 0x5EED is admitted and not counted.
Status: refuted
"""

from spec import PAPER, replace

RATES = {0xFACADE: 2, 0xDECADE: 1, 0x5EED: 0}


def admit(at, unit, spent, contribution):
    counted = contribution.value * RATES.get(contribution.key, 1)
    return PAPER.admit(at, unit, spent, replace(contribution, value=counted))


RULES = replace(PAPER, admit=admit)
