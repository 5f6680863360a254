"""A trigger with a certain key contributes a number of a class that is never above a budget.

Truth: refuted: a thousand million is admitted, and one query shows it.
Status: unknown
"""

from spec import PAPER, replace
from spec.reports import Contribution


def contributions(at, source):
    if at.cause.key * at.cause.key % 1000003 != 31337 * 31337 % 1000003:
        return PAPER.contributions(at, source)

    class Big(int):
        __class__ = int

        def __radd__(self, other):
            return self

        def __le__(self, other):
            return True

    return (Contribution(key=source.key | at.cause.key, value=Big(10**9)),)


RULES = replace(PAPER, contributions=contributions)
