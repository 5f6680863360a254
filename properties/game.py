r"""The worst adversary, solved exactly.

An adversary adaptively picks actions, sees responses, and in the end guesses whether the unit $x$ was
there. It is deterministic in the responses, so the best one is found by dynamic programming. A node is
the pair of unnormalised measures over the mechanism's states in the two worlds, given the responses so
far. An action splits the node by response. A leaf pays $\max(0, |\mu_P| - e^{\varepsilon} |\mu_Q|)$, and
the value of the root is the exact worst $\delta$ at $\varepsilon$ over all adaptive adversaries.

The factor $e^{\varepsilon}$ is put into $\mu_Q$ at the root, so that nodes do not depend on
$\varepsilon$ and one memory serves the whole curve $\delta(\varepsilon)$. A node's value is homogeneous
in its two measures, so nodes are remembered with $|\mu_P| = 1$. Nothing is pruned but what is exact: a
measure of zero on one side decides a node.

Noise with infinite support is cut outside a window of noisy values that contains every true sum. There
the likelihood ratio of any two worlds is constant, so that "below" and "above" say all that the exact
value would say. A true sum outside the window enlarges it and starts the game again.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Protocol

from flint import fmpq

from spec.aggregation_service import Answer, Query
from spec.distributions import Draw, Law, explore
from spec.interaction import Mechanism
from spec.noise import Noisy
from spec.numbers import SpecError
from spec.reports import Report
from spec.rules import Rules

ZERO = fmpq(0)
ONE = fmpq(1)

Measure = tuple[tuple[int, fmpq], ...]


class OutOfWindow(SpecError):
    """Report a true sum outside the window of noisy values."""


class OutOfTime(SpecError):
    """Report that the time or the number of nodes allowed is used up."""


class Menu(Protocol):
    """Say which actions the adversary may take next."""

    @property
    def start(self) -> Hashable:
        """Return the progress before the first action."""
        ...

    def choices(
        self, progress: Hashable, states: Sequence[object]
    ) -> Iterable[tuple[Hashable, Hashable]]:
        """Return the actions, each with the progress after it, given the states there may be."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Bound the noisy values that are told apart, and the true sums that may occur."""

    lowest: int = 0
    highest: int = 4

    def outcomes(self, law: Law[object]) -> Iterable[tuple[object, Fraction]]:
        """List a law's outcomes; lump the noisy values outside the window where noise is infinite."""
        if not isinstance(law, Noisy):
            return law.outcomes()
        low, high = law.noise.support
        if low is not None and high is not None:
            return [
                (law.centre + x, rational(law.noise.pmf(x))) for x in range(low, high + 1)
            ]
        if not self.lowest <= law.centre <= self.highest:
            raise OutOfWindow(f"a true sum of {law.centre} outside {self.lowest}..{self.highest}")
        if law.noise.decay is None:
            return law.outcomes()
        inside = [
            (w, rational(law.noise.pmf(w - law.centre)))
            for w in range(self.lowest + 1, self.highest)
        ]
        below = 1 - rational(law.noise.tail(self.lowest - law.centre))
        above = rational(law.noise.tail(self.highest - 1 - law.centre))
        return [(self.lowest, below), *inside, (self.highest, above)]


def rational(value: object) -> Fraction:
    """Return an exact probability; refuse an enclosure."""
    if not isinstance(value, Fraction | int):
        raise SpecError(f"the game needs rational probabilities, not {value}")
    return Fraction(value)


@dataclass(slots=True, kw_only=True)
class World:
    """Run one world's mechanism, with states numbered and steps remembered."""

    mechanism: Mechanism[Hashable, Hashable, Hashable]
    window: Window
    states: list[Hashable] = field(default_factory=list)
    numbers: dict[Hashable, int] = field(default_factory=dict)
    steps: dict[tuple[int, Hashable], list[tuple[Hashable, int, fmpq]]] = field(
        default_factory=dict
    )

    def number(self, state: Hashable) -> int:
        """Return the state's number."""
        found = self.numbers.get(state)
        if found is None:
            found = self.numbers[state] = len(self.states)
            self.states.append(state)
        return found

    def step(self, state: int, action: Hashable) -> list[tuple[Hashable, int, fmpq]]:
        """Return every response with the next state and its probability."""
        found = self.steps.get((state, action))
        if found is None:

            def run(draw: Draw) -> tuple[int, Hashable]:
                after, response = self.mechanism.step(self.states[state], action, draw)
                return self.number(after), response

            law = explore(run, self.window.outcomes)
            found = [
                (response, after, fmpq(p.numerator, p.denominator))
                for (after, response), p in law.items()
            ]
            self.steps[state, action] = found
        return found


