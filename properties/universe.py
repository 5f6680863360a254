r"""Small universes: everything the adversary may do, as a value.

A universe lists the sources, triggers, events and queries the adversary may use, how many of
each, and the moments to which it may let time pass. Report identifiers are given in the order in
which reports are caused, which is the only renaming there is. A proposal may name a universe of
its own, with instances of its own types.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import combinations

from properties.vocabulary import Vocabulary
from spec.aggregation_service import Query
from spec.attribution_client import Source, Trigger
from spec.distributions import Draw, explore
from spec.event_client import EventSource, EventTrigger, TriggerSpecification
from spec.lemmas import SERVICE
from spec.neighbours import Worlds
from spec.numbers import SpecError
from spec.paper import PAPER
from spec.private_aggregation_client import DeviceWindow, Event, Program, Storage
from spec.reports import ReportId
from spec.rules import Limits, Rules
from spec.system import Move, PassTime, System, step
from spec.universe import SMALL_LIMITS, Universe

MOST_WORDS = 6
"""How many things of a kind there are in a universe in the words of a proposal."""


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
    """Offer the moves of a universe to the adversary of the whole system.

    A move that is offered again is the same object: games tell moves apart by identity.
    """

    universe: Universe
    rules: Rules
    start: Progress = field(default=Progress())
    made: dict[Hashable, tuple[Move, ...]] = field(default_factory=dict, compare=False)

    def choices(
        self, progress: Hashable, states: Sequence[object]
    ) -> Iterable[tuple[Hashable, Hashable]]:
        """Return the moves that are left, each with the progress after it."""
        assert isinstance(progress, Progress)
        found = [state.own if isinstance(state, Worlds) else state for state in states]
        systems = [system for system in found if isinstance(system, System)]
        yield from self.registrations(progress, systems)
        yield from self.happenings(progress)
        if progress.queries < self.universe.query_count:
            after = replace(progress, queries=progress.queries + 1)
            for query in self.questions(systems):
                yield query, after

    def registrations(
        self, progress: Progress, systems: list[System]
    ) -> Iterable[tuple[Move, Progress]]:
        """Return the sources that may be registered: each once, or twice where that is allowed."""
        for kind, listed in (("s", self.universe.sources), ("e", self.universe.event_sources)):
            for source in listed:
                once = kind + source.source_id
                again = f"{once} again"
                if once not in progress.registered:
                    yield source, replace(progress, registered=progress.registered | {once})
                elif again not in progress.registered and self.may_come_back(source, systems):
                    yield source, replace(progress, registered=progress.registered | {again})

    def may_come_back(self, source: Source | EventSource, systems: list[System]) -> bool:
        """Tell whether a source may be registered a second time; the paper's clients refuse it."""
        rule = "register_source" if isinstance(source, Source) else "register_event_source"
        if getattr(self.rules, rule) is getattr(PAPER, rule):
            return False
        try:
            for system in systems:
                explore(partial(registered, self.rules, system, source))
        except SpecError:
            return False
        return True

    def happenings(self, progress: Progress) -> Iterable[tuple[Move, Progress]]:
        """Return the triggers, events and ticks that may happen next."""
        universe = self.universe
        identifier = progress.triggers + progress.events
        if progress.triggers < universe.trigger_count:
            after = replace(progress, triggers=progress.triggers + 1)
            for trigger in self.reporting(universe.triggers, identifier):
                yield trigger, after
        if progress.events < universe.event_count:
            after = replace(progress, events=progress.events + 1)
            for event in self.reporting(universe.events, identifier):
                yield event, after
        if progress.event_triggers < universe.event_trigger_count:
            for conversion in universe.event_triggers:
                yield conversion, replace(progress, event_triggers=progress.event_triggers + 1)
        if progress.ticks < len(universe.moments):
            yield self.tick(progress.ticks), replace(progress, ticks=progress.ticks + 1)

    def reporting(
        self, moves: tuple[Trigger, ...] | tuple[Event, ...], identifier: ReportId
    ) -> tuple[Move, ...]:
        """Return triggers or events with the identifier of the next report."""
        kind = type(moves[0]) if moves else None
        if (kind, identifier) not in self.made:
            made = tuple(replace(move, report_id=identifier) for move in moves)
            self.made[kind, identifier] = made
        return self.made[kind, identifier]

    def tick(self, number: int) -> Move:
        """Return the move to the next moment."""
        if number not in self.made:
            self.made[number] = (PassTime(until=self.universe.moments[number]),)
        return self.made[number][0]

    def questions(self, systems: list[System]) -> Iterable[Move]:
        """Return every query for a set of reports that have arrived in every possible state."""
        arrived = sorted(set.intersection(*(set(system.reports) for system in systems)))
        if tuple(arrived) not in self.made:
            self.made[tuple(arrived)] = tuple(self.queries_for(arrived))
        return self.made[tuple(arrived)]

    def queries_for(self, arrived: Sequence[ReportId]) -> Iterable[Query]:
        """Return every query for a set of these reports."""
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
        service = set(SERVICE) - {"limits"}
        return any(getattr(self.rules, name) is not getattr(PAPER, name) for name in service)


