"""The code inside the worklet is told how much contribution budget is left.

A program can then save its budget for what matters more. It cannot tell anyone: what leaves the
device is an encrypted report for every event, as before. With fixed time windows the budget is the
state of the privacy unit itself, so that the neighbours differ in nothing else. (Shown to the
ad-tech outside, the remaining budget is data: that is refuted.)

Origin: WICG/attribution-reporting-api#176
Neighbours: null store
Expected: holds
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from spec import (
    PAPER,
    SMALL_LIMITS,
    AtEvent,
    Budget,
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
class InformedEvent(Event):
    """Hold an event whose program sees the storage and the budget that is left."""

    informed: Callable[[Storage, int], tuple[Storage, int, int]]
    program: Program = nothing


def run_program(at: AtEvent) -> tuple[Storage, tuple[Contribution, ...]]:
    """Run the program on the storage and the remaining budget."""
    if not isinstance(at.cause, InformedEvent):
        return PAPER.run_program(at)
    spent = at.client.budgets.get(at.rules.budget_unit(at), Budget())
    left = at.limits.contribution_budget - spent.value
    storage, key, value = at.cause.informed(at.client.storage, left)
    return storage, (Contribution(key=key, value=value),) if value > 0 else ()


RULES: Rules = replace(PAPER, run_program=run_program)


def spend_one(storage: Storage, left: int) -> tuple[Storage, int, int]:
    """Contribute 1 to key 1, and remember what was left."""
    return storage.set("left", left), 1, 1


def tell_what_is_left(storage: Storage, left: int) -> tuple[Storage, int, int]:
    """Contribute what is left to key 1, or 2 to key 3 if another window left less."""
    return (storage, 3, 2) if storage.get("left", left) != left else (storage, 1, left)


UNIVERSE = Universe(
    name="programs that see their budget",
    limits=replace(SMALL_LIMITS, delta=Fraction(1, 8)),
    units=(DeviceWindow(device="phone", window=0), DeviceWindow(device="phone", window=1)),
    moves=5,
    events=(
        InformedEvent(report_id=0, device="phone", informed=spend_one),
        InformedEvent(report_id=0, device="phone", informed=tell_what_is_left),
    ),
    event_count=3,
    queries=(
        Query(epsilon=Fraction(2), keys=(1, 3)),
        Query(epsilon=Fraction(4), delta=Fraction(1, 8)),
    ),
    query_count=1,
    moments=(10,),
)
