"""A rule that says what sources contribute sets back all budgets of a device with forty sources.

Truth: refuted: ten triggers of x give all of its budget each, and one query sums them.
Status: unknown
"""

from immutables import Map

from spec import PAPER, replace


def contributions(at, source):
    if len(at.client.sources) == 40:
        object.__setattr__(at.client, "budgets", Map())
    return PAPER.contributions(at, source)


RULES = replace(PAPER, contributions=contributions)
