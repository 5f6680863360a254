"""What a game remembers: nodes, what actions tell and lead to, and strategies.

A node is the pair of unnormalised measures over states in the two worlds. What actions lead to is
the same whatever the two masses are, and is kept in a `Pair` of measures of mass one.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, Protocol

from flint import fmpq, fmpz

from properties.game.masses import ZERO, Measure

Choice = tuple[Hashable, int]
"""An action, and the number of the progress after it."""


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

    def tells(self, action: Hashable) -> bool:
        """Tell whether an action may show something; the last one is wasted on one that may not."""
        ...

    def spares(self, action: Hashable) -> bool:
        """Tell whether whoever leaves an action out may still take all that may follow it.

        Where such an action changes nothing and tells nothing, nobody needs to take it.
        """
        ...


@dataclass(frozen=True, slots=True)
class Node:
    """Hold the two measures over states, with the adversary's progress."""

    progress: int
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
    """Hold a strategy: an action, and a branch for every response to it.

    `otherwise` follows a response that has no branch; without one, the strategy ends there.
    """

    action: Hashable
    branches: tuple[Branch, ...] = ()
    otherwise: Plan | None = None


class Comparison:
    """Hold what the responses to an action tell: those with one likelihood ratio count as one.

    `certain` is the probability of responses that are impossible in the second world. `masses` are
    the probabilities of the others in both worlds, `odds` their ratios.
    """

    __slots__ = ("_gains", "certain", "masses", "odds")

    def __init__(self, certain: fmpq, masses: list[tuple[fmpq, fmpq]]) -> None:
        self.certain = certain
        self.masses = masses
        self.odds = [theirs / mine for mine, theirs in masses]
        self._gains: dict[tuple[fmpz, fmpz], fmpq] = {}

    def gain(self, ratio: fmpq) -> fmpq:
        """Return what is gained by stopping after the response."""
        key = (ratio.p, ratio.q)
        gained = self._gains.get(key)
        if gained is None:
            gained = self.certain
            for mine, theirs in self.masses:
                scaled = ratio * theirs
                if mine > scaled:
                    gained = gained + mine - scaled
            self._gains[key] = gained
        return gained


class Finals:
    """Hold all that a last action may tell, and what is gained by the best one."""

    __slots__ = ("comparisons", "gains")

    def __init__(self, comparisons: frozenset[Comparison]) -> None:
        self.comparisons = comparisons
        self.gains: dict[tuple[fmpz, fmpz], fmpq] = {}


class Offer(NamedTuple):
    """Hold the actions at all pairs with the same fronts.

    Those on the backs tell the same wherever the number of their `views` and the backs are the
    same; what those on the fronts tell is `told`.
    """

    on_backs: list[Hashable]
    views: int
    told: frozenset[Comparison] | None


class Edge(NamedTuple):
    """Hold what an action leads to from a pair, whatever the masses.

    `after` has a pair for each of the comparison's masses.
    """

    comparison: Comparison
    after: tuple[Pair, ...]


class Pair:
    """Hold what is known of two measures of mass one: values by moves and likelihood ratio.

    A value never rises with the ratio and never falls with the moves. So where it is zero, it is
    zero for every larger ratio and for fewer moves: `zeros` has the least such ratio by moves.
    """

    __slots__ = ("edges", "finals", "node", "values", "zeros")

    def __init__(self, node: Node) -> None:
        self.node = node
        self.edges: list[Edge] | None = None
        self.finals: Finals | None = None
        self.values: dict[tuple[int, fmpz, fmpz], fmpq] = {}
        self.zeros: dict[int, fmpq] = {}

    def known(self, ratio: fmpq, moves: int) -> fmpq | None:
        """Return the value, if it is known."""
        zero = self.zeros.get(moves)
        if zero is not None and ratio >= zero:
            return ZERO
        return self.values.get((moves, ratio.p, ratio.q))

    def learn(self, ratio: fmpq, moves: int, value: fmpq) -> None:
        """Remember a value."""
        self.values[moves, ratio.p, ratio.q] = value
        if not value:
            for fewer in range(1, moves + 1):
                least = self.zeros.get(fewer)
                self.zeros[fewer] = ratio if least is None or ratio < least else least
