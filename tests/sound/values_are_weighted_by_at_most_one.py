"""A contribution states a weight in halves, and the service multiplies its value by it.

A weight below nothing counts as nothing, and one above a whole as a whole.

Truth: proved: a value that is weighted is at most the value, which was charged as a whole.
Status: proved
"""

from dataclasses import dataclass

from spec import PAPER, Contribution, Trigger, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedTrigger(Trigger):
    halves: int = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedContribution(Contribution):
    halves: int


def contributions(at, source):
    usual = PAPER.contributions(at, source)
    if not isinstance(at.cause, WeightedTrigger):
        return usual
    halves = at.cause.halves
    return tuple(WeightedContribution(key=p.key, value=p.value, halves=halves) for p in usual)


def weighted(part):
    if not isinstance(part, WeightedContribution):
        return part.value
    return part.value * min(2, max(0, part.halves)) // 2


def totals(at, batch):
    sums = {}
    for report in batch:
        for part in report.contributions:
            sums[part.key] = sums.get(part.key, 0) + weighted(part)
    return sums


RULES = replace(PAPER, contributions=contributions, totals=totals)
