r"""The worst adversary against Attribution Level 1, solved exactly by the engine of every family.

A universe lists moves in the order of time. The adversary takes or leaves each, and decides by what
it has seen. It may be allowed to see what one site sees only. A `Reaction` is another site's
program: it reads the answer to a job of its own and then makes a move or does not; nobody else sees
the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeAlias, cast

from properties.game import Game, Plan, Steps, Window, World
from properties.solve import through_window
from spec.distributions import Draw, hockey_stick
from spec.distributions import explore as explored
from spec.interaction import Mechanism, transcript
from spec.level1 import (
    Device,
    Job,
    Level1Limits,
    Level1Mechanism,
    Level1Move,
    Level1Observation,
    Level1OtherWorld,
    Level1Rules,
    Level1System,
    Level1Unit,
)
from spec.numbers import Power, SpecError

WITH, WITHOUT = "with the unit", "without the unit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reaction:
    """Let a site ask a job and make a move if its first bucket shows at least a bound."""

    job: Job
    at_least: int
    move: Level1Move


Action: TypeAlias = Level1Move | Reaction


@dataclass(frozen=True, slots=True, kw_only=True)
class Level1Universe:
    """Hold a small world: limits, moves, the unit, the promised epsilon, and who is watching.

    Without a `view` all sites pool what they see. `in_full`, every move is made in its turn.
    """

    name: str
    limits: Level1Limits
    moves: tuple[Action, ...]
    unit: Level1Unit
    epsilon: Fraction
    view: str | None = None
    never_saved: bool = False
    in_full: bool = False

    @property
    def initial(self) -> Level1System:
        """Return the system in which epochs start at zero on the unit's device."""
        empty = Level1System()
        device = Device(epoch_start=0)
        return replace(empty, devices=empty.devices.set(self.unit.device, device))

    @property
    def power(self) -> Fraction:
        r"""Return $e^{\varepsilon}$ of the promise."""
        return Power(self.limits.base, self.epsilon).exact()


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """Be a mechanism of which one site, or everybody, sees its part; reactions are made inside."""

    inner: Mechanism[Level1System, Level1Move, Level1Observation]
    view: str | None
    initial: Level1System

    def step(
        self, state: Level1System, action: Action, draw: Draw
    ) -> tuple[Level1System, Level1Observation]:
        """Make a move, and the reaction to it; return what is seen."""
        if isinstance(action, Reaction):
            state, seen = self.inner.step(state, action.job, draw)
            shown = seen[0].shown
            if isinstance(shown, tuple) and shown[0] >= action.at_least:
                state, more = self.inner.step(state, action.move, draw)
                seen += more
        else:
            state, seen = self.inner.step(state, action, draw)
        return state, tuple(each for each in seen if self.view in (None, each.site))


@dataclass(frozen=True, slots=True)
class InOrder:
    """Offer every later move of a universe, or the next; a job only where its reports exist."""

    moves: tuple[Action, ...]
    start: int = 0
    in_full: bool = False

    def choices(
        self, progress: Hashable, states: Sequence[object]
    ) -> Iterable[tuple[Hashable, Hashable]]:
        """Return the moves that may come next."""
        reports = cast(Level1System, states[0]).reports
        first = cast(int, progress)
        last = first + 1 if self.in_full else len(self.moves)
        for place in range(first, min(last, len(self.moves))):
            action = self.moves[place]
            job = action.job if isinstance(action, Reaction) else action
            if not isinstance(job, Job) or all(each in reports for each in job.report_ids):
                yield action, place + 1

    def tells(self, action: Hashable) -> bool:
        """Take every action for one that may show something."""
        del action
        return True

    def spares(self, action: Hashable) -> bool:
        """Tell whether a move may be left out, and the later ones stay."""
        del action
        return not self.in_full


@dataclass(frozen=True, slots=True, kw_only=True)
class Level1Attack:
    """Hold the smallest attack: what is done, and how likely the telling outcomes are.

    `likely` and `unlikely` are the probabilities of the outcomes by which the adversary decides,
    in the world where they are likelier and in the other; they were computed again from the plan.
    """

    universe: Level1Universe
    direction: str
    plan: Plan
    moves: int
    likely: Fraction
    unlikely: Fraction

    @property
    def excess(self) -> Fraction:
        """Return by how much the promise is broken: the delta that it would need."""
        return self.likely - self.universe.power * self.unlikely

    def longest(self) -> tuple[Action, ...]:
        """Return the moves of a longest way through the plan."""

        def path(plan: Plan | None) -> tuple[Action, ...]:
            if plan is None:
                return ()
            after = max((path(each.then) for each in plan.branches), key=len)
            return (cast(Action, plan.action), *after)

        return path(self.plan)


