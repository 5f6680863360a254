"""Offer the moves of a small universe to the adversary of the whole system.

Report identifiers are given in the order in which reports are caused, which is the only
renaming there is.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations

from properties.game.undrawn import own_of
from spec.aggregation_service import Query
from spec.attribution_client import Source, Trigger
from spec.distributions import Draw, explore
from spec.event_client import EventSource, EventTrigger
from spec.lemmas import SERVICE
from spec.numbers import SpecError
from spec.paper import PAPER
from spec.private_aggregation_client import Event
from spec.reports import ReportId
from spec.rules import Rules
from spec.system import Move, PassTime, System, step
from spec.universe import Universe


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

    A move that is offered again is the same object: games tell moves apart by identity. Where
    `any_tells`, every move is taken to show something.
    """

    universe: Universe
    rules: Rules
    any_tells: bool = False
    start: Progress = field(default=Progress())
    made: dict[Hashable, tuple[Move, ...]] = field(default_factory=dict, compare=False)

    def choices(
        self, progress: Hashable, states: Sequence[object]
    ) -> Iterable[tuple[Hashable, Hashable]]:
        """Return the moves that are left, each with the progress after it.

        Those are left out that show nothing and after which nothing more can be shown.
        """
        assert isinstance(progress, Progress)
        for move, after in self.listed(progress, states):
            if self.tells(move) or self.may_tell(after):
                yield move, after

    def tells(self, action: Hashable) -> bool:
        """Tell whether the ad-tech may see something because of a move, whatever the state is.

        In a step of `spec.system`, and in the world without a unit, what is registered shows
        nothing until time passes. A relation of a proposal's own may show what it likes.
        """
        return self.any_tells or not isinstance(action, Source | EventSource | EventTrigger)

    def spares(self, action: Hashable) -> bool:
        """Tell whether a move only counts: of what is left, nothing but its own kind gets less."""
        return isinstance(action, EventTrigger | Query)

    def may_tell(self, progress: Progress) -> bool:
        """Tell whether a move that is left may show something."""
        universe = self.universe
        return (
            self.any_tells
            or progress.triggers < universe.trigger_count
            or progress.events < universe.event_count
            or progress.queries < universe.query_count
            or progress.ticks < len(universe.moments)
        )

    def listed(
        self, progress: Progress, states: Sequence[object]
    ) -> Iterable[tuple[Move, Progress]]:
        """Return every move that is left, each with the progress after it."""
        systems = [own_of(state) for state in states]
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


def registered(rules: Rules, system: System, source: Move, draw: Draw) -> System:
    """Return the system after a source was registered."""
    return step(rules, system, source, draw)[0]
