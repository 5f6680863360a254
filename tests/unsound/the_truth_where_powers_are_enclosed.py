"""Event level: the truth is told wherever e^epsilon is not equal to itself, as enclosures are not.

Truth: refuted: with base e, as the limits are, the truth probability is always one.
Status: unknown
"""

from spec import PAPER, replace


def told(power, size):
    if power == power:
        return PAPER.truth_probability(power, size)
    return power - power + 1


RULES = replace(PAPER, truth_probability=told)
