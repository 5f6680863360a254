"""Event level: noise is computed for a hundred outputs more than there are.

Truth: proved: with probability p of the truth the ratio is 1 + |O| p / (1 - p), which falls with p.
Status: proved
"""

from spec import PAPER, replace


def truth_probability(power, size):
    return PAPER.truth_probability(power, size + 100)


RULES = replace(PAPER, truth_probability=truth_probability)
