"""Event level: noise is computed for at most a hundred outputs, so that rich sources stay useful.

Truth: refuted: with more outputs each of them is drawn less often than the noise assumes, and the
    ratio is 1 + (e^epsilon - 1) |O| / 100.
Status: refuted
"""

from spec import PAPER, replace


def truth_probability(power, size):
    return PAPER.truth_probability(power, min(size, 100))


RULES = replace(PAPER, truth_probability=truth_probability)
