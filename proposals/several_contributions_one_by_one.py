"""A program makes several contributions, and each is approved or refused by itself.

Those that fit into the budget of the device's time window go into the report, the others are left
out, and a later one may fit where an earlier one did not. The report is sent in any case, so that
how many were approved does not show. Admission is the paper's own, which goes one by one already.

Origin: patcg-individual-drafts/private-aggregation-api#172
Neighbours: null store (PAA), attribution fixed (ARA)
Expected: holds
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from spec import (
    PAPER,
    SMALL_LIMITS,
    AtEvent,
    Contribution,
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


RULES: Rules = replace(PAPER, run_program=run_program)


def two_keys(storage: Storage) -> tuple[Storage, tuple[Contribution, ...]]:
    """Contribute 1 to key 1 and 1 to key 3."""
    return storage, (Contribution(key=1, value=1), Contribution(key=3, value=1))


def large_then_small(storage: Storage) -> tuple[Storage, tuple[Contribution, ...]]:
    """Contribute 2 to key 1 and 1 to key 3."""
    return storage, (Contribution(key=1, value=2), Contribution(key=3, value=1))


UNIVERSE = Universe(
    name="worklets with two keys",
    limits=replace(SMALL_LIMITS, delta=Fraction(1, 8)),
    units=(DeviceWindow(device="phone", window=0),),
    moves=5,
    events=(
        WorkletEvent(report_id=0, device="phone", worklet=two_keys),
        WorkletEvent(report_id=0, device="phone", worklet=large_then_small),
        WorkletEvent(report_id=0, device="tablet", worklet=two_keys),
    ),
    event_count=2,
    queries=(
        Query(epsilon=Fraction(2), keys=(1, 3)),
        Query(epsilon=Fraction(4), delta=Fraction(1, 8)),
    ),
    query_count=2,
)
