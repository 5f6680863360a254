r"""The worst adversary, solved exactly.

An adversary adaptively picks actions, sees responses, and in the end guesses whether the unit $x$
was there. It is deterministic in the responses, so the best one is found by dynamic programming.
A node is the pair of unnormalised measures over the mechanism's states in the two worlds, given
the responses so far. An action splits the node by response. A leaf pays $\max(0, |\mu_P| -
e^{\varepsilon} |\mu_Q|)$, and the value of the root is the exact worst $\delta$ at $\varepsilon$
over all adaptive adversaries.

The factor $e^{\varepsilon}$ is put into $\mu_Q$ at the root, so that nodes do not depend on
$\varepsilon$ and one memory serves the whole curve $\delta(\varepsilon)$. A node's value is
homogeneous in its two measures, so nodes are remembered with $|\mu_P| = 1$. Nothing is pruned but
what is exact: a measure of zero on one side decides a node.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple, Protocol

from flint import fmpq

from properties.game.counting import Steps
from properties.game.masses import ONE, ZERO, Measure, fraction, quotient, total
from properties.game.responses import bare, unpacked
from properties.game.world import World


class Menu(Protocol):
    """Say which actions the adversary may take next."""

    @property
    def start(self) -> Hashable:
        """Return the progress before the first action."""
        ...

    def choices(
        self, progress: Hashable, states: Sequence[object]
    ) -> Iterable[tuple[Hashable, Hashable]]:
        """Return the actions, each with the progress after it, given the states there may be.

        An action that is offered again should be the same object, so that its step is remembered.
        """
        ...


@dataclass(frozen=True, slots=True)
class Node:
    """Hold the two measures over states, with the adversary's progress."""

    progress: Hashable
    with_unit: Measure
    without_unit: Measure

    def __hash__(self) -> int:
        """Hash the parts of fractions: a fraction's own hash is slow."""
        sides = (self.with_unit, self.without_unit)
        return hash((self.progress, *((state, w.p, w.q) for side in sides for state, w in side)))


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


Comparison = tuple[fmpq, list[tuple[fmpq, fmpq]]]


class Edge(NamedTuple):
    """Hold what an action leads to from a single state in each world, whatever their masses.

    `certain` is the probability of responses that are impossible in the second world. `pairs` are
    responses with one next state in each world, `others` the rest. Responses with the same next
    states and the same likelihood ratio count as one: what follows scales with their mass.
    """

    action: Hashable
    progress: Hashable
    certain: fmpq
    pairs: list[tuple[fmpq, fmpq, int, int]]
    others: list[tuple[Measure, Measure]]


