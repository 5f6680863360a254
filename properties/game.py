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

Noise with infinite support is cut outside a window of noisy values that contains every true sum.
There the likelihood ratio of any two worlds is constant, so that "below" and "above" say all that
the exact value would say. A true sum outside the window enlarges it and starts the game again.
Changed rules see lumps there, and are caught if they look into them. Where this is not so, because
the noise is not geometric or differs between the worlds, because its masses are irrational or
because rules do look into a lump, the window is made so wide that each draw loses less than a
tolerance. The value is then exact up to a known slack.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import floor, prod
from typing import NamedTuple, Protocol, cast

from flint import fmpq

from properties.lump import Inexact, Lump, OutOfWindow, apart, check_apart, sealed
from properties.observation import Codes, Seen
from spec.aggregation_service import Answer, Outcome, Service
from spec.distributions import Distribution, Draw, Law, Random, explore
from spec.interaction import Mechanism
from spec.lemmas import SERVICE
from spec.noise import Noise, Noisy
from spec.numbers import Real, SpecError, bounds
from spec.paper import PAPER
from spec.reports import Key, Report
from spec.rules import AtService, Rules

REMEMBERED = 2**16
LOOKED_AT = 8
WIDEST = 1024
ROUNDED_BITS = 64
ZERO = fmpq(0)
ONE = fmpq(1)

Measure = tuple[tuple[int, fmpq], ...]
Step = list[tuple[Hashable, int, fmpq]]


class WindowTooWide(SpecError):
    """Report more noisy values than can be told apart in any reasonable time."""


class OutOfSteps(SpecError):
    """Report that the steps allowed are used up."""


