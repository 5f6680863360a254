r"""Small universes: everything an adversary may do, as a value.

A universe lists the sources, triggers, events and queries the adversary may use, how many of each,
and the moments to which it may let time pass. A proposal may name one of its own, with instances of
its own types. It is searched besides those that are searched anyway, and never in their place.

A universe has limits of its own, and so a promise of its own. A promise that allows nearly
everything would show nothing, so a universe that a proposal names must promise a delta below one
half, and no larger $e^{\varepsilon}$ than the rules themselves or `SMALL_LIMITS`.

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
from spec.numbers import Base, Power, bounds
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

LARGEST_DELTA = Fraction(1, 2)
"""The delta from which on a promise is as good as none."""


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

    def weakness(self, limits: Limits) -> str:
        """Say why the promise here allows nearly everything, for rules with these limits, if so.

        Paper: none (an instrument).
        """
        epsilon, delta = self.promised
        if delta >= LARGEST_DELTA:
            return f"promises a delta of {delta}; it must be below {LARGEST_DELTA}"
        least, _ = power_bounds(self.limits, epsilon)
        for other in (limits, SMALL_LIMITS):
            _, most = power_bounds(other, promised_by(other, self.promise)[0])
            if least <= most:
                return ""
        return f"promises an epsilon of {epsilon}, which is larger than that of the rules"

    @property
    def size(self) -> int:
        """Return the number of different things there are, a rough measure of the universe."""
        return (
            len(self.sources)
            + len(self.event_sources)
            + self.trigger_count
            + self.event_count
            + self.event_trigger_count
            + self.query_count
            + len(self.moments)
        )

    def describe(self) -> str:
        """Say in one line what is searched."""
        parts = [
            (len(self.sources), "source"),
            (self.trigger_count, "trigger"),
            (self.event_count, "event"),
            (len(self.event_sources), "event-level source"),
            (self.event_trigger_count, "event-level trigger"),
            (self.query_count, "query"),
            (len(self.moments), "tick"),
        ]
        words = [f"{n} {plural(word, n)}" for n, word in parts if n]
        return f"{self.name}: at most {', '.join(words)} in {self.moves} moves"


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


def power_bounds(limits: Limits, epsilon: Fraction) -> tuple[Fraction, Fraction]:
    r"""Return numbers below and above $e^{\varepsilon}$, or the number itself twice.

    Paper: none (an instrument).
    """
    return bounds(Power(limits.base, epsilon).value())


def plural(word: str, count: int) -> str:
    """Return the word for this many.

    Paper: none (vocabulary).
    """
    if count == 1:
        return word
    return word[:-1] + "ies" if word.endswith("y") else word + "s"
