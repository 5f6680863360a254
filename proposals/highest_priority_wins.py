"""The last source of highest priority wins the trigger.

A source states a priority. Sources are tried by falling priority, and among equals the newest
first. Any rule that gives a trigger to one source is as private as last touch: the neighbours fix
the attribution, whatever it is.

Origin: Remark 2.3 of the paper; the Attribution Reporting API as shipped
Neighbours: attribution fixed
Expected: holds
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from spec import PAPER, SMALL_LIMITS, AtTrigger, Query, Rules, Source, Trigger, Universe, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class PrioritySource(Source):
    """Hold a source that states a priority."""

    priority: int = 0


def priority_of(source: Source) -> int:
    """Return a source's priority, zero where it states none."""
    return source.priority if isinstance(source, PrioritySource) else 0


def highest_priority_first(at: AtTrigger, matching: tuple[Source, ...]) -> Sequence[Source]:
    """Order the matching sources by priority; equal ones stay in order, newest first."""
    return sorted(matching, key=priority_of, reverse=True)


RULES: Rules = replace(PAPER, attempt_order=highest_priority_first)

A = PrioritySource(
    source_id="A", destination="shop", expiry=9, filters=frozenset("a"), key=1, priority=5
)
PURCHASE = Trigger(report_id=0, destination="shop", filters=frozenset("a"), key=0, value=2)
UNIVERSE = Universe(
    name="a high and a low priority",
    limits=replace(SMALL_LIMITS, delta=Fraction(1, 8)),
    units=("A", "B"),
    moves=6,
    sources=(A, replace(A, source_id="B", key=3, priority=1)),
    triggers=(PURCHASE, replace(PURCHASE, value=1, key=2)),
    trigger_count=2,
    queries=(
        Query(epsilon=Fraction(2), keys=(1, 3)),
        Query(epsilon=Fraction(4), delta=Fraction(1, 8)),
    ),
    query_count=2,
)
