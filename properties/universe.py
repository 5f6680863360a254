r"""Small universes: everything the adversary may do, as a value.

A universe lists the sources, triggers, events and queries the adversary may use, how many of each, and
the moments to which it may let time pass. Report identifiers are given in the order in which reports
are caused, which is the only renaming there is. A proposal may name a universe of its own, with
instances of its own types.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import combinations

from spec.aggregation_service import Query
from spec.attribution_client import Source, Trigger
from spec.contributions import Unit
from spec.event_client import EventSource, EventTrigger
from spec.neighbours import Worlds
from spec.numbers import Base
from spec.private_aggregation_client import Event
from spec.rules import Limits, Rules
from spec.system import Move, PassTime, System


@dataclass(frozen=True, slots=True, kw_only=True)
class Universe:
    """List what the adversary may do.

    Each source may be registered once. Of `triggers`, `events` and `event_triggers` any may be used,
    also repeatedly, up to the counts. A query is one of `queries`, asked for any set of the reports
    that have arrived; with `repeats` one report of the set may stand in it twice. `moments` are the
    times to which the adversary may let time pass, in this order.
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
    delta: Fraction | None = None
    epsilon: Fraction | None = None

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


def plural(word: str, count: int) -> str:
    """Return the word for this many."""
    if count == 1:
        return word
    return word[:-1] + "ies" if word.endswith("y") else word + "s"


@dataclass(frozen=True, slots=True)
class Progress:
    """Count what the adversary has used so far."""

    registered: frozenset[str] = frozenset()
    triggers: int = 0
    events: int = 0
    event_triggers: int = 0
    queries: int = 0
    ticks: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemMenu:
    """Offer the moves of a universe to the adversary of the whole system."""

    universe: Universe
    rules: Rules
    start: Progress = field(default=Progress())

    def choices(
        self, progress: Hashable, states: Sequence[object]
    ) -> Iterable[tuple[Hashable, Hashable]]:
        """Return the moves that are left, each with the progress after it."""
        assert isinstance(progress, Progress)
        systems = [state.own if isinstance(state, Worlds) else state for state in states]
        yield from self.registrations(progress)
        yield from self.happenings(progress)
        if progress.queries < self.universe.query_count:
            after = replace(progress, queries=progress.queries + 1)
            for query in self.questions([s for s in systems if isinstance(s, System)]):
                yield query, after

    def registrations(self, progress: Progress) -> Iterable[tuple[Move, Progress]]:
        """Return the sources that may still be registered."""
        for kind, listed in (("s", self.universe.sources), ("e", self.universe.event_sources)):
            for source in listed:
                name = kind + source.source_id
                if name not in progress.registered:
                    yield source, replace(progress, registered=progress.registered | {name})

    def happenings(self, progress: Progress) -> Iterable[tuple[Move, Progress]]:
        """Return the triggers, events and ticks that may happen next."""
        universe = self.universe
        identifier = progress.triggers + progress.events
        if progress.triggers < universe.trigger_count:
            for trigger in universe.triggers:
                move = replace(trigger, report_id=identifier)
                yield move, replace(progress, triggers=progress.triggers + 1)
        if progress.events < universe.event_count:
            for event in universe.events:
                happening = replace(event, report_id=identifier)
                yield happening, replace(progress, events=progress.events + 1)
        if progress.event_triggers < universe.event_trigger_count:
            for conversion in universe.event_triggers:
                yield conversion, replace(progress, event_triggers=progress.event_triggers + 1)
        if progress.ticks < len(universe.moments):
            tick = PassTime(until=universe.moments[progress.ticks])
            yield tick, replace(progress, ticks=progress.ticks + 1)

    def questions(self, systems: list[System]) -> Iterable[Query]:
        """Return every query for a set of reports that have arrived in every possible state."""
        arrived = sorted(set.intersection(*(set(system.reports) for system in systems)))
        for size in range(1, len(arrived) + 1):
            for chosen in combinations(arrived, size):
                batches = [chosen]
                if self.universe.repeats and self.repeats_matter:
                    batches += [(*chosen, again) for again in chosen]
                for batch in batches:
                    for query in self.universe.queries:
                        yield replace(query, report_ids=batch)

    @property
    def repeats_matter(self) -> bool:
        """Say whether a repeated report could make a difference, judged by the rules themselves."""
        from spec.paper import PAPER

        service = ("batch", "settle", "charge", "budget_entries", "reveal", "serve", "threshold")
        service += ("noise", "answer", "totals", "keys", "releases")
        return any(getattr(self.rules, name) is not getattr(PAPER, name) for name in service)


def small_limits(base: int = 2) -> Limits:
    """Return the limits of the default universes: every probability is rational."""
    return Limits(
        contribution_budget=2,
        sparsity_budget=2,
        epsilon=Fraction(4),
        delta=Fraction(1, 4),
        event_epsilon=Fraction(2),
        base=Base(Fraction(base)),
        window_length=10,
    )


def attribution_universe(limits: Limits | None = None) -> Universe:
    """Return the default universe for ARA client and service: 2 sources, 2 triggers, 2 queries, a tick."""
    limits = limits or small_limits()
    epsilon = Fraction(limits.contribution_budget)

    def source(name: str, filters: str, expiry: int, key: int) -> Source:
        return Source(
            source_id=name, destination="shop", expiry=expiry, filters=frozenset(filters), key=key
        )

    def trigger(filters: str, key: int, value: int) -> Trigger:
        return Trigger(
            report_id=0, destination="shop", filters=frozenset(filters), key=key, value=value
        )

    most = limits.contribution_budget
    return Universe(
        name="ARA",
        limits=limits,
        units=("A", "B"),
        moves=7,
        sources=(source("A", "ac", 100, 1), source("B", "bc", 5, 1)),
        triggers=(trigger("c", 0, most), trigger("c", 0, 1), trigger("b", 2, 1)),
        trigger_count=2,
        queries=(
            Query(epsilon=epsilon, keys=(1,)),
            Query(epsilon=epsilon, delta=limits.delta / 2),
        ),
        query_count=2,
        moments=(10,),
    )
