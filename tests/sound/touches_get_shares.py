"""Every matching source gets its share of the value: the first and the last one more than others.

Truth: proved: credits are decided once, and each is admitted on the budget of its own source.
Status: proved
"""

from spec import PAPER, Credit, replace


def shares(value, touches):
    if touches < 2:
        return [value] * touches
    first = value * 2 // 5
    between = [value // 5 // max(touches - 2, 1)] * (touches - 2)
    return [value - first - sum(between), *between, first]


def attribute(at, draw):
    touched = [source for source in at.client.sources if at.rules.matches(at, source)]
    credits = []
    for source, share in zip(touched, shares(at.cause.value, len(touched)), strict=True):
        part = replace(at, cause=replace(at.cause, value=share))
        contributions = at.rules.contributions(part, source)
        if contributions:
            credits.append(Credit(unit=source.source_id, contributions=contributions))
    return at.client, tuple(credits)


RULES = replace(PAPER, attribute=attribute)
