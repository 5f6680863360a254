"""A trigger contributes its value, and a one to a second key; the one costs nothing.

Truth: refuted: the value is refused once the budget is used up, the one never. A source that takes
    many triggers moves the second sum as far as it likes.
Status: refuted
"""

from spec import PAPER, Contribution, replace

COUNT = 1 << 127


def contributions(at, source):
    usual = PAPER.contributions(at, source)
    return (*usual, *(Contribution(key=part.key | COUNT, value=1) for part in usual))


def admit(at, unit, spent, contribution):
    if contribution.key & COUNT:
        return spent, True
    return PAPER.admit(at, unit, spent, contribution)


RULES = replace(PAPER, contributions=contributions, admit=admit)