def described(universe: Universe) -> str:
    """Say in one line what is searched."""
    parts = [
        (len(universe.sources), "source", "sources"),
        (universe.trigger_count, "trigger", "triggers"),
        (universe.event_count, "event", "events"),
        (len(universe.event_sources), "event-level source", "event-level sources"),
        (universe.event_trigger_count, "event-level trigger", "event-level triggers"),
        (universe.query_count, "query", "queries"),
        (len(universe.moments), "tick", "ticks"),
    ]
    words = [f"{n} {one if n == 1 else many}" for n, one, many in parts if n]
    return f"{universe.name}: at most {', '.join(words)} in {universe.moves} moves"


def registered(rules: Rules, system: System, source: Move, draw: Draw) -> System:
    """Return the system after a source was registered."""
    return step(rules, system, source, draw)[0]


def small_limits() -> Limits:
    """Return the limits of the default universes: every probability is rational."""
    return SMALL_LIMITS


def source(name: str, filters: str, expiry: int, key: int = 1) -> Source:
    """Return a source of the default universes."""
    return Source(
        source_id=name, destination="shop", expiry=expiry, filters=frozenset(filters), key=key
    )


def trigger(filters: str, value: int, key: int = 0) -> Trigger:
    """Return a trigger of the default universes."""
    return Trigger(
        report_id=0, destination="shop", filters=frozenset(filters), key=key, value=value
    )


def summary_queries(limits: Limits) -> tuple[Query, ...]:
    """Return a query without and one with key discovery, and one that uses up the budget."""
    epsilon = Fraction(limits.contribution_budget)
    return (
        Query(epsilon=epsilon, keys=(1,)),
        Query(epsilon=epsilon, delta=limits.delta / 2),
        Query(epsilon=limits.epsilon, keys=(1, 3)),
    )


def attribution_universe() -> Universe:
    """Return the default universe for ARA: two sources, two triggers, two queries, a tick."""
    limits = small_limits()
    return Universe(
        name="ARA",
        limits=limits,
        units=("A", "B"),
        moves=7,
        sources=(source("A", "ac", 100), source("B", "bc", 5, 3)),
        triggers=(trigger("c", limits.contribution_budget), trigger("a", 1, 2)),
        trigger_count=2,
        queries=summary_queries(limits),
        query_count=2,
        moments=(10,),
    )


def contribute_two(storage: Storage) -> tuple[Storage, int, int]:
    """Contribute 2 to key 1."""
    return storage, 1, 2


def contribute_one(storage: Storage) -> tuple[Storage, int, int]:
    """Contribute 1 to key 3."""
    return storage, 3, 1


def first_view(storage: Storage) -> tuple[Storage, int, int]:
    """Contribute 2 to key 1 at the first view, then 2 to key 3."""
    if "seen" in storage:
        return storage, 3, 2
    return storage.set("seen", True), 1, 2


def event(device: str, program: Program) -> Event:
    """Return an event of the default universes."""
    return Event(report_id=0, device=device, program=program)