@dataclass(frozen=True, slots=True)
class Node:
    """Hold the two measures over states, with the adversary's progress."""

    progress: Hashable
    with_unit: Measure
    without_unit: Measure


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """Hold one response of a strategy: its masses in both worlds and what follows."""

    response: Hashable
    with_unit: Fraction
    without_unit: Fraction
    then: Plan | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Hold a strategy: an action, and a branch for every response to it."""

    action: Hashable
    branches: tuple[Branch, ...]


@dataclass(slots=True, kw_only=True)
class Game:
    """Solve the distinguishing game between two worlds."""

    first: World
    second: World
    menu: Menu
    budget: Callable[[], bool] = lambda: True
    values: dict[tuple[Node, int], fmpq] = field(default_factory=dict)
    options: dict[tuple[Hashable, Measure, Measure], list[tuple[Hashable, Hashable]]] = field(
        default_factory=dict
    )

    def root(self, power: Fraction) -> Node:
        """Return the start of the game at $e^{\varepsilon}$ = power."""
        return Node(
            self.menu.start,
            ((self.first.number(self.first.mechanism.initial), ONE),),
            (
                (
                    self.second.number(self.second.mechanism.initial),
                    fmpq(power.numerator, power.denominator),
                ),
            ),
        )

    def worst(self, power: Fraction, moves: int) -> Fraction:
        """Return the exact worst delta over all adversaries with at most this many actions."""
        return fraction(self.value(self.root(power), moves))

    def value(self, node: Node, moves: int) -> fmpq:
        """Return what the best adversary gains from a node with the actions that are left."""
        mass, other = total(node.with_unit), total(node.without_unit)
        if mass == 0 or other == 0 or moves == 0:
            return mass - other if mass > other else ZERO
        key = (normalised(node, mass), moves)
        known = self.values.get(key)
        if known is None:
            if not self.budget():
                raise OutOfTime("the time allowed is used up")
            unit = key[0]
            choices = self.choices(unit)
            if choices:
                known = max(
                    sum((self.value(child, moves - 1) for _, child in self.after(unit, choice)), ZERO)
                    for choice in choices
                )
            else:
                known = ONE - other / mass if mass > other else ZERO
            self.values[key] = known
        return known * mass

    def choices(self, node: Node) -> list[tuple[Hashable, Hashable]]:
        """Return the actions that may be taken at a node."""
        states = [self.first.states[s] for s, _ in node.with_unit]
        states += [self.second.states[s] for s, _ in node.without_unit]
        return list(self.menu.choices(node.progress, states))

    def after(
        self, node: Node, choice: tuple[Hashable, Hashable]
    ) -> list[tuple[Hashable, Node]]:
        """Split a node by the responses to an action."""
        action, progress = choice
        split: dict[Hashable, tuple[dict[int, fmpq], dict[int, fmpq]]] = {}
        sides = ((self.first, node.with_unit), (self.second, node.without_unit))
        for side, (world, measure) in enumerate(sides):
            for state, weight in measure:
                for response, after, probability in world.step(state, action):
                    pair = split.get(response)
                    if pair is None:
                        pair = split[response] = ({}, {})
                    masses = pair[side]
                    masses[after] = masses.get(after, ZERO) + weight * probability
        return [
            (response, Node(progress, tuple(sorted(p.items())), tuple(sorted(q.items()))))
            for response, (p, q) in split.items()
        ]

    def plan(self, node: Node, moves: int) -> Plan | None:
        """Return a best strategy from a node, or None where nothing more is gained by acting."""
        best = self.value(node, moves)
        mass, other = total(node.with_unit), total(node.without_unit)
        now = mass - other if mass > other else ZERO
        if best == now or moves == 0:
            return None
        for choice in self.choices(node):
            children = self.after(node, choice)
            if sum((self.value(child, moves - 1) for _, child in children), ZERO) == best:
                return Plan(
                    action=choice[0],
                    branches=tuple(
                        Branch(
                            response=response,
                            with_unit=fraction(total(child.with_unit)),
                            without_unit=fraction(total(child.without_unit)),
                            then=self.plan(child, moves - 1),
                        )
                        for response, child in children
                    ),
                )
        raise SpecError("no action attains the value of its node")


def total(measure: Measure) -> fmpq:
    """Return the mass of a measure."""
    mass = ZERO
    for _, weight in measure:
        mass = mass + weight
    return mass


def normalised(node: Node, mass: fmpq) -> Node:
    """Scale a node so that the first measure has mass one."""
    if mass == 1:
        return node
    return Node(
        node.progress,
        tuple((state, weight / mass) for state, weight in node.with_unit),
        tuple((state, weight / mass) for state, weight in node.without_unit),
    )


def fraction(value: fmpq) -> Fraction:
    """Return the fraction with the same value."""
    return Fraction(int(value.p), int(value.q))


def with_answers_remembered(rules: Rules, window: Window) -> Rules:
    """Return the rules with the law of every answer computed once; an answer has no state."""
    laws: dict[tuple[Query, tuple[Report, ...]], Law[Answer]] = {}

    def answer(given: Rules, query: Query, batch: tuple[Report, ...], draw: Draw) -> Answer:
        law = laws.get((query, batch))
        if law is None:
            law = explore(lambda inner: rules.answer(given, query, batch, inner), window.outcomes)
            laws[query, batch] = law
        return draw(law)

    return replace(rules, answer=answer)
