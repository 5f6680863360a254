r"""Holes in a script: filled with symbols to find what could go wrong, with numbers to show it."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from random import Random
from typing import Protocol, cast

import z3

from proofs._symbolic import assume, integer, rational

Number = int | Fraction

LEAST_EPSILON = Fraction(1, 10**12)
"""The smallest epsilon that a hole takes: of a script with any number of queries all are finite."""


class Holes(Protocol):
    """Fill holes."""

    def integer(self, name: str, least: int, most: int) -> int:
        """Return a whole number from a range."""
        ...

    def epsilon(self, name: str, most: Fraction) -> Fraction:
        """Return a positive epsilon up to a bound."""
        ...


@dataclass(slots=True)
class Symbols:
    """Fill holes with symbols, and remember them with the least that each may be."""

    found: dict[str, tuple[z3.ArithRef, Number]] = field(default_factory=dict)

    def integer(self, name: str, least: int, most: int) -> int:
        """Return a symbolic whole number."""
        value = integer(name)
        assume(least <= value, value <= most)
        self.found[name] = (z3.Int(name), least)
        return value

    def epsilon(self, name: str, most: Fraction) -> Fraction:
        """Return a symbolic epsilon."""
        value = rational(name)
        assume(LEAST_EPSILON <= value, value <= most)
        self.found[name] = (z3.Real(name), LEAST_EPSILON)
        return value


@dataclass(slots=True)
class Numbers:
    """Fill holes with the numbers of a model."""

    model: dict[str, Number]

    def integer(self, name: str, least: int, most: int) -> int:
        """Return a whole number; one that the model leaves open is the least."""
        del most
        return int(self.model.get(name, least))

    def epsilon(self, name: str, most: Fraction) -> Fraction:
        """Return an epsilon; one that the model leaves open is the most."""
        return Fraction(self.model.get(name, most))


@dataclass(slots=True)
class Chosen:
    """Fill holes with numbers by chance: ends of their range, numbers of a proposal, or any."""

    chance: Random
    words: tuple[int, ...] = ()
    chosen: dict[str, int] = field(default_factory=dict)

    def integer(self, name: str, least: int, most: int) -> int:
        """Return a whole number, the same for the same hole."""
        if name not in self.chosen:
            ends = (least, least + 1, most // 2, most - 1, most)
            fitting = [number for number in (*ends, *self.words) if least <= number <= most]
            anything = self.chance.randint(least, most)
            self.chosen[name] = self.chance.choice((*fitting, anything))
        return self.chosen[name]

    def epsilon(self, name: str, most: Fraction) -> Fraction:
        """Return an epsilon."""
        del name
        return self.chance.choice((most, most / 2, most / 3, most / 1000, LEAST_EPSILON))


def smallest_model(solver: z3.Solver, holes: Symbols) -> dict[str, Number]:
    """Return numbers that satisfy a solver, each whole one as small as those before it allow.

    The interval is halved as long as the solver decides; what it leaves open stays as it is.
    """
    model = solver.model()
    for term, least in holes.found.values():
        if not term.is_int():
            continue
        low, high = cast(int, least), whole_of(model, term)
        while low < high:
            middle = (low + high) // 2
            if solver.check(term <= z3.IntVal(middle)) == z3.sat:
                model = solver.model()
                high = whole_of(model, term)
            else:
                low = middle + 1
        solver.add(term == z3.IntVal(high))
        if solver.check() == z3.sat:
            model = solver.model()
    return {
        name: whole_of(model, term) if term.is_int() else fraction_of(model, term)
        for name, (term, _) in holes.found.items()
    }


def whole_of(model: z3.ModelRef, term: z3.ArithRef) -> int:
    """Return the whole number that a model gives a term."""
    value = model.eval(term, model_completion=True)
    assert isinstance(value, z3.IntNumRef)
    return value.as_long()


def fraction_of(model: z3.ModelRef, term: z3.ArithRef) -> Fraction:
    """Return the fraction that a model gives a term; an irrational number is rounded."""
    value = model.eval(term, model_completion=True)
    if isinstance(value, z3.AlgebraicNumRef):
        value = value.approx(20)
    assert isinstance(value, z3.RatNumRef)
    return Fraction(str(value.as_fraction()))
