r"""Small universes: everything an adversary may do, as a value.

A universe lists the sources, triggers, events and queries the adversary may use, how many of each,
and the moments to which it may let time pass. A proposal may name one of its own, with instances of
its own types. It is searched besides those that are searched anyway, and never in their place.

A universe has limits of its own, and so a promise of its own.

Paper: Sec. 3.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

from spec.aggregation_service import Query
from spec.attribution_client import Source, Trigger
from spec.contributions import Unit
from spec.event_client import EventSource, EventTrigger
from spec.numbers import Base
from spec.private_aggregation_client import Event
from spec.rules import Limits

Promise: TypeAlias = Literal["summary", "event", "both"]

SMALL_LIMITS = Limits(
    contribution_budget=2,
    sparsity_budget=2,
    epsilon=Fraction(4),
    delta=Fraction(1, 32),
    event_epsilon=Fraction(2),
    base=Base(Fraction(2)),
    window_length=10,
)
"""Limits at which every probability is rational, for universes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Universe:
    """List what the adversary may do.

    Each source may be registered once. Of `triggers`, `events` and `event_triggers` any may be
    used, also repeatedly, up to the counts. A query is one of `queries`, asked for any set of the
    reports that have arrived; with `repeats` one report of the set may stand in it twice.
    `moments` are the times to which the adversary may let time pass, in this order.

    Paper: Def. 3.5.
    """

    name: str
    limits: Limits
    units: tuple[Unit, ...]
    moves: int
    sources: tuple[Source, ...] = ()
    triggers: tuple[Trigger, ...] = ()
    trigger_count: int = 0
    events: tuple[Event, ...] = ()
    event_count: int = 0
    event_sources: tuple[EventSource, ...] = ()
    event_triggers: tuple[EventTrigger, ...] = ()
    event_trigger_count: int = 0
    queries: tuple[Query, ...] = ()
    query_count: int = 0
    moments: tuple[int, ...] = ()
    repeats: bool = True
    promise: Promise = "summary"

    @property
    def promised(self) -> tuple[Fraction, Fraction]:
        """Return the (epsilon, delta) that the APIs of this universe promise."""
        return promised_by(self.limits, self.promise)


def promised_by(limits: Limits, promise: Promise) -> tuple[Fraction, Fraction]:
    """Return the (epsilon, delta) that limits promise for some of the reports.

    Paper: Def. 3.5.
    """
    summary, event = limits.epsilon, limits.event_epsilon
    return {
        "summary": (summary, limits.delta),
        "event": (event, Fraction(0)),
        "both": (summary + event, limits.delta),
    }[promise]