@dataclass(slots=True, kw_only=True)
class Game:
    """Solve the distinguishing game between two worlds.

    `rename` may give the same names to two states, one of each world, that differ from others in
    names alone. It is for mechanisms and menus to which names mean nothing.
    """

    first: World
    second: World
    menu: Menu
    budget: Steps = field(default_factory=Steps)
    rename: Callable[[Hashable, Hashable, Hashable], tuple[Hashable, Hashable]] | None = None
    values: dict[Hashable, fmpq] = field(default_factory=dict)
    edges: dict[tuple[Hashable, int, int], list[Edge]] = field(default_factory=dict)
    comparisons: dict[tuple[Hashable, Hashable], Comparison] = field(default_factory=dict)

    def root(self, power: Fraction) -> Node:
        r"""Return the start of the game at $e^{\varepsilon}$ = power."""
        start = self.first.number(self.first.mechanism.initial)
        other = self.second.number(self.second.mechanism.initial)
        return Node(self.menu.start, ((start, ONE),), ((other, quotient(power)),))

    def worst(self, power: Fraction, moves: int) -> Fraction:
        """Return the exact worst delta over all adversaries with at most this many actions."""
        return fraction(self.value(self.root(power), moves))

    def value(self, node: Node, moves: int) -> fmpq:
        """Return what the best adversary gains from a node with the actions that are left."""
        mass, other = total(node.with_unit), total(node.without_unit)
        if mass == 0 or other == 0 or moves == 0:
            return mass - other if mass > other else ZERO
        if len(node.with_unit) == len(node.without_unit) == 1:
            (state, _), (opposite, _) = node.with_unit[0], node.without_unit[0]
            state, opposite = self.renamed(node.progress, state, opposite)
            return mass * self.pair_value(node.progress, state, opposite, other / mass, moves)
        unit = normalised(node, mass)
        key = (unit, moves)
        known = self.values.get(key)
        if known is None:
            self.budget.take()
            known = ONE - other / mass if mass > other else ZERO
            for choice in self.choices(unit):
                children = (self.value(child, moves - 1) for _, child in self.after(unit, choice))
                known = max(known, sum(children, ZERO))
            self.values[key] = known
        return known * mass

    def pair_value(
        self, progress: Hashable, state: int, opposite: int, ratio: fmpq, moves: int
    ) -> fmpq:
        """Return the value of a node with mass one on one state and mass `ratio` on another."""
        key = (progress, state, opposite, ratio.p, ratio.q, moves)
        known = self.values.get(key)
        if known is not None:
            return known
        self.budget.take()
        known = ONE - ratio if ratio < 1 else ZERO
        for edge in self.edges_from(progress, state, opposite):
            gained = edge.certain
            for mine, theirs, after, opposed in edge.pairs:
                scaled = ratio * theirs
                if moves == 1:
                    if mine > scaled:
                        gained = gained + mine - scaled
                else:
                    gained = gained + mine * self.pair_value(
                        edge.progress, after, opposed, scaled / mine, moves - 1
                    )
            for measure, opposing in edge.others:
                scaled_measure = tuple((number, ratio * weight) for number, weight in opposing)
                gained = gained + self.value(
                    Node(edge.progress, measure, scaled_measure), moves - 1
                )
            if gained > known:
                known = gained
        self.values[key] = known
        return known

    def edges_from(self, progress: Hashable, state: int, opposite: int) -> list[Edge]:
        """Return what every action leads to from a single state in each world."""
        key = (progress, state, opposite)
        found = self.edges.get(key)
        if found is None:
            node = Node(progress, ((state, ONE),), ((opposite, ONE),))
            found = self.edges[key] = [self.edge(node, choice) for choice in self.choices(node)]
        return found

    def edge(self, node: Node, choice: tuple[Hashable, Hashable]) -> Edge:
        """Return what one action leads to."""
        action, progress = choice
        there = self.first.packed(node.with_unit[0][0], action)
        gone = self.second.packed(node.without_unit[0][0], action)
        if len(there) == len(gone) == 1:
            (response, after, _), (other_response, opposed, _) = there[0], gone[0]
            certain, masses = self.compared(response, other_response)
            after, opposed = self.renamed(progress, after, opposed)
            return Edge(action, progress, certain, [(*pair, after, opposed) for pair in masses], [])
        certain = ZERO
        others: list[tuple[Measure, Measure]] = []
        alike: dict[Hashable, tuple[fmpq, fmpq, int, int]] = {}
        for _, child in self.after(node, choice):
            mine, theirs = child.with_unit, child.without_unit
            if not theirs:
                certain = certain + total(mine)
            elif len(mine) == len(theirs) == 1:
                (state, mass), (opposite, other) = mine[0], theirs[0]
                ratio, names = other / mass, self.renamed(progress, state, opposite)
                key = (*names, ratio.p, ratio.q)
                before, opposing, _, _ = alike.get(key, (ZERO, ZERO, *names))
                alike[key] = (before + mass, opposing + other, *names)
            elif mine:
                others.append((mine, theirs))
        return Edge(action, progress, certain, list(alike.values()), others)

    def renamed(self, progress: Hashable, state: int, opposite: int) -> tuple[int, int]:
        """Return a pair of states under the names that all pairs like it share."""
        if self.rename is None:
            return state, opposite
        there, gone = self.rename(progress, self.first.states[state], self.second.states[opposite])
        return self.first.number(there), self.second.number(gone)

    def compared(self, response: Hashable, other: Hashable) -> Comparison:
        """Compare two packed responses: what is impossible in the second world, and the ratios."""
        found = self.comparisons.get((response, other))
        if found is None:
            opposing = dict(unpacked(other))
            certain = ZERO
            alike: dict[Hashable, tuple[fmpq, fmpq]] = {}
            for shown, mass in unpacked(response):
                other_mass = opposing.get(shown)
                if other_mass is None:
                    certain = certain + mass
                    continue
                ratio = other_mass / mass
                key = (ratio.p, ratio.q)
                before, opposed = alike.get(key, (ZERO, ZERO))
                alike[key] = (before + mass, opposed + other_mass)
            found = certain, list(alike.values())
            self.comparisons[response, other] = found
        return found

    def choices(self, node: Node) -> list[tuple[Hashable, Hashable]]:
        """Return the actions that may be taken at a node."""
        states = [self.first.states[s] for s, _ in node.with_unit]
        states += [self.second.states[s] for s, _ in node.without_unit]
        return list(self.menu.choices(node.progress, states))

    def after(self, node: Node, choice: tuple[Hashable, Hashable]) -> list[tuple[Hashable, Node]]:
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
        """Return a best strategy from a node, or None where nothing more is gained by acting.

        Of several best actions it takes the one with the fewest responses.
        """
        best = self.value(node, moves)
        mass, other = total(node.with_unit), total(node.without_unit)
        now = mass - other if mass > other else ZERO
        if best == now or moves == 0:
            return None
        self.budget.take()
        optimal = [
            (choice[0], children)
            for choice in self.choices(node)
            for children in [self.after(node, choice)]
            if sum((self.value(child, moves - 1) for _, child in children), ZERO) == best
        ]
        action, simplest = min(optimal, key=lambda option: len(option[1]))
        return Plan(
            action=action,
            branches=tuple(
                Branch(
                    response=bare(response),
                    with_unit=fraction(total(child.with_unit)),
                    without_unit=fraction(total(child.without_unit)),
                    then=self.plan(child, moves - 1),
                )
                for response, child in simplest
            ),
        )


def normalised(node: Node, mass: fmpq) -> Node:
    """Scale a node so that the first measure has mass one."""
    if mass == 1:
        return node
    return Node(
        node.progress,
        tuple((state, weight / mass) for state, weight in node.with_unit),
        tuple((state, weight / mass) for state, weight in node.without_unit),
    )
