"""Worklets contribute several times per event, and the report merges; with a universe of its own.

In the universe every worklet uses a key once, so that there is nothing to merge in one event.

Truth: refuted: the merge gives every contribution the sum of its key and drops none of them. Two
    contributions of half the budget to one key are admitted as one budget and arrive as two.
Status: refuted
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from spec import (
    PAPER,
    SMALL_LIMITS,
    Contribution,
    DeviceWindow,
    Event,
    Program,
    Query,
    Universe,
    replace,
)
from spec.contributions import send


def nothing(storage):
    return storage, 0, 0


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkletEvent(Event):
    worklet: Callable
    program: Program = nothing


def run_program(at):
    if isinstance(at.cause, WorkletEvent):
        return at.cause.worklet(at.client.storage)
    return PAPER.run_program(at)


def send_merged(at, granted):
    sums = {}
    for credit in granted:
        for part in credit.contributions:
            sums[part.key] = sums.get(part.key, 0) + part.value
    merged = tuple(
        replace(
            each, contributions=tuple(replace(p, value=sums[p.key]) for p in each.contributions)
        )
        for each in granted
    )
    return send(at, merged)


def two_keys(storage):
    return storage, (Contribution(key=1, value=1), Contribution(key=3, value=1))


RULES = replace(PAPER, run_program=run_program, send=send_merged)
UNIVERSE = Universe(
    name="worklets with two keys",
    limits=replace(SMALL_LIMITS, delta=Fraction(1, 8)),
    units=(DeviceWindow(device="phone", window=0),),
    moves=5,
    events=(
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