@dataclass(slots=True)
class Steps:
    """Count the steps that a search takes, and stop it when those allowed are used up.

    A step is a node that is valued or a run of a mechanism's step. They are counted and not timed,
    so that a search ends at the same place on every machine, however busy it is.
    """

    allowed: int | None = None
    taken: int = 0

    def take(self) -> None:
        """Count one more step."""
        if self.allowed is not None and self.taken >= self.allowed:
            raise OutOfSteps(f"the {self.allowed} steps allowed are used up")
        self.taken += 1

    @property
    def left(self) -> int | None:
        """Return how many more steps may be taken, if they are limited."""
        return None if self.allowed is None else self.allowed - self.taken


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Bound the noisy values that are told apart, and the true sums that may occur.

    Values of truncated noise up to `hidden` are never released, and count as one. Without a
    `tolerance` cutting must lose nothing; with one, each draw may lose as much. If the window is
    `watched`, the values outside are lumps, so that it is noticed if a rule looks into them. Values
    that are unlikely around all of `sums` count as outside, too.
    """

    lowest: int = 0
    highest: int = 4
    hidden: int | None = None
    tolerance: Fraction | None = None
    watched: bool = False
    sums: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        if self.highest - self.lowest > WIDEST:
            raise WindowTooWide(
                f"noisy sums from {self.lowest} to {self.highest} are too many to be told apart"
            )

    def outcomes(self, law: Law[object]) -> Iterable[tuple[object, Fraction]]:
        """List a law's outcomes; lump noisy values outside the window where noise is infinite.

        The lumps of each draw are objects of their own.
        """
        if not isinstance(law, Noisy):
            return law.outcomes()
        listed = noisy_outcomes(self, law)
        return [(apart(x), p) for x, p in listed] if self.watched else listed

    def noisy(self, law: Noisy) -> Iterable[tuple[int, Fraction]]:
        """List the outcomes of a noisy sum."""
        low, high = law.noise.support
        if low is None or high is None:
            return self._infinite(law)
        masses = self._masses(law, range(law.centre + low, law.centre + high + 1))
        return masses if self.tolerance is None else self._completed(law, masses)

    def _infinite(self, law: Noisy) -> Iterable[tuple[int, Fraction]]:
        if not self.lowest <= law.centre <= self.highest:
            lowest, highest = min(self.lowest, law.centre), max(self.highest, law.centre)
            raise OutOfWindow(f"a true sum of {law.centre}", lowest, highest)
        inside = self._masses(law, range(self.lowest + 1, self.highest))
        if self.tolerance is not None:
            return self._completed(law, inside)
        if not is_geometric(law.noise, self.lowest - law.centre, self.highest - law.centre):
            raise Inexact(f"{law.noise!r} does not fall by a constant ratio")
        below = 1 - rational(law.noise.tail(self.lowest - law.centre))
        above = rational(law.noise.tail(self.highest - 1 - law.centre))
        return [(self._end(law.noise, False), below), *inside, (self._end(law.noise, True), above)]

    def _end(self, noise: Noise, above: bool) -> int:
        """Return what stands for all values at or beyond one end."""
        if self.watched:
            return cast(int, Lump(noise, self.lowest, self.highest, above))
        return self.highest if above else self.lowest

    def _masses(self, law: Noisy, values: range) -> list[tuple[int, Fraction]]:
        exact = self.tolerance is None
        pairs = ((w, law.noise.pmf(w - law.centre)) for w in values)
        masses = [(w, rational(mass) if exact else rounded(mass)) for w, mass in pairs]
        if self.hidden is None or None in law.noise.support:
            return masses
        unseen = sum((mass for w, mass in masses if w <= self.hidden), Fraction(0))
        return [(self.hidden, unseen), *((w, mass) for w, mass in masses if w > self.hidden)]

    def _completed(
        self, law: Noisy, inside: list[tuple[int, Fraction]]
    ) -> Iterable[tuple[int, Fraction]]:
        """Give what is missing, which the tolerance bounds, to the two ends."""
        assert self.tolerance is not None
        missing = 1 - sum((mass for _, mass in inside), Fraction(0))
        if missing > self.tolerance:
            wider = max(4, (self.highest - self.lowest) // 4)
            message = f"{missing} of {law.noise!r} around {law.centre}"
            raise OutOfWindow(message, self.lowest - wider, self.highest + wider)
        above = min(missing, rounded(law.noise.tail(self.highest - 1 - law.centre)))
        first, last = self._likely(law)
        weights = {x: mass for x, mass in inside if first <= x <= last}
        weights[self.lowest] = weights.get(self.lowest, Fraction(0)) + missing - above
        weights[self.highest] = weights.get(self.highest, Fraction(0)) + above
        for x, mass in inside:
            if not first <= x <= last:
                weights[self.lowest if x < first else self.highest] += mass
        return weights.items()

    def _likely(self, law: Noisy) -> tuple[int, int]:
        """Return the bounds beyond which this noise is within the tolerance, whatever the sum."""
        if self.sums is None or not self.sums[0] <= law.centre <= self.sums[1]:
            return self.lowest, self.highest
        reach = likely_noise(law.noise, self.tolerance, self.highest - self.lowest)
        return self.sums[0] - reach, self.sums[1] + reach


@lru_cache(maxsize=REMEMBERED)
def likely_noise(noise: Noise, tolerance: Fraction | None, most: int) -> int:
    """Return how large noise is, but for a tolerance, or the most that is looked at."""
    mass, size = rounded(noise.pmf(0)), 0
    while tolerance is not None and mass < 1 - tolerance and size < most:
        size += 1
        mass += rounded(noise.pmf(size)) + rounded(noise.pmf(-size))
    return size


@lru_cache(maxsize=REMEMBERED)
def noisy_outcomes(window: Window, law: Noisy) -> Iterable[tuple[int, Fraction]]:
    """List the outcomes of a noisy sum, once."""
    return tuple(window.noisy(law))


def is_geometric(noise: Noise, low: int, high: int) -> bool:
    """Tell whether noise falls by its decay below `low` and above `high`, as far as looked at."""
    if noise.decay is None or not noise.decay.is_rational():
        return False
    ratio, away = noise.decay.exact(), range(LOOKED_AT)
    steps = [*((high + x, high + x + 1) for x in away), *((low - x, low - x - 1) for x in away)]
    return all(rational(noise.pmf(y)) == rational(noise.pmf(x)) * ratio for x, y in steps)


def rational(value: object) -> Fraction:
    """Return an exact probability; refuse an enclosure."""
    if not isinstance(value, Fraction | int):
        raise Inexact(f"the game needs rational probabilities, not {value}")
    return Fraction(value)


def rounded(value: Real) -> Fraction:
    """Return a probability if it is exact, or a little less than it."""
    if isinstance(value, Fraction | int):
        return Fraction(value)
    return max(Fraction(floor(bounds(value)[0] * 2**ROUNDED_BITS), 2**ROUNDED_BITS), Fraction(0))


@dataclass(slots=True, kw_only=True)
class World:
    """Run one world's mechanism, with states numbered and steps remembered.

    Actions are told apart by identity, which is quicker than by value: what is remembered holds on
    to its action, so that no other gets its identity. Equal ones are run again. Where the service's
    answers are remembered, whatever else is drawn is drawn by `clients`: it may be shown, but a
    lump of it must not be summed or kept.
    """

    mechanism: Mechanism[Hashable, Hashable, Hashable]
    window: Window
    budget: Steps = field(default_factory=Steps)
    clients: bool = False
    states: list[Hashable] = field(default_factory=list)
    numbers: dict[Hashable, int] = field(default_factory=dict)
    codes: Codes = field(default_factory=Codes)
    steps: dict[tuple[int, int], tuple[Hashable, Step]] = field(default_factory=dict)

    def number(self, state: Hashable) -> int:
        """Return the state's number; states are compared as data."""
        code = self.codes(state)
        found = self.numbers.get(code)
        if found is None:
            found = self.numbers[code] = len(self.states)
            self.states.append(state)
        return found

    def step(self, state: int, action: Hashable) -> Step:
        """Return every response with the next state and its probability."""
        return [
            (shown, after, weight * share)
            for response, after, weight in self.packed(state, action)
            for shown, share in unpacked(response)
        ]

    def packed(self, state: int, action: Hashable) -> Step:
        """Return the same, with the answers of the service that lead to one state as one."""
        key = (state, id(action))
        known = self.steps.get(key)
        if known is None:

            def run(draw: Draw) -> tuple[int, Hashable]:
                self.budget.take()
                after, response = self.mechanism.step(self.states[state], action, draw)
                return self.number(after), observed(response)

            law = self.clients_law(run) if self.clients else explore(run, self.window.outcomes)
            found = [
                (response, after, ONE if p == 1 else quotient(p))
                for (after, response), p in law.items()
            ]
            known = self.steps[key] = (action, found)
        return known[1]

    def clients_law(
        self, run: Callable[[Draw], tuple[int, Hashable]]
    ) -> Distribution[tuple[int, Hashable]]:
        """Return the law of a step in which clients may draw noise."""
        watched = replace(self.window, watched=self.window.tolerance is None)
        noisy: list[Noisy] = []

        def outcomes(law: Law[object]) -> Iterable[tuple[object, Fraction]]:
            if isinstance(law, Noisy) and None in law.noise.support:
                noisy.append(law)
            return watched.outcomes(law)

        found = explore(run, outcomes)
        for after, response in found.support() if noisy else ():
            check_apart(bare(response), self.states[after])
        return found


