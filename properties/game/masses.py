"""Exact masses: the numbers in which games calculate, and measures over numbered states."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction

from flint import fmpq

ZERO = fmpq(0)
ONE = fmpq(1)

Measure = tuple[tuple[int, fmpq], ...]


def quotient(value: Fraction) -> fmpq:
    """Return the same value in the form in which games calculate."""
    return fmpq(value.numerator, value.denominator)


def fraction(value: fmpq) -> Fraction:
    """Return the fraction with the same value."""
    return Fraction(int(value.p), int(value.q))


def total(measure: Measure) -> fmpq:
    """Return the mass of a measure."""
    mass = ZERO
    for _, weight in measure:
        mass = mass + weight
    return mass


def normalised(measure: Measure, mass: fmpq) -> Measure:
    """Return the measure of mass one, given its mass."""
    if len(measure) == 1:
        return ((measure[0][0], ONE),)
    return measure if mass == 1 else tuple((state, weight / mass) for state, weight in measure)


def measure_key(measure: Measure) -> Hashable:
    """Return a name for a measure of mass one; a fraction's own hash is slow."""
    if len(measure) == 1:
        return measure[0][0]
    return tuple([(state, weight.p, weight.q) for state, weight in measure])
