r"""Every adversary, one after the other: what the game solver is compared with.

On the smallest universes all deterministic adversaries can be listed. Each is run against both
worlds by the specification's own `transcript`, the laws of the two transcripts are computed
exactly, and the largest $\max_W P(W) - e^{\varepsilon} Q(W)$ is what the best adversary gains.
Nothing there knows of nodes, likelihood ratios or memory; only the menu is shared with the solver.

Where there are too many adversaries, `worst_by_nodes` is the plain dynamic programme: nodes as they
are defined, in Python's fractions, each valued once, and nothing else that makes it quicker.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import product
from math import prod
from typing import TypeAlias

from properties.game import Menu
from spec.distributions import Distribution, Draw, Law, explore, hockey_stick
from spec.interaction import Mechanism, transcript

Untyped: TypeAlias = Mechanism[Hashable, Hashable, Hashable]
Outcomes: TypeAlias = Callable[[Law[object]], Iterable[tuple[object, Fraction]]]
Responses: TypeAlias = tuple[Hashable, ...]
Strategy: TypeAlias = Mapping[Responses, Hashable]
Supports: TypeAlias = tuple[frozenset[Hashable], frozenset[Hashable]]


@dataclass(slots=True, kw_only=True)
class Remembered:
    """Be a mechanism that computes the law of each of its steps once."""

    mechanism: Untyped
    outcomes: Outcomes
    laws: dict[tuple[Hashable, Hashable], Distribution[tuple[Hashable, Hashable]]] = field(
        default_factory=dict
    )

    @property
    def initial(self) -> Hashable:
        """Return the mechanism's own initial state."""
        return self.mechanism.initial

    def law(self, state: Hashable, action: Hashable) -> Distribution[tuple[Hashable, Hashable]]:
        """Return the law of the next state and the response."""
        found = self.laws.get((state, action))
        if found is None:
            found = self.laws[state, action] = explore(
                lambda draw: self.mechanism.step(state, action, draw), self.outcomes
            )
        return found

    def step(self, state: Hashable, action: Hashable, draw: Draw) -> tuple[Hashable, Hashable]:
        """Draw from the law of the step."""
        return draw(self.law(state, action))


def worst_of_all(
    there: Untyped, gone: Untyped, menu: Menu, power: Fraction, moves: int, outcomes: Outcomes
) -> tuple[Fraction, int]:
    """Return what the best adversary gains, and how many adversaries there are."""
    first = Remembered(mechanism=there, outcomes=outcomes)
    second = Remembered(mechanism=gone, outcomes=outcomes)
    starts = (frozenset({first.initial}), frozenset({second.initial}))
    worst, count = Fraction(0), 0
    for strategy in strategies((first, second), menu, menu.start, starts, moves):
        gain = hockey_stick(played(first, strategy), played(second, strategy), power)
        worst = max(worst, gain)
        count += 1
    return worst, count


def played(mechanism: Remembered, strategy: Strategy) -> Distribution[Responses]:
    """Return the law of the transcript of one adversary."""
    return explore(lambda draw: transcript(mechanism, strategy.get, draw))


def strategies(
    worlds: tuple[Remembered, Remembered],
    menu: Menu,
    progress: Hashable,
    states: Supports,
    moves: int,
) -> Iterator[Strategy]:
    """List the deterministic adversaries: an action for every sequence of responses, or a halt."""
    yield {}
    if moves == 0:
        return
    for action, after in menu.choices(progress, [*states[0], *states[1]]):
        options = [
            [(response, then) for then in strategies(worlds, menu, after, reached, moves - 1)]
            for response, reached in responses(worlds, states, action)
        ]
        for chosen in product(*options):
            yield {
                (): action,
                **{
                    (response, *seen): then
                    for response, strategy in chosen
                    for seen, then in strategy.items()
                },
            }


def number_of_all(there: Untyped, gone: Untyped, menu: Menu, moves: int, outcomes: Outcomes) -> int:
    """Return how many deterministic adversaries there are, without listing them."""
    worlds = (
        Remembered(mechanism=there, outcomes=outcomes),
        Remembered(mechanism=gone, outcomes=outcomes),
    )

    @cache
    def number(progress: Hashable, states: Supports, left: int) -> int:
        if left == 0:
            return 1
        return 1 + sum(
            prod(
                number(after, reached, left - 1) for _, reached in responses(worlds, states, action)
            )
            for action, after in menu.choices(progress, [*states[0], *states[1]])
        )

    starts = (frozenset({there.initial}), frozenset({gone.initial}))
    return number(menu.start, starts, moves)


def responses(
    worlds: tuple[Remembered, Remembered], states: Supports, action: Hashable
) -> Iterator[tuple[Hashable, Supports]]:
    """List the possible responses to an action, each with the states it may lead to."""
    reached: dict[Hashable, tuple[set[Hashable], set[Hashable]]] = {}
    for side, world in enumerate(worlds):
        for state in states[side]:
            for (after, response), _ in world.law(state, action).items():
                reached.setdefault(response, (set(), set()))[side].add(after)
    for response, (mine, theirs) in reached.items():
        yield response, (frozenset(mine), frozenset(theirs))


Weighed: TypeAlias = tuple[tuple[Hashable, Fraction], ...]


def worst_by_nodes(
    there: Untyped, gone: Untyped, menu: Menu, power: Fraction, moves: int, outcomes: Outcomes
) -> tuple[Fraction, int]:
    """Return what the best adversary gains, by dynamic programming, and the number of nodes."""
    worlds = (
        Remembered(mechanism=there, outcomes=outcomes),
        Remembered(mechanism=gone, outcomes=outcomes),
    )

    @cache
    def value(progress: Hashable, mine: Weighed, theirs: Weighed, left: int) -> Fraction:
        best = max(Fraction(0), mass(mine) - mass(theirs))
        if left == 0 or not mine or not theirs:
            return best
        states = [state for state, _ in (*mine, *theirs)]
        for action, after in menu.choices(progress, states):
            split: dict[Hashable, tuple[dict[Hashable, Fraction], dict[Hashable, Fraction]]] = {}
            for side, measure in enumerate((mine, theirs)):
                for state, weight in measure:
                    for (then, response), share in worlds[side].law(state, action).items():
                        part = split.setdefault(response, ({}, {}))[side]
                        part[then] = part.get(then, Fraction(0)) + weight * share
            gained = sum(
                (scaled(after, (*p.items(),), (*q.items(),), left - 1) for p, q in split.values()),
                Fraction(0),
            )
            best = max(best, gained)
        return best

    def scaled(progress: Hashable, mine: Weighed, theirs: Weighed, left: int) -> Fraction:
        whole = mass(mine)
        if whole == 0:
            return whole
        first, second = (
            tuple((state, weight / whole) for state, weight in each) for each in (mine, theirs)
        )
        return whole * value(progress, first, second, left)

    start = ((worlds[0].initial, Fraction(1)),), ((worlds[1].initial, power),)
    worst = scaled(menu.start, *start, moves)
    return worst, value.cache_info().currsize


def mass(measure: Weighed) -> Fraction:
    """Return the mass of a measure."""
    return sum((weight for _, weight in measure), Fraction(0))