@dataclass(frozen=True, slots=True, kw_only=True)
class Level1Solution:
    """Hold what was found in a universe; a game in which no state differed is vacuous."""

    universe: Level1Universe
    worst: Fraction
    nodes: int
    vacuous: bool
    attack: Level1Attack | None = None


class AttackDoesNotReplay(SpecError):
    """Report an attack that comes out differently when its plan is run."""


def solve_level1(
    rules: Level1Rules, universe: Level1Universe, steps: int | None = None
) -> Level1Solution:
    """Solve a universe: raise the number of moves until the promise breaks, or all are taken."""
    rules = replace(rules, limits=universe.limits)
    return through_window(
        Window(), lambda window: _solve(rules, universe, window, steps), cut=False
    )


def _solve(
    rules: Level1Rules, universe: Level1Universe, window: Window, steps: int | None
) -> Level1Solution:
    there = Level1Mechanism(rules=rules)
    gone = Level1OtherWorld(rules=rules, unit=universe.unit, never_saved=universe.never_saved)
    budget = Steps(steps)

    def world(inner: Mechanism[Level1System, Level1Move, Level1Observation]) -> World:
        watched = Watched(inner=inner, view=universe.view, initial=universe.initial)
        mechanism = cast(Mechanism[Hashable, Hashable, Hashable], watched)
        return World(mechanism=mechanism, window=window, budget=budget)

    worlds = {WITH: world(there), WITHOUT: world(gone)}
    menu = InOrder(universe.moves, in_full=universe.in_full)
    games = {
        WITH: Game(first=worlds[WITH], second=worlds[WITHOUT], menu=menu, budget=budget),
        WITHOUT: Game(first=worlds[WITHOUT], second=worlds[WITH], menu=menu, budget=budget),
    }
    worst, attack = Fraction(0), None
    for count in range(1, len(universe.moves) + 1):
        for direction, game in games.items():
            found = game.worst(universe.power, count)
            if found > worst:
                worst = found
                plan = game.plan(game.root(universe.power), count)
                assert plan is not None
                attack = _attack(universe, worlds, direction, plan, count, window, found)
        if attack is not None:
            break
    return Level1Solution(
        universe=universe,
        worst=worst,
        nodes=sum(game.nodes for game in games.values()),
        vacuous=worlds[WITH].states == worlds[WITHOUT].states,
        attack=attack,
    )


def _attack(
    universe: Level1Universe,
    worlds: dict[str, World],
    direction: str,
    plan: Plan,
    count: int,
    window: Window,
    promised: Fraction,
) -> Level1Attack:
    """Run the plan of an attack in both worlds, and compare the laws of all that is seen."""
    other = WITHOUT if direction == WITH else WITH
    laws = [explored(_played(worlds[each], plan), window.outcomes) for each in (direction, other)]
    excess = hockey_stick(laws[0], laws[1], universe.power)
    telling = [
        seen
        for seen in laws[0]
        if laws[0].probability_of(seen) > universe.power * laws[1].probability_of(seen)
    ]
    if excess != promised:
        raise AttackDoesNotReplay(f"{universe.name}: {excess} in place of {promised}")
    return Level1Attack(
        universe=universe,
        direction=direction,
        plan=plan,
        moves=count,
        likely=sum((laws[0].probability_of(seen) for seen in telling), Fraction(0)),
        unlikely=sum((laws[1].probability_of(seen) for seen in telling), Fraction(0)),
    )


def _played(world: World, plan: Plan) -> Callable[[Draw], tuple[Hashable, ...]]:
    def adversary(responses: tuple[Hashable, ...]) -> Hashable | None:
        here: Plan | None = plan
        for response in responses:
            assert here is not None
            here = next((b.then for b in here.branches if b.response == response), None)
        return None if here is None else here.action

    return lambda draw: transcript(world.mechanism, adversary, draw)
