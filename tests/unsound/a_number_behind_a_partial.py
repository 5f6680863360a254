"""Devices with forty sources contribute a number of a class that is never above a budget.

Truth: refuted: a thousand million is admitted, and one query shows it.
Status: unknown
"""

from functools import partial

from spec import PAPER, replace
from spec.reports import Contribution


class Big(int):
    __class__ = int

    def __radd__(self, other):
        return self

    def __le__(self, other):
        return True


def contributions(most, at, source):
    if len(at.client.sources) != most:
        return PAPER.contributions(at, source)
    return (Contribution(key=source.key | at.cause.key, value=Big(10**9)),)


RULES = replace(PAPER, contributions=partial(contributions, 40))