def aggregation_universe() -> Universe:
    """Return the default universe for PAA: two devices, three events, two queries, a window."""
    limits = small_limits()
    return Universe(
        name="PAA",
        limits=limits,
        units=(
            DeviceWindow(device="phone", window=0),
            DeviceWindow(device="phone", window=1),
        ),
        moves=5,
        events=(
            event("phone", first_view),
            event("phone", contribute_one),
            event("tablet", contribute_two),
        ),
        event_count=2,
        queries=summary_queries(limits),
        query_count=2,
        moments=(10,),
    )


def narrow(universe: Universe) -> Universe:
    """Return the universe with one source or two devices, and with queries for the first key."""
    queries = tuple(replace(query, keys=query.keys[:1]) for query in universe.queries)
    return replace(
        universe,
        name=f"{universe.name}, one key",
        queries=queries,
        moves=min(universe.moves, 5),
        sources=universe.sources[:1],
        triggers=universe.triggers[:1],
        events=universe.events[:1] + universe.events[1:][-1:],
        units=universe.units[:1],
        moments=(),
    )


def contribute_least(storage: Storage) -> tuple[Storage, int, int]:
    """Contribute 1 to key 1."""
    return storage, 1, 1


def sharp(universe: Universe) -> Universe:
    """Return a narrow universe with a budget of one, so that there is little noise to tell apart.

    A service that keeps its answers has as many states as there are noisy values.
    """
    small = narrow(universe)
    limits = replace(small.limits, contribution_budget=1, sparsity_budget=1)
    return replace(
        small,
        name=f"{small.name}, little noise",
        limits=limits,
        triggers=tuple(replace(trigger, value=1) for trigger in small.triggers),
        events=tuple(replace(event, program=contribute_least) for event in small.events),
        queries=(
            Query(epsilon=limits.epsilon, keys=(1,)),
            Query(epsilon=limits.epsilon / 2, delta=limits.delta / 2),
        ),
    )


def event_source(name: str, filters: str, expiry: int) -> EventSource:
    """Return an event-level source with one datum, two windows and at most one report."""
    specification = TriggerSpecification(data=0, windows=(5, 10), buckets=(1,))
    return EventSource(
        source_id=name,
        destination="shop",
        expiry=expiry,
        filters=frozenset(filters),
        maximum_reports=1,
        specifications=(specification,),
    )


def event_trigger(filters: str, value: int) -> EventTrigger:
    """Return an event-level trigger of the default universes."""
    return EventTrigger(
        trigger_id="t", destination="shop", filters=frozenset(filters), data=0, value=value
    )


def event_universe() -> Universe:
    """Return the default universe for event-level reports: two sources, triggers and windows."""
    return Universe(
        name="event level",
        limits=small_limits(),
        units=("A", "B"),
        moves=6,
        event_sources=(event_source("A", "ac", 100), event_source("B", "bc", 5)),
        event_triggers=(event_trigger("c", 1), event_trigger("b", 2)),
        event_trigger_count=2,
        moments=(5, 10),
        promise="event",
    )


def event_data_universe() -> Universe:
    """Return a universe for event-level reports with two data in one window.

    There are triggers that are worth nothing, match nothing or have a datum that is not listed.
    """
    specifications = tuple(
        TriggerSpecification(data=data, windows=(5,), buckets=(1,)) for data in (0, 1)
    )
    wide = replace(event_source("A", "a", 100), maximum_reports=2, specifications=specifications)
    bought = event_trigger("a", 1)
    return Universe(
        name="event level, two data",
        limits=small_limits(),
        units=("A",),
        moves=4,
        event_sources=(wide,),
        event_triggers=(
            bought,
            replace(bought, data=1),
            replace(bought, data=2),
            replace(bought, value=0),
            replace(bought, destination="elsewhere"),
            replace(bought, filters=frozenset()),
        ),
        event_trigger_count=2,
        moments=(5,),
        promise="event",
    )


def event_windows_universe() -> Universe:
    """Return a universe for event-level reports with two reports in two windows."""
    specification = TriggerSpecification(data=0, windows=(5, 10), buckets=(1, 2))
    long = replace(event_source("A", "a", 100), maximum_reports=2, specifications=(specification,))
    return Universe(
        name="event level, two reports",
        limits=small_limits(),
        units=("A",),
        moves=5,
        event_sources=(long,),
        event_triggers=(event_trigger("a", 1), event_trigger("a", 2)),
        event_trigger_count=2,
        moments=(5, 10),
        promise="event",
    )


