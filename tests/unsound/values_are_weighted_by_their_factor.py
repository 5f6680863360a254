"""A contribution states a weight in halves, and the service multiplies its value by it.

Weights are said to be at most one. But only a negative one is refused.

Truth: refuted: a weight of six halves lets a source move the sums by three times what its budget
    was charged.
Status: refuted
"""

from dataclasses import dataclass
from fractions import Fraction

from spec import PAPER, SMALL_LIMITS, Contribution, Query, Source, Trigger, Universe, replace


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


def totals(at, batch):
    sums = {}
    for report in batch:
        for part in report.contributions:
            halves = max(0, part.halves) if isinstance(part, WeightedContribution) else 2
            sums[part.key] = sums.get(part.key, 0) + part.value * halves // 2
    return sums


RULES = replace(PAPER, contributions=contributions, totals=totals)

PURCHASE = WeightedTrigger(
    report_id=0, destination="shop", filters=frozenset("a"), key=0, value=2, halves=6
)
UNIVERSE = Universe(
    name="a weight of three",
    limits=SMALL_LIMITS,
    units=("A",),
    moves=3,
    sources=(Source(source_id="A", destination="shop", expiry=9, filters=frozenset("a"), key=1),),
    triggers=(PURCHASE,),
    trigger_count=1,
    queries=(Query(epsilon=Fraction(4), keys=(1,)),),
    query_count=1,
)
