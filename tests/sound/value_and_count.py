"""A trigger contributes its value, and a one to a second key, so that means can be computed.

Truth: proved: both are admitted against the one budget of the source.
Status: proved
"""

from spec import PAPER, Contribution, replace

COUNT = 1 << 127


def contributions(at, source):
    usual = PAPER.contributions(at, source)
    return (*usual, *(Contribution(key=part.key | COUNT, value=1) for part in usual))


RULES = replace(PAPER, contributions=contributions)
