"""Numbers with certified bounds, written so that each digit that is printed is right."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

DIGITS = 12
LONG = 30
LONGEST = 1000
"""The most figures of an exact number that JSON shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Hold one answer: a name, what it means, and the number with certified bounds."""

    name: str
    meaning: str
    low: Fraction
    high: Fraction
    unit: str = ""

    @property
    def exact(self) -> Fraction | None:
        """Return the number if it is known exactly."""
        return self.low if self.low == self.high else None

    @property
    def text(self) -> str:
        """Write the number: whole, as a short fraction, or with the digits that are certain.

        A decimal that is exact and shorter than its fraction stands alone, as 1e-8.
        """
        if self.exact is not None and self.exact.denominator == 1 and self.exact < 10**LONG:
            return str(self.exact)
        digits = certain_digits(self.low, self.high)
        if self.exact is not None and length(self.exact) <= DIGITS:
            fraction = str(self.exact)
            if len(digits) < len(fraction) and Fraction(digits) == self.exact:
                return digits
            return f"{fraction} = {digits}"
        return digits

    def to_json(self) -> dict[str, object]:
        """Return the answer as plain data."""
        shown = self.exact is not None and length(self.exact) <= LONGEST
        return {
            "name": self.name,
            "meaning": self.meaning,
            "value": self.text,
            "exact": str(self.exact) if shown else None,
            "low": significant(self.low, LONG, math.floor),
            "high": significant(self.high, LONG, math.ceil),
            "unit": self.unit,
        }


def certain_digits(low: Fraction, high: Fraction) -> str:
    """Write the digits on which both bounds agree, at most so many, rounded."""
    for count in range(DIGITS, 0, -1):
        text = significant(low, count)
        if text == significant(high, count):
            return text
    return f"between {significant(low, 3)} and {significant(high, 3)}"


def length(value: Fraction) -> int:
    """Count the figures of a number that is not negative, written as a fraction in lowest terms."""
    whole = value.denominator == 1
    return figures_of(value.numerator) + (0 if whole else 1 + figures_of(value.denominator))


def figures_of(number: int) -> int:
    """Count the figures of a whole number that is not negative, without writing it out."""
    # The logarithm of 2, rounded down, so that the first guess is never too large.
    count = max(1, (number.bit_length() - 1) * 30102999 // 10**8)
    while number >= 10**count:
        count += 1
    return count


def significant(value: Fraction, digits: int, rounded: Callable[[Fraction], int] = round) -> str:
    """Round a number that is not negative to so many significant digits, with integers only."""
    if value == 0:
        return "0"
    exponent = figures_of(value.numerator) - figures_of(value.denominator)
    exponent -= value < Fraction(10) ** exponent
    scaled = rounded(value / Fraction(10) ** (exponent - digits + 1))
    if scaled == 10**digits:
        scaled, exponent = scaled // 10, exponent + 1
    figures = str(scaled)
    if -5 <= exponent < digits:
        point = max(exponent + 1, 0)
        figures = "0" * max(-exponent - 1, 0) + figures
        whole, rest = figures[:point] or "0", figures[point:].rstrip("0")
        return whole + ("." + rest if rest else "")
    rest = figures[1:].rstrip("0")
    return f"{figures[0]}{'.' + rest if rest else ''}e{exponent}"
