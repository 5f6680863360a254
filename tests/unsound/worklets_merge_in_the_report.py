"""Worklets contribute several times per event, and the report merges what has the same key.

Truth: refuted: the merge gives every contribution the sum of its key and drops none of them. Two
    contributions of half the budget are admitted as one budget and arrive as two.
Status: refuted
"""

from collections.abc import Callable
from dataclasses import dataclass

from spec import PAPER, Event, Program, replace
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


RULES = replace(PAPER, run_program=run_program, send=send_merged)