class Answers:
    """Stand for all answers of the service that leave it in one state, with their shares."""

    __slots__ = ("shares",)

    def __init__(self, weights: dict[Hashable, fmpq]) -> None:
        mass = sum(weights.values(), ZERO)
        self.shares = [(shown, weight / mass) for shown, weight in weights.items()]


class Packer:
    """Pack answers, and give equal ones as one object, so that it is compared once."""

    def __init__(self) -> None:
        self.known: dict[Hashable, Answers] = {}

    def __call__(self, weights: dict[Hashable, fmpq]) -> Answers:
        """Return the object that stands for these answers."""
        key = frozenset((shown, weight.p, weight.q) for shown, weight in weights.items())
        if key not in self.known:
            self.known[key] = Answers(weights)
        return self.known[key]


def observed(response: Hashable) -> Hashable:
    """Return a response that is compared as data, part by part; packed answers stay packed."""
    if not isinstance(response, tuple):
        return response if isinstance(response, Answers | Seen) else Seen(response)
    return tuple(part if isinstance(part, Answers | Seen) else Seen(part) for part in response)


def bare(response: Hashable) -> Hashable:
    """Return a response as it was shown."""
    if isinstance(response, tuple):
        return tuple(part.value if isinstance(part, Seen) else part for part in response)
    return response.value if isinstance(response, Seen) else response


def unpacked(response: Hashable) -> Iterable[tuple[Hashable, fmpq]]:
    """List the responses that a response stands for, with their shares."""
    if not (isinstance(response, tuple) and any(isinstance(part, Answers) for part in response)):
        return ((response, ONE),)
    parts = [part.shares if isinstance(part, Answers) else [(part, ONE)] for part in response]
    return [
        (tuple(shown for shown, _ in chosen), prod((share for _, share in chosen), start=ONE))
        for chosen in product(*parts)
    ]


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


