"""A table says at which rate the contributions to a partner's key count; no rate is below one.

Truth: proved: every contribution is counted with at least its value.
Status: proved
"""

from spec import PAPER, replace

RATES = {0xFACADE: 2, 0xDECADE: 3, 0x5EED: 1}


def admit(at, unit, spent, contribution):
    counted = contribution.value * RATES.get(contribution.key, 1)
    return PAPER.admit(at, unit, spent, replace(contribution, value=counted))


RULES = replace(PAPER, admit=admit)
