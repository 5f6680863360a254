r"""How much one unit can change what is summed, over long runs of the clients.

The game is exact and therefore short. What a unit contributes shows without any noise, so longer
runs of the clients can be searched for it: every order of registrations, triggers, events and
ticks up to a number of moves, with and without the unit side by side. Where the sums of some
batch differ by more than $\Lambda_1$, a single query for that batch with all of $\varepsilon_*$
is played as a game: then the attack is exact, and it is refuted or not by its own probabilities.

A budget that comes back after a month, or that is kept for every trigger identifier, shows only
where time and identifiers differ. So shorter runs follow, from the moment where every source is
registered: few triggers and events, two trigger identifiers, and jumps of time up to a year.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from properties.attack import Attack, attack_of, untyped
from properties.game import Game, Steps, Window, WindowTooWide, World
from properties.solve import cut_window, first_window, slack, through_window
from properties.universe import Progress, SystemMenu, described
from spec.aggregation_service import Query
from spec.contributions import Unit
from spec.neighbours import Relation, Worlds
from spec.numbers import Power, SpecError
from spec.reports import Key
from spec.rules import Rules
from spec.system import Move, PassTime, System, SystemMechanism
from spec.universe import Universe

MOST_NODES = 20_000
HOUR = 60 * 60
DAY = 24 * HOUR
JUMPS = (HOUR, DAY, 30 * DAY, 365 * DAY)
FAR_AWAY = 10 * 365 * DAY
SPACED_CONTRIBUTIONS = 3
SPACED_MOVES = 4


class NotDeterministic(SpecError):
    """Report clients that draw, which this search does not follow."""


@dataclass(frozen=True, slots=True)
class Reached:
    """Hold a pair of states, what was done to get there, and the adversary's progress."""

    progress: Progress
    there: int
    gone: int
    moves: tuple[Move, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensitivity:
    """Hold the largest change of the sums that was found, and the attack where it is too large.

    There is none where the sums are too large to be played.
    """

    largest: int
    moves: int
    nodes: int
    attack: Attack | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """Be the menu of an adversary that follows a list of moves."""

    moves: tuple[Hashable, ...]
    start: Hashable = 0

    def choices(
        self, progress: Hashable, states: Sequence[object]
    ) -> Iterable[tuple[Hashable, Hashable]]:
        """Return the next move of the list."""
        del states
        assert isinstance(progress, int)
        if progress < len(self.moves):
            yield self.moves[progress], progress + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class JumpingMenu(SystemMenu):
    """Offer the moves of a universe, and at any time every later moment of it."""

    def happenings(self, progress: Progress) -> Iterable[tuple[Move, Progress]]:
        """Return the triggers and events that may happen next, and the moments to jump to."""
        for move, after in SystemMenu.happenings(self, progress):
            if not isinstance(move, PassTime):
                yield move, after
        for tick in range(progress.ticks, len(self.universe.moments)):
            yield self.tick(tick), replace(progress, ticks=tick + 1)


@dataclass(slots=True, kw_only=True)
class Search:
    """Search the runs of a universe level by level, with and without a unit side by side."""

    rules: Rules
    relation: Relation
    universe: Universe
    menu: SystemMenu
    runs: str
    largest: int = 0
    nodes: int = 0

    def found(self, unit: Unit, before: tuple[Move, ...], moves: int) -> Sensitivity | None:
        """Return the first attack that so many moves after some given ones lead to."""
        there = World(mechanism=untyped(SystemMechanism(rules=self.rules)), window=Window())
        gone = World(mechanism=untyped(self.relation.without(self.rules, unit)), window=Window())
        start = Reached(
            self.menu.start,
            there.number(there.mechanism.initial),
            gone.number(gone.mechanism.initial),
            (),
        )
        level = [start]
        for move in before:
            level = [
                reached
                for reached in following(level, self.menu, there, gone)
                if reached.moves[-1] == move
            ]
        for _ in range(moves):
            level = following(level, self.menu, there, gone)
            self.nodes += len(level)
            for reached in level:
                result = self.judged(unit, reached, there, gone)
                if result is not None:
                    return result
            if self.nodes > MOST_NODES:
                break
        return None

    def judged(self, unit: Unit, reached: Reached, there: World, gone: World) -> Sensitivity | None:
        """Return the attack of one pair of states, if the sums change by more than the budget."""
        changed, query = change(there, gone, reached, self.universe)
        self.largest = max(self.largest, changed)
        if changed <= self.universe.limits.contribution_budget:
            return None
        moves = (*reached.moves, query)
        try:
            attack = played(self.rules, self.relation, self.universe, unit, moves)
        except WindowTooWide:
            return None
        if attack is None:
            return None
        runs = f"{self.runs} of at most {len(reached.moves)} moves"
        told = f"{described(self.universe)}; {runs}, then one query"
        return Sensitivity(
            largest=changed,
            moves=len(reached.moves),
            nodes=self.nodes,
            attack=replace(attack, searched=told),
        )


def sensitivity(rules: Rules, relation: Relation, universe: Universe, moves: int) -> Sensitivity:
    """Search the clients' runs for a unit that changes the sums by more than its budget."""
    rules = replace(rules, limits=universe.limits)
    every = Search(
        rules=rules,
        relation=relation,
        universe=universe,
        menu=SystemMenu(universe=replace(universe, query_count=0), rules=rules),
        runs="every run of the clients",
    )
    for unit in universe.units:
        if (result := every.found(unit, (), moves)) is not None:
            return result
    wide = spaced(universe)
    jumping = Search(
        rules=rules,
        relation=relation,
        universe=wide,
        menu=JumpingMenu(universe=replace(wide, query_count=0), rules=rules),
        runs="every run of the clients with jumps of time and every source registered first,",
    )
    for unit in universe.units:
        # The unit's own source is registered last, so that it is the newest.
        before = sorted(wide.sources, key=lambda source: source.source_id == unit)
        if (result := jumping.found(unit, tuple(before), SPACED_MOVES)) is not None:
            return replace(result, nodes=every.nodes + result.nodes)
    return Sensitivity(
        largest=max(every.largest, jumping.largest),
        moves=moves,
        nodes=every.nodes + jumping.nodes,
    )


def following(level: list[Reached], menu: SystemMenu, there: World, gone: World) -> list[Reached]:
    """Return what one more move leads to, each pair of states once."""
    found: dict[tuple[Hashable, int, int], Reached] = {}
    for reached in level:
        states = (there.states[reached.there], gone.states[reached.gone])
        for move, progress in menu.choices(reached.progress, states):
            mine, theirs = there.step(reached.there, move), gone.step(reached.gone, move)
            if len(mine) != 1 or len(theirs) != 1:
                raise NotDeterministic("the clients draw")
            key = (progress, mine[0][1], theirs[0][1])
            if key not in found:
                assert isinstance(progress, Progress)
                found[key] = Reached(
                    progress,
                    mine[0][1],
                    theirs[0][1],
                    (*reached.moves, move),  # type: ignore[arg-type]
                )
    return list(found.values())


def change(there: World, gone: World, reached: Reached, universe: Universe) -> tuple[int, Query]:
    """Return how much the sums over the reports that differ change, and the query that asks."""
    mine, theirs = there.states[reached.there], gone.states[reached.gone]
    assert isinstance(mine, System)
    assert isinstance(theirs, Worlds)
    sums: dict[Key, int] = {}
    batch: list[int] = []
    for report_id in sorted(set(mine.reports) & set(theirs.own.reports)):
        with_unit, without = mine.reports[report_id], theirs.own.reports[report_id]
        if with_unit != without:
            batch.append(report_id)
            for sign, report in ((1, with_unit), (-1, without)):
                for part in report.contributions:
                    sums[part.key] = sums.get(part.key, 0) + sign * part.value
    query = Query(
        epsilon=universe.limits.epsilon, report_ids=tuple(batch), keys=tuple(sorted(sums))
    )
    return sum(map(abs, sums.values())), query


def played(
    rules: Rules,
    relation: Relation,
    universe: Universe,
    unit: Unit,
    moves: tuple[Move, ...],
    budget: Steps | None = None,
) -> Attack | None:
    """Play a list of moves as a game; return the attack if it breaks the promise."""
    epsilon, delta = universe.promised
    power = Power(universe.limits.base, epsilon).exact()
    listed = replace(universe, name=f"{universe.name}, one query", moves=len(moves))
    steps = budget or Steps()

    def attempt(window: Window) -> Attack | None:
        mechanism, without = SystemMechanism(rules=rules), relation.without(rules, unit)
        there = World(mechanism=untyped(mechanism), window=window, budget=steps)
        gone = World(mechanism=untyped(without), window=window, budget=steps)
        for direction, first, second in (("with x", there, gone), ("without x", gone, there)):
            game = Game(first=first, second=second, menu=Script(moves=moves), budget=steps)
            if game.worst(power, len(moves)) - slack(window, power) > delta:
                return attack_of(
                    rules, relation, listed, window, game, unit, direction, len(moves), power
                )
        return None

    window = first_window(rules, universe)
    return through_window(cut_window(window) if window.watched else window, attempt)


def longer(universe: Universe, count: int) -> Universe:
    """Return the universe with more triggers and events, and a query for all of the budget."""
    triggers = universe.triggers
    if triggers:
        most = universe.limits.contribution_budget
        triggers += (replace(triggers[0], value=most + 1),)
    return replace(
        universe,
        triggers=triggers,
        limits=replace(universe.limits, delta=min(universe.limits.delta, Fraction(1, 1024))),
        trigger_count=count if universe.trigger_count else 0,
        event_count=count if universe.event_count else 0,
        moves=count + len(universe.sources) + len(universe.moments) + 1,
    )


def spaced(universe: Universe) -> Universe:
    """Return the universe with jumps of time, sources that live on, and other names.

    There are a second trigger identifier, a second destination and a second ad-tech. For events
    there are moments inside the first two time windows too: only these are one unit's.
    """
    first, length = universe.triggers[:1], universe.limits.window_length
    inside = (length // 2, length - 1, length, length * 3 // 2) if universe.event_count else ()
    return replace(
        universe,
        name=f"{universe.name}, jumps of time",
        sources=tuple(replace(source, expiry=FAR_AWAY) for source in universe.sources),
        event_sources=(),
        triggers=universe.triggers[:2]
        + tuple(replace(found, trigger_id="another") for found in first)
        + tuple(replace(found, destination="another") for found in first),
        events=universe.events[:2]
        + tuple(replace(found, ad_tech="another") for found in universe.events[:1]),
        trigger_count=min(universe.trigger_count, SPACED_CONTRIBUTIONS),
        event_count=min(universe.event_count, SPACED_CONTRIBUTIONS),
        moments=tuple(sorted({*inside, *JUMPS} - {0})),
        moves=len(universe.sources) + SPACED_MOVES,
    )