def quotient(value: Fraction) -> fmpq:
    """Return the same value in the form in which games calculate."""
    return fmpq(value.numerator, value.denominator)


def fraction(value: fmpq) -> Fraction:
    """Return the fraction with the same value."""
    return Fraction(int(value.p), int(value.q))


def with_answers_remembered(rules: Rules, window: Window, budget: Steps) -> Rules:
    """Return the rules with the service's step computed once per moment, state, query and batch.

    The service then answers with `Answers`, so that a step runs once for each of its next states.
    """
    if rules.serve is not PAPER.serve:
        return replace(rules, serve=remembered_serve(rules, window, budget, Packer()))
    inner = replace(rules, answer=remembered_answer(rules, window, budget))
    if rules.reveal is not PAPER.reveal:
        inner = replace(inner, reveal=remembered_reveal(rules, window))
    return replace(inner, serve=remembered_serve(inner, window, budget))


Serve = Callable[[AtService, tuple[Report, ...], Draw], tuple[Service, Hashable]]


def remembered_serve(
    rules: Rules, window: Window, budget: Steps, pack: Packer | None = None
) -> Serve:
    """Return the rule `serve`, computed once; responses are packed unless they are already.

    It is run anew for a neighbour relation that gives the service other rules.
    """
    laws: dict[Hashable, Random[tuple[Seen, Hashable]]] = {}
    usual: list[Rules] = []
    codes = Codes()

    def serve(at: AtService, reports: tuple[Report, ...], draw: Draw) -> tuple[Service, Hashable]:
        if not usual:
            usual.append(at.rules)
        if at.rules is not usual[0] and not same_service(at.rules, usual[0]):
            return rules.serve(at, reports, draw)
        key = at.now, codes(at.service), codes(at.query), tuple(map(codes, reports))
        law = laws.get(key)
        if law is None:

            def run(inner: Draw) -> tuple[Seen, Hashable]:
                budget.take()
                if pack is None:
                    served, shown = rules.serve(at, reports, inner)
                else:
                    with sealed():
                        served, shown = rules.serve(at, reports, inner)
                return Seen(served), shown if isinstance(shown, Answers) else Seen(shown)

            found = explore(run, window.outcomes)
            for served, shown in found.support() if window.watched else ():
                if isinstance(shown, Seen):
                    check_apart(shown.value, () if pack is None else served.value)
            if pack is not None:
                found = with_responses_packed(found, pack)
            outcomes = found.support()
            law = laws[key] = found if len(outcomes) > 1 else outcomes[0]
        served, shown = draw(law)
        return cast(Service, served.value), shown

    return serve


def same_service(rules: Rules, others: Rules) -> bool:
    """Tell whether two rules differ in the clients' rules alone."""
    return all(getattr(rules, name) is getattr(others, name) for name in SERVICE)


def seen_at(at: AtService, codes: Codes) -> Hashable:
    """Return all that a rule of the service can see but for the clients' rules."""
    rules = tuple(getattr(at.rules, name) for name in SERVICE)
    return at.now, codes(at.service), codes(at.query), rules


def with_responses_packed(
    law: Distribution[tuple[Seen, Hashable]], pack: Packer
) -> Distribution[tuple[Seen, Hashable]]:
    """Return the law with one packed response for each next state."""
    after: dict[Seen, dict[Hashable, fmpq]] = {}
    for (served, shown), weight in law.items():
        after.setdefault(served, {})[shown] = quotient(weight)
    return Distribution.of(
        {(served, pack(w)): fraction(sum(w.values(), ZERO)) for served, w in after.items()}
    )


