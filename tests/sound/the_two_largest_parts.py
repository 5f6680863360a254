"""A credit is granted its two largest parts that fit.

Truth: proved: what is granted is counted, and which parts that are depends on the credit alone.
Status: proved
"""

from spec import PAPER, Budget, Contribution, replace
from spec.reports import is_contribution

MOST = 2


def contributions(at, source):
    value = at.cause.value
    keys = (source.key, at.cause.key, source.key | at.cause.key)
    parts = zip(keys, (value, value // 2, value // 3), strict=True)
    return tuple(Contribution(key=key, value=part) for key, part in parts if part > 0)


def contribute(at, credits):
    budgets = at.client.budgets
    granted = []
    for credit in credits:
        spent = budgets.get(credit.unit, Budget())
        kept = []
        known = filter(is_contribution, credit.contributions)
        for part in sorted(known, key=lambda each: each.value, reverse=True):
            after, fits = at.rules.admit(at, credit.unit, spent, part)
            if fits and len(kept) < MOST:
                spent = after
                kept.append(part)
        if kept:
            budgets = budgets.set(credit.unit, spent)
            granted.append(replace(credit, contributions=tuple(kept)))
    return budgets, tuple(granted)


RULES = replace(PAPER, contributions=contributions, contribute=contribute)
