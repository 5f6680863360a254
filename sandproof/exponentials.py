r"""Bounds on $e^{-x}$ in whole numbers, for samplers that compare it with random words.

The digits of $x$ to the base 256 are looked up one by one, and what the tables say is multiplied.
Every number is rounded down, so that all errors have one direction and are counted.
"""

from __future__ import annotations

from functools import cache
from math import floor

from flint import arb, ctx, fmpq

from spec.numbers import bounds

SCALE = 96
"""The bits of a bound: it counts units of two to the power of minus this."""

PLACES = 5
"""How many digits of the fraction of a number are looked up."""

LARGEST = 64
"""The whole number from which on nothing is looked up."""

SLACK = 16
"""More units than all rounding makes: one in the first table, at most three in each product."""


def exponential_bounds(numerator: int, denominator: int) -> tuple[int, int]:
    r"""Return whole numbers around $2^{96} e^{-x}$ for a fraction $x \ge 0$."""
    digits = (numerator << 8 * PLACES) // denominator
    whole = digits >> 8 * PLACES
    if whole >= LARGEST:
        return 0, 1 << SCALE - LARGEST
    first, *others = tables()
    product = first[whole]
    shift = 8 * PLACES
    for table in others:
        shift -= 8
        product = product * table[digits >> shift & 255] >> SCALE
    # What is left of x is below one unit of its last digit.
    return product - (product >> 8 * PLACES) - 1, product + SLACK


@cache
def tables() -> tuple[list[int], ...]:
    """Return the powers of e for every whole number, and for every digit at every place."""
    return (
        [rounded_down(each, 1) for each in range(LARGEST)],
        *(
            [rounded_down(each, 256**place) for each in range(256)]
            for place in range(1, PLACES + 1)
        ),
    )


def rounded_down(numerator: int, denominator: int) -> int:
    """Return the last whole number that is certain not to be above the scaled power."""
    with ctx.workprec(4 * SCALE):
        low, _ = bounds(arb(fmpq(-numerator, denominator)).exp())
    return floor(low * (1 << SCALE))