def remembered_answer(
    rules: Rules, window: Window, budget: Steps
) -> Callable[[AtService, tuple[Report, ...], Draw], Answer]:
    """Return the rule `answer` without a draw: one object stands for all that may be answered.

    The paper's answer depends on the threshold, the noise and the sums alone.
    """
    known: dict[Hashable, Answers] = {}
    codes = Codes()
    pack = Packer()
    noises: dict[Hashable, Noise] = {}

    def paper_answer(at: AtService, batch: tuple[Report, ...], draw: Draw) -> Answer:
        del draw
        threshold, sums = noisy_sums(at, batch)
        if window.tolerance is None:
            for _, noisy in sums:
                check_public(noises.setdefault((at.now, at.query), noisy.noise), noisy.noise)
        seen = None if at.rules.releases is PAPER.releases else seen_at(at, codes)
        found = known.get((seen, threshold, sums))
        if found is None:
            shown = [(key, released(window, law, at, key, threshold)) for key, law in sums]
            found = known[seen, threshold, sums] = pack(joint_answer(shown))
        return cast(Answer, found)

    def any_answer(at: AtService, batch: tuple[Report, ...], draw: Draw) -> Answer:
        del draw
        key = seen_at(at, codes), tuple(map(codes, batch))
        found = known.get(key)
        if found is None:

            def run(inner: Draw) -> Seen:
                budget.take()
                with sealed():
                    answer = rules.answer(at, batch, inner)
                return Seen(answer)

            law = explore(run, window.outcomes)
            if window.watched and rules.reveal is PAPER.reveal:
                for shown in law.support():
                    check_apart(shown.value)
            found = known[key] = pack({shown: quotient(p) for shown, p in law.items()})
        return cast(Answer, found)

    return paper_answer if rules.answer is PAPER.answer else any_answer


def remembered_reveal(
    rules: Rules, window: Window
) -> Callable[[AtService, tuple[Report, ...], Outcome], Random[Hashable]]:
    """Return the rule `reveal` for packed answers: it is asked for each that they stand for."""
    known: dict[Hashable, Answers] = {}
    codes = Codes()
    pack = Packer()

    def reveal(at: AtService, batch: tuple[Report, ...], outcome: Outcome) -> Random[Hashable]:
        if not isinstance(outcome, Answers):
            return rules.reveal(at, batch, outcome)
        key = (seen_at(at, codes), tuple(map(codes, batch)), outcome)
        if key not in known:
            weights: dict[Hashable, fmpq] = {}
            for answer, share in outcome.shares:
                with sealed():
                    shown = rules.reveal(at, batch, cast(Answer, bare(answer)))
                law = window.outcomes(shown) if isinstance(shown, Law) else ((shown, Fraction(1)),)
                for each, p in law:
                    if window.watched:
                        check_apart(each)
                    shown_as = Seen(each)
                    weights[shown_as] = weights.get(shown_as, ZERO) + share * quotient(p)
            known[key] = pack(weights)
        return known[key]

    return reveal


def noisy_sums(
    at: AtService, batch: tuple[Report, ...]
) -> tuple[int | None, tuple[tuple[Key, Noisy], ...]]:
    """Return the threshold and the law of every key's noisy sum, as the paper's answer does."""
    threshold = at.rules.threshold(at, batch)
    noise = at.rules.noise(at, batch, threshold)
    totals = at.rules.totals(at, batch)
    sums = ((key, noise.around(totals.get(key, 0))) for key in at.rules.keys(at, batch))
    return threshold, tuple(sums)


def joint_answer(laws: list[tuple[Key, Distribution[int | None]]]) -> dict[Hashable, fmpq]:
    """Return the law of the answer from the laws of what is released for each key."""
    parts = [[(key, noisy, quotient(mass)) for noisy, mass in law.items()] for key, law in laws]
    weights: dict[Hashable, fmpq] = {}
    for chosen in product(*parts):
        drawn = [(key, apart(noisy)) for key, noisy, _ in chosen if noisy is not None]
        shown = Seen(Answer(released=tuple(drawn)))
        mass = prod((mass for _, _, mass in chosen), start=ONE)
        weights[shown] = weights.get(shown, ZERO) + mass
    return weights


def check_public(noise: Noise, other: Noise) -> None:
    """Refuse to cut infinite noise that differs between two answers to the same query."""
    if noise != other and None in (*noise.support, *other.support):
        raise Inexact(f"the noise depends on the reports: {noise!r} and {other!r}")


def released(
    window: Window, law: Noisy, at: AtService, key: Key, threshold: int | None
) -> Distribution[int | None]:
    """Return the law of a noisy sum that is released, with None for all that are not."""
    endless = None in law.noise.support
    if threshold is not None and endless and not window.lowest <= threshold < window.highest:
        lowest, highest = min(window.lowest, threshold), max(window.highest, threshold + 1)
        raise OutOfWindow(f"a threshold of {threshold}", lowest, highest)
    weights: dict[int | None, Fraction] = {}
    for noisy, mass in noisy_outcomes(window, law):
        with sealed():
            shown = noisy if at.rules.releases(at, key, noisy, threshold) else None
        weights[shown] = weights.get(shown, Fraction(0)) + mass
    return Distribution.of(weights)
