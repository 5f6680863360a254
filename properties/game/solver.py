r"""The worst adversary, solved exactly.

An adversary adaptively picks actions, sees responses, and in the end guesses whether the unit $x$
was there. It is deterministic in the responses, so the best one is found by dynamic programming.
A node is the pair of unnormalised measures over the mechanism's states in the two worlds, given
the responses so far. An action splits the node by response. A leaf pays $\max(0, |\mu_P| -
e^{\varepsilon} |\mu_Q|)$, and the value of the root is the exact worst $\delta$ at $\varepsilon$
over all adaptive adversaries.

The factor $e^{\varepsilon}$ is put into $\mu_Q$ at the root, so that nodes do not depend on
$\varepsilon$ and one memory serves the whole curve $\delta(\varepsilon)$. A node's value is
homogeneous in its two measures. What actions tell and lead to does not depend on the two masses,
so it is found once for two measures of mass one, and values are remembered by the ratio of the
masses. Nothing is pruned but what is exact: a measure of zero on one side decides a node, and a
node that is worth nothing is worth nothing with a larger $\mu_Q$ or with fewer moves. Of the last
action nothing matters but what it tells: nodes at which the last action may tell the same things
have one value, and an action that never shows anything is no last one. An action that tells and
changes nothing is left out if all that may follow it may be done without it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from flint import fmpq

from properties.game.counting import Steps
from properties.game.masses import (
    ONE,
    ZERO,
    Measure,
    fraction,
    measure_key,
    normalised,
    quotient,
    total,
)
from properties.game.responses import bare, unpacked
from properties.game.tree import (
    Branch,
    Choice,
    Comparison,
    Edge,
    Finals,
    Menu,
    Node,
    Offer,
    Pair,
    Plan,
)
from properties.game.world import World


@dataclass(slots=True, kw_only=True)
class Game:
    """Solve the distinguishing game between two worlds.

    `description` may describe two states, one of each world, but for names: pairs with the same
    description have one value. It is for mechanisms and menus to which names mean nothing.
    """

    first: World
    second: World
    menu: Menu
    budget: Steps = field(default_factory=Steps)
    description: Callable[[Hashable, Hashable], Hashable] | None = None
    progresses: list[Hashable] = field(default_factory=list)
    numbers: dict[Hashable, int] = field(default_factory=dict)
    pairs: list[Pair] = field(default_factory=list)
    named: dict[tuple[int, Hashable, Hashable], Pair] = field(default_factory=dict)
    described: dict[Hashable, Pair] = field(default_factory=dict)
    comparisons: dict[tuple[Hashable, Hashable], Comparison] = field(default_factory=dict)
    told_apart: dict[Hashable, Comparison] = field(default_factory=dict)
    offered: dict[Hashable, list[Choice]] = field(default_factory=dict)
    offers: dict[tuple[int, int, int], Offer] = field(default_factory=dict)
    views: dict[Hashable, int] = field(default_factory=dict)
    told: dict[tuple[int, int, int], frozenset[Comparison] | None] = field(default_factory=dict)
    last: dict[frozenset[Comparison], Finals] = field(default_factory=dict)
    united: dict[tuple[int, int], Finals] = field(default_factory=dict)

    @property
    def nodes(self) -> int:
        """Return how many nodes were valued."""
        inner = sum(len(pair.values) for pair in self.pairs)
        return inner + sum(len(each.gains) for each in self.last.values())

    def reached(self) -> Iterator[tuple[list[int], list[int]]]:
        """List the states that were possible in the two worlds where the adversary acted."""
        for pair in self.pairs:
            if pair.values or pair.finals is not None:
                node = pair.node
                yield [s for s, _ in node.with_unit], [s for s, _ in node.without_unit]

    def root(self, power: Fraction) -> Node:
        r"""Return the start of the game at $e^{\varepsilon}$ = power."""
        start = self.first.number(self.first.mechanism.initial)
        other = self.second.number(self.second.mechanism.initial)
        progress = self.number_of(self.menu.start)
        return Node(progress, ((start, ONE),), ((other, quotient(power)),))

    def worst(self, power: Fraction, moves: int) -> Fraction:
        """Return the exact worst delta over all adversaries with at most this many actions."""
        return fraction(self.value(self.root(power), moves))

    def value(self, node: Node, moves: int) -> fmpq:
        """Return what the best adversary gains from a node with the actions that are left."""
        mass, other = total(node.with_unit), total(node.without_unit)
        if mass == 0 or other == 0 or moves == 0:
            return mass - other if mass > other else ZERO
        mine, theirs = normalised(node.with_unit, mass), normalised(node.without_unit, other)
        return mass * self.pair_value(self.pair(node.progress, mine, theirs), other / mass, moves)

    def pair_value(self, pair: Pair, ratio: fmpq, moves: int) -> fmpq:
        """Return the value of a node with mass one on one measure and mass `ratio` on another."""
        if moves == 1:
            if pair.finals is None:
                pair.finals = self.finals(pair)
            return self.final_value(pair.finals, ratio)
        known = pair.known(ratio, moves)
        if known is None:
            self.budget.take()
            known = ONE - ratio if ratio < 1 else ZERO
            for edge in self.edges(pair):
                gained = self.edge_gain(edge, ratio, moves)
                if gained > known:
                    known = gained
            self.budget.hold(1)
            pair.learn(ratio, moves, known)
        return known

    def final_value(self, finals: Finals, ratio: fmpq) -> fmpq:
        """Return the value of every node at which one of these is the last thing told."""
        key = (ratio.p, ratio.q)
        known = finals.gains.get(key)
        if known is None:
            self.budget.take()
            known = ONE - ratio if ratio < 1 else ZERO
            for comparison in finals.comparisons:
                gained = comparison.gain(ratio)
                if gained > known:
                    known = gained
            self.budget.hold(1)
            finals.gains[key] = known
        return known

    def edge_gain(self, edge: Edge, ratio: fmpq, moves: int) -> fmpq:
        """Return what is gained by an action and all that may follow."""
        gained = edge.comparison.certain
        told = zip(edge.comparison.masses, edge.comparison.odds, edge.after, strict=True)
        for (mine, _), odds, pair in told:
            then = self.pair_value(pair, ratio * odds, moves - 1)
            if then:
                gained = gained + mine * then
        return gained

    def pair(self, progress: int, mine: Measure, theirs: Measure) -> Pair:
        """Return what is known of two measures, or of the first two with the same description."""
        key = (progress, measure_key(mine), measure_key(theirs))
        found = self.named.get(key)
        if found is None:
            if self.description is None or len(mine) > 1 or len(theirs) > 1:
                found = Pair(Node(progress, mine, theirs))
                self.pairs.append(found)
            else:
                there, gone = self.first.state(mine[0][0]), self.second.state(theirs[0][0])
                described = progress, self.description(there, gone)
                found = self.described.get(described)
                if found is None:
                    found = self.described[described] = Pair(Node(progress, mine, theirs))
                    self.pairs.append(found)
            self.budget.hold(len(mine) + len(theirs) - 1)
            self.named[key] = found
        return found

    def finals(self, pair: Pair) -> Finals:
        """Return what the last action may tell.

        The state after it does not matter, so that it needs no number.
        """
        node = pair.node
        if len(node.with_unit) == len(node.without_unit) == 1:
            found = self.shared_finals(node)
            if found is not None:
                return found
        telling = [action for action, _ in self.choices(node) if self.menu.tells(action)]
        told = frozenset([self.told_by(node, action) for action in telling])
        return self.last.setdefault(told, Finals(told))

    def shared_finals(self, node: Node) -> Finals | None:
        """Return what the last action may tell at all states with parts that it tells the same of.

        None where an action leaves more states than one.
        """
        state, opponent = node.with_unit[0][0], node.without_unit[0][0]
        front, back = self.first.pairs[state]
        opposite, opposing = self.second.pairs[opponent]
        offer = self.offers.get((node.progress, front, opposite))
        if offer is None:
            offer = self.offers[node.progress, front, opposite] = self.offer(node, front, opposite)
        key = (offer.views, back, opposing)
        if key not in self.told:
            self.told[key] = self.all_told(node, offer.on_backs)
        told = self.told[key]
        if offer.told is None or told is None:
            return None
        united = (id(offer.told), id(told))
        found = self.united.get(united)
        if found is None:
            both = offer.told | told
            found = self.united[united] = self.last.setdefault(both, Finals(both))
        return found

    def offer(self, node: Node, front: int, opposite: int) -> Offer:
        """Return the actions at all pairs with these fronts, by what they act on."""
        on_fronts: list[Hashable] = []
        on_backs: list[Hashable] = []
        views: list[Hashable] = []
        for action in (each for each, _ in self.choices(node) if self.menu.tells(each)):
            view, other = self.first.view(front, action), self.second.view(opposite, action)
            if view is None and other is None:
                on_fronts.append(action)
            else:
                on_backs.append(action)
                whole = (front if view is None else None, opposite if other is None else None)
                views.append((id(action), view, other, whole))
        seen = self.views.setdefault(tuple(views), len(self.views))
        return Offer(on_backs, seen, self.all_told(node, on_fronts))

    def all_told(self, node: Node, actions: list[Hashable]) -> frozenset[Comparison] | None:
        """Return what some actions may tell; None where one leaves more states than one."""
        found: set[Comparison] = set()
        for action in actions:
            there = self.first.ran(node.with_unit[0][0], action).outcomes
            gone = self.second.ran(node.without_unit[0][0], action).outcomes
            if len(there) > 1 or len(gone) > 1:
                return None
            found.add(self.compared(there[0][0], gone[0][0]))
        return frozenset(found)

    def told_by(self, node: Node, action: Hashable) -> Comparison:
        """Return what an action tells at a node with two measures of mass one."""
        mine: dict[Hashable, fmpq] = {}
        theirs: dict[Hashable, fmpq] = {}
        for world, measure, masses in (
            (self.first, node.with_unit, mine),
            (self.second, node.without_unit, theirs),
        ):
            for state, weight in measure:
                for response, _, probability in world.ran(state, action).outcomes:
                    mass = weight * probability
                    for shown, share in unpacked(response):
                        masses[shown] = masses.get(shown, ZERO) + mass * share
        return self.comparison(*by_ratio(mine.items(), theirs))

    def comparison(self, certain: fmpq, masses: Iterable[tuple[fmpq, fmpq]]) -> Comparison:
        """Return the comparison with these masses, the same object for the same ones."""
        listed = list(masses)
        key = (certain.p, certain.q, *((p.p, p.q, q.p, q.q) for p, q in listed))
        found = self.told_apart.get(key)
        if found is None:
            self.budget.hold(1 + len(listed))
            found = self.told_apart[key] = Comparison(certain, listed)
        return found

    def edges(self, pair: Pair) -> list[Edge]:
        """Return what the actions lead to from a pair, each thing once."""
        if pair.edges is None:
            found: dict[Hashable, Edge] = {}
            for choice in self.choices(pair.node):
                edge = self.edge(pair.node, choice)
                if self.menu.spares(choice[0]) and changes_nothing(pair.node, edge):
                    continue
                found[id(edge.comparison), *map(id, edge.after)] = edge
            pair.edges = list(found.values())
            self.budget.hold(len(pair.edges))
        return pair.edges

    def edge(self, node: Node, choice: Choice) -> Edge:
        """Return what one action leads to."""
        action, progress = choice
        if len(node.with_unit) == len(node.without_unit) == 1:
            there = self.first.packed(node.with_unit[0][0], action)
            gone = self.second.packed(node.without_unit[0][0], action)
            if len(there) == len(gone) == 1:
                (response, after, _), (other_response, opposed, _) = there[0], gone[0]
                comparison = self.compared(response, other_response)
                count = len(comparison.masses)
                if not count:
                    return Edge(comparison, ())
                then = self.pair(progress, ((after, ONE),), ((opposed, ONE),))
                return Edge(comparison, (then,) * count)
        certain = ZERO
        alike: dict[Hashable, tuple[fmpq, fmpq, Pair]] = {}
        for _, child in self.after(node, choice):
            mass, other = total(child.with_unit), total(child.without_unit)
            if not other:
                certain = certain + mass
            elif mass:
                ratio = other / mass
                reached = self.pair(
                    progress,
                    normalised(child.with_unit, mass),
                    normalised(child.without_unit, other),
                )
                key = (id(reached), ratio.p, ratio.q)
                before, opposing, _ = alike.get(key, (ZERO, ZERO, reached))
                alike[key] = (before + mass, opposing + other, reached)
        masses = [(mass, other) for mass, other, _ in alike.values()]
        return Edge(self.comparison(certain, masses), tuple(p for _, _, p in alike.values()))

    def compared(self, response: Hashable, other: Hashable) -> Comparison:
        """Compare two packed responses: what is impossible in the second world, and the ratios."""
        found = self.comparisons.get((response, other))
        if found is None:
            certain, alike = by_ratio(unpacked(response), dict(unpacked(other)))
            self.budget.hold(len(alike))
            found = self.comparisons[response, other] = Comparison(certain, alike)
        return found

    def choices(self, node: Node) -> list[Choice]:
        """Return the actions that may be taken at a node."""
        first, second = self.first.pairs, self.second.pairs
        there = tuple(first[state][0] for state, _ in node.with_unit)
        gone = tuple(second[state][0] for state, _ in node.without_unit)
        key = (node.progress, there, gone)
        found = self.offered.get(key)
        if found is None:
            states = [self.first.fronts.values[front] for front in there]
            states += [self.second.fronts.values[front] for front in gone]
            offered = self.menu.choices(self.progresses[node.progress], states)
            found = [(action, self.number_of(progress)) for action, progress in offered]
            self.offered[key] = found
        return found

    def number_of(self, progress: Hashable) -> int:
        """Return the number that stands for a progress."""
        found = self.numbers.get(progress)
        if found is None:
            found = self.numbers[progress] = len(self.progresses)
            self.progresses.append(progress)
        return found

    def after(self, node: Node, choice: Choice) -> list[tuple[Hashable, Node]]:
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


def changes_nothing(node: Node, edge: Edge) -> bool:
    """Tell whether an action tells nothing and leaves every state as it is."""
    if edge.comparison.masses != [(ONE, ONE)]:
        return False
    after = edge.after[0].node
    return (after.with_unit, after.without_unit) == (node.with_unit, node.without_unit)


def by_ratio(
    mine: Iterable[tuple[Hashable, fmpq]], theirs: dict[Hashable, fmpq]
) -> tuple[fmpq, list[tuple[fmpq, fmpq]]]:
    """Return what is impossible in the second world, and both masses of the rest by their ratio."""
    certain = ZERO
    alike: dict[Hashable, tuple[fmpq, fmpq]] = {}
    for shown, mass in mine:
        other = theirs.get(shown)
        if other is None:
            certain = certain + mass
            continue
        ratio = other / mass
        key = (ratio.p, ratio.q)
        before, opposed = alike.get(key, (ZERO, ZERO))
        alike[key] = (before + mass, opposed + other)
    return certain, list(alike.values())
