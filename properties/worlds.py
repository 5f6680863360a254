r"""Two worlds side by side: the same moves with a unit and without it, at the rules' own limits.

`BothWorlds` makes moves one by one, on numbers or on symbols, and keeps what is seen and what is
drawn in each world. What a draw answers is told from outside: a symbol, the true sum, or an outcome
that is being tried. No limit is scaled down. States are values, so that a run can be `branched`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import TypeVar, cast

import z3

from proofs._symbolic import NotSymbolic, Number, Text, Truth, term_of
from spec.contributions import Unit
from spec.distributions import Distribution, Draw, Law
from spec.neighbours import Relation
from spec.noise import Noisy
from spec.numbers import SpecError
from spec.rules import Rules
from spec.system import Move, Observation, System, SystemMechanism

T = TypeVar("T")

SHOWN = (int, bool, str, bytes, Fraction, type(None))
"""The types without parts that may be seen."""


class CannotPlay(SpecError):
    """Report a script whose probabilities have no exact or certified value here."""


class Draws:
    """Draw for one world: noisy sums and finite laws as they are told, by their place in the run.

    `noisy` and `pick` get the place of a draw among those of its kind.
    """

    def __init__(
        self,
        noisy: Callable[[int, Noisy], int],
        pick: Callable[[int, Distribution[object]], object],
    ) -> None:
        self.noisy, self.pick = noisy, pick
        self.sums: list[Noisy] = []
        self.laws: list[Distribution[object]] = []

    @property
    def draw(self) -> Draw:
        """Return the function that draws."""

        def draw(law: T | Law[T]) -> T:
            if type(law) is Noisy:
                self.sums.append(law)
                return cast(T, self.noisy(len(self.sums), law))
            if type(law) is Distribution:
                if len(law.weights) == 1:
                    return cast(T, law.weights[0][0])
                self.laws.append(cast("Distribution[object]", law))
                return cast(T, self.pick(len(self.laws), self.laws[-1]))
            if isinstance(law, Law):
                raise CannotPlay(f"a draw from {type(law).__name__}")
            return law

        return cast(Draw, draw)

    def branched(self) -> Draws:
        """Return draws that go on from here by themselves."""
        other = Draws(self.noisy, self.pick)
        other.sums, other.laws = list(self.sums), list(self.laws)
        return other


class BothWorlds:
    """Make moves with a unit and without it, and keep what is seen and drawn in each world."""

    def __init__(
        self, rules: Rules, relation: Relation, unit: Unit, draws: Callable[[], Draws]
    ) -> None:
        self.rules, self.relation, self.unit = rules, relation, unit
        self.limits = rules.limits
        self.with_unit = SystemMechanism(rules=rules)
        self.without = relation.without(rules, unit)
        self.there = self.with_unit.initial
        self.worlds = self.without.initial
        self.mine, self.theirs = draws(), draws()
        self.moves: list[Move] = []
        self.seen: list[tuple[Observation, Observation]] = []

    @property
    def gone(self) -> System:
        """Return the system without the unit."""
        return self.worlds.own

    def make(self, move: Move) -> None:
        """Make a move in both worlds."""
        self.moves.append(move)
        self.there, seen = self.with_unit.step(self.there, move, self.mine.draw)
        self.worlds, other = self.without.step(self.worlds, move, self.theirs.draw)
        self.seen.append((seen, other))

    def offer(self, move: Move) -> bool:
        """Make a move if both worlds take it; otherwise nothing has happened."""
        tried = self.branched()
        try:
            tried.make(move)
        except SpecError:
            return False
        vars(self).update(vars(tried))
        return True

    def branched(self) -> BothWorlds:
        """Return a run that goes on from here by itself."""
        other = object.__new__(BothWorlds)  # `copy` would leave a note on the class.
        vars(other).update(vars(self))
        other.mine, other.theirs = self.mine.branched(), self.theirs.branched()
        other.moves, other.seen = list(self.moves), list(self.seen)
        return other


def chances(law: Distribution[object]) -> tuple[Fraction, ...]:
    """Return the probabilities of a finite law, in its order."""
    return tuple(weight for _, weight in law.weights)


def both(first: object, second: object) -> object:
    """Join two truth values without asking for either."""
    for one, other in ((first, second), (second, first)):
        if type(one) is bool:
            return other if one else False
    return Truth(z3.And(term_of(first), term_of(second)))


def alike(first: object, second: object) -> object:
    """State that two things that are seen are the same, type by type and part by part."""
    if is_symbolic(first) or is_symbolic(second):
        return first == second
    if type(first) is not type(second):
        return False
    if isinstance(first, tuple) and isinstance(second, tuple):
        result: object = len(first) == len(second)
        for one, other in zip(first, second, strict=False):
            result = both(result, alike(one, other))
        return result
    if is_dataclass(first) and is_dataclass(second):
        names = [each.name for each in fields(first)]
        mine, theirs = ([getattr(each, name) for name in names] for each in (first, second))
        return alike(tuple(mine), tuple(theirs))
    if type(first) in SHOWN:
        return first == second
    raise NotSymbolic(f"a {type(first).__name__} that is shown")


def is_symbolic(value: object) -> bool:
    """Tell whether a value is symbolic."""
    return type(value) in (Number, Text, Truth)
