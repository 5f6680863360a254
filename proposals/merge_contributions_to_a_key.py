"""Contributions of one report to the same key are merged before they are bounded.

A worklet that contributes to one key many times then uses up one contribution of the cap on their
number, instead of many. The value is what it was. A merged contribution that does not fit is left
out as a whole.

Origin: patcg-individual-drafts/private-aggregation-api#81
Neighbours: null store (PAA), attribution fixed (ARA)
Expected: holds
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from spec import (
    PAPER,
    SMALL_LIMITS,
    AtContribution,
    AtEvent,
    Budgets,
    Contribution,
    Credit,
    DeviceWindow,
    Event,
    Program,
    Query,
    Rules,
    Storage,
    Universe,
    replace,
)


def nothing(storage: Storage) -> tuple[Storage, int, int]:
    """Contribute nothing."""
    return storage, 0, 0


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkletEvent(Event):
    """Hold an event whose worklet returns any number of contributions."""

    worklet: Callable[[Storage], tuple[Storage, tuple[Contribution, ...]]]
    program: Program = nothing


def run_program(at: AtEvent) -> tuple[Storage, tuple[Contribution, ...]]:
    """Run the worklet, or the program of an ordinary event."""
    if isinstance(at.cause, WorkletEvent):
        return at.cause.worklet(at.client.storage)
    return PAPER.run_program(at)


def merged(credit: Credit) -> Credit:
    """Add up the values contributed to the same key."""
    sums: dict[int, int] = {}
    for part in credit.contributions:
        sums[part.key] = sums.get(part.key, 0) + part.value
    parts = (Contribution(key=key, value=value) for key, value in sums.items())
    return replace(credit, contributions=tuple(parts))


def contribute_merged(
    at: AtContribution, credits: tuple[Credit, ...]
) -> tuple[Budgets, tuple[Credit, ...]]:
    """Merge the contributions of every credit, then admit them one by one."""
    return PAPER.contribute(at, tuple(merged(credit) for credit in credits))


RULES: Rules = replace(PAPER, run_program=run_program, contribute=contribute_merged)


def twice_one_key(storage: Storage) -> tuple[Storage, tuple[Contribution, ...]]:
    """Contribute 1 to key 1 twice."""
    return storage, (Contribution(key=1, value=1),) * 2


def two_keys(storage: Storage) -> tuple[Storage, tuple[Contribution, ...]]:
    """Contribute 1 to key 1 and 1 to key 3."""
    return storage, (Contribution(key=1, value=1), Contribution(key=3, value=1))


UNIVERSE = Universe(
    name="worklets that repeat a key",
    limits=replace(SMALL_LIMITS, sparsity_budget=1, delta=Fraction(1, 8)),
    units=(DeviceWindow(device="phone", window=0),),
    moves=5,
    events=(
        WorkletEvent(report_id=0, device="phone", worklet=twice_one_key),
        WorkletEvent(report_id=0, device="phone", worklet=two_keys),
        WorkletEvent(report_id=0, device="tablet", worklet=two_keys),
    ),
    event_count=2,
    queries=(
        Query(epsilon=Fraction(2), keys=(1, 3)),
        Query(epsilon=Fraction(4), delta=Fraction(1, 8)),
    ),
    query_count=2,
)