def large_event_source() -> EventSource:
    """Return an event-level source with one window and as many reports as a source may have."""
    most = small_limits().maximum_reports
    specification = TriggerSpecification(data=0, windows=(5,), buckets=tuple(range(1, most + 1)))
    return replace(
        event_source("A", "a", 100), maximum_reports=most, specifications=(specification,)
    )


def event_reports_universe(words: Vocabulary) -> Universe:
    """Return a universe for event-level reports with as many reports as a source may have.

    Counts that a proposal mentions are among the values.
    """
    most = small_limits().maximum_reports
    values = (most, *[value for value in words.around if value < most][:MOST_WORDS])
    return Universe(
        name="event level, many reports",
        limits=small_limits(),
        units=("A",),
        moves=3,
        event_sources=(large_event_source(),),
        event_triggers=tuple(event_trigger("a", value) for value in values),
        event_trigger_count=1,
        moments=(5,),
        promise="event",
    )


def event_later_universe() -> Universe:
    """Return a universe for event-level reports: after many reports comes one of another source."""
    specification = TriggerSpecification(data=0, windows=(10,), buckets=(1,))
    later = replace(event_source("B", "b", 100), specifications=(specification,))
    most = small_limits().maximum_reports
    return Universe(
        name="event level, after many reports",
        limits=small_limits(),
        units=("A",),
        moves=6,
        event_sources=(large_event_source(), later),
        event_triggers=(event_trigger("a", most), event_trigger("b", 1)),
        event_trigger_count=2,
        moments=(5, 10),
        promise="event",
    )


def event_four_data_universe() -> Universe:
    """Return a universe for event-level reports with four data in one window."""
    specifications = tuple(
        TriggerSpecification(data=data, windows=(5,), buckets=(1,)) for data in range(4)
    )
    wide = replace(event_source("A", "a", 100), maximum_reports=4, specifications=specifications)
    bought = event_trigger("a", 1)
    return Universe(
        name="event level, four data",
        limits=small_limits(),
        units=("A",),
        moves=4,
        event_sources=(wide,),
        event_triggers=tuple(replace(bought, data=data) for data in (0, 3)),
        event_trigger_count=2,
        moments=(5,),
        promise="event",
    )


def event_words(words: Vocabulary) -> Universe:
    """Return a universe for event-level reports in the words of a proposal."""
    usual = event_trigger("c", 1)
    named = replace(
        event_source("A", "ac", 100),
        filters=frozenset({"c", *words.texts}),
        specifications=(TriggerSpecification(data=0, windows=(5,), buckets=(1,)),),
    )
    others = tuple(replace(named, source_id=name) for name in "BC")
    bought = [
        usual,
        *words.variants(usual),
        *(replace(usual, value=number) for number in words.around),
        *(replace(usual, trigger_id=text, filters=frozenset({text})) for text in words.texts),
    ]
    return Universe(
        name="event level, words of the proposal",
        limits=small_limits(),
        units=("A",),
        moves=5,
        event_sources=(*others, *(named, *words.variants(named))[-1:]),
        event_triggers=tuple(bought[:MOST_WORDS]),
        event_trigger_count=1,
        moments=(5,),
        promise="event",
    )


def combined_universe() -> Universe:
    """Return the default universe for summary and event-level reports of one source."""
    limits = replace(small_limits(), epsilon=Fraction(2), delta=Fraction(1, 8))
    return Universe(
        name="ARA and event level",
        limits=limits,
        units=("A",),
        moves=7,
        sources=(source("A", "ac", 100),),
        triggers=(trigger("c", limits.contribution_budget),),
        trigger_count=1,
        event_sources=(event_source("A", "ac", 100),),
        event_triggers=(event_trigger("c", 1),),
        event_trigger_count=1,
        queries=(
            Query(epsilon=Fraction(2), delta=Fraction(1, 8)),
            Query(epsilon=Fraction(2), keys=(1,)),
        ),
        query_count=1,
        moments=(5, 10),
        promise="both",
    )
