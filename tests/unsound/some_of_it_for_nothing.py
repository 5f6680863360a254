"""A credit that is granted only in part is not counted.

Truth: refuted: a source with one contribution that fits and one that never does contributes the
    first as often as it likes.
Status: refuted
"""

from spec import PAPER, Contribution, replace


def contributions(at, source):
    usual = PAPER.contributions(at, source)
    most = at.limits.contribution_budget
    return tuple(part for one in usual for part in (one, Contribution(key=one.key, value=most)))


def contribute(at, credits):
    budgets, granted = PAPER.contribute(at, credits)
    return (budgets, granted) if granted == credits else (at.client.budgets, granted)


RULES = replace(PAPER, contributions=contributions, contribute=contribute)
