r"""Exact numbers, and the only place where logarithms, powers and floors are decided.

Every $\epsilon$ is a fraction, counted in units of $\ln b$ for one base $b$, so that budgets are
added and compared without rounding. The only irrational numbers of the specification are powers
$b^x$. A power is exact when it is rational, and otherwise a certified enclosure: an interval that
is proved to contain it. A comparison is answered when the enclosures are apart and asked again at a
higher precision when they are not, so that no answer rests on rounding.

Paper: none (the paper computes with real numbers).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import floor
from typing import Protocol, Self, TypeAlias, TypeVar

from flint import arb, ctx, fmpq, fmpz

Real: TypeAlias = Fraction | arb

FIRST_PRECISION = 64


class Field(Protocol):
    """Describe numbers that closed forms are written over: exact, enclosed or symbolic."""

    def __add__(self, other: Self | int, /) -> Self: ...
    def __radd__(self, other: int, /) -> Self: ...
    def __sub__(self, other: Self | int, /) -> Self: ...
    def __rsub__(self, other: int, /) -> Self: ...
    def __mul__(self, other: Self | int, /) -> Self: ...
    def __rmul__(self, other: int, /) -> Self: ...
    def __truediv__(self, other: Self | int, /) -> Self: ...
    def __rtruediv__(self, other: int, /) -> Self: ...
    def __pow__(self, exponent: int, /) -> Self: ...


N = TypeVar("N", bound=Field)
A = TypeVar("A")


def exact(value: object, name: str) -> Fraction:
    """Return a value as a fraction, or refuse it by the name of its field.

    A number of another type is refused: it could compare in ways of its own.
    """
    if value.__class__ is Fraction or value.__class__ is int:
        return value if isinstance(value, Fraction) else Fraction(value)
    raise NotExact(f"{name} must be an int or a Fraction, not {value!r}")


def whole(value: object, name: str) -> int:
    """Return a value as a whole number, or refuse it by the name of its field, as `exact` does."""
    if value.__class__ is int:
        return value
    raise NotWhole(f"{name} must be an int, not {value!r}")


def positive(value: object, name: str) -> Fraction:
    r"""Return a value as a fraction above zero, such as the $\epsilon$ of a query."""
    number = exact(value, name)
    if number <= 0:
        raise OutOfRange(f"{name} must be positive, not {value}")
    return number


def positive_whole(value: object, name: str) -> int:
    """Return a value as a whole number above zero, such as a contribution budget."""
    number = whole(value, name)
    if number <= 0:
        raise OutOfRange(f"{name} must be positive, not {value}")
    return number


def unit_interval(value: object, name: str) -> Fraction:
    r"""Return a value as a fraction from zero to one, such as $\delta$ or a probability."""
    number = exact(value, name)
    if not 0 <= number <= 1:
        raise OutOfRange(f"{name} must be in [0, 1], not {value}")
    return number


def enclose(value: Fraction) -> arb:
    """Return an enclosure of a fraction at the current precision."""
    return arb(fmpq(value.numerator, value.denominator))


def enclosed(value: Real) -> arb:
    """Return an enclosure of a number that may be exact."""
    return enclose(value) if isinstance(value, Fraction) else value


def bounds(value: Real) -> tuple[Fraction, Fraction]:
    """Return rational bounds below and above a number; both are the number if it is exact."""
    if isinstance(value, Fraction):
        return value, value
    if not value.is_finite():
        raise Undecided(f"{value} has no finite bounds at {ctx.prec} bits")
    return _dyadic(value.lower()), _dyadic(value.upper())


def _dyadic(value: arb) -> Fraction:
    mantissa, exponent = value.man_exp()
    shift = int(exponent)
    if shift >= 0:
        return Fraction(int(mantissa) << shift)
    return Fraction(int(mantissa), 1 << -shift)


def certainly_at_most(left: Real, right: Real) -> bool | None:
    r"""Answer $left \le right$, or None if the enclosures overlap."""
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return left <= right
    if enclosed(left) <= enclosed(right):
        return True
    if enclosed(left) > enclosed(right):
        return False
    return None


def decide(question: Callable[[], A | None], limit: int | None = None) -> A:
    """Ask a question at rising precision until it is answered.

    The question returns None while its enclosures overlap. Without a limit on the bits this ends
    exactly if the two sides differ, which the caller has to know.
    """
    bits = FIRST_PRECISION
    while limit is None or bits <= limit:
        with ctx.workprec(bits):
            answer = question()
        if answer is not None:
            return answer
        bits *= 2
    raise Undecided(f"the comparison is still open at {limit} bits")


@dataclass(frozen=True, slots=True)
class Base:
    r"""Name the base $b$ in whose logarithm $\epsilon$ is counted; no value means Euler's $e$."""

    value: Fraction | None

    def __post_init__(self) -> None:
        if self.value is None:
            return
        object.__setattr__(self, "value", exact(self.value, "base"))
        if self.value <= 1:
            raise OutOfRange(f"base must be above 1, not {self.value}")


NATURAL = Base(None)


@dataclass(frozen=True, slots=True)
class Power:
    r"""Hold the number $b^x$ by its base and its rational exponent."""

    base: Base
    exponent: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "exponent", exact(self.exponent, "exponent"))

    def __pow__(self, exponent: int | Fraction) -> Power:
        """Raise the power to a rational exponent."""
        return Power(self.base, self.exponent * exponent)

    def is_rational(self) -> bool:
        """Tell whether the power is a rational number."""
        return _root(self.base, self.exponent.denominator, self.exponent == 0) is not None

    def exact(self) -> Fraction:
        """Return the power as a fraction, or refuse if it is irrational."""
        root = _root(self.base, self.exponent.denominator, self.exponent == 0)
        if root is None:
            raise IrrationalPower(f"{self} is irrational")
        return root**self.exponent.numerator

    def value(self) -> Real:
        """Return the power exactly if it is rational, else enclosed at the current precision."""
        return self.exact() if self.is_rational() else self.ball()

    def ball(self) -> arb:
        """Return an enclosure of the power at the current precision."""
        if self.base.value is None:
            return enclose(self.exponent).exp()
        return (enclose(self.exponent) * enclose(self.base.value).log()).exp()

    def enclosure(self, bits: int) -> tuple[Fraction, Fraction]:
        """Return rational bounds below and above the power, computed with so many bits."""
        with ctx.workprec(bits):
            return bounds(self.value())

    def at_most(self, bound: Fraction) -> bool:
        r"""Decide $b^x \le r$.

        Equality needs a rational power, which is compared exactly; otherwise the sides differ and
        rising precision separates them. A rational power is written out only once it is known to be
        near the bound, so that it is no longer than the bound.
        """
        limit = exact(bound, "bound")
        if limit <= 0:
            return False

        def separated() -> bool | None:
            ball = self.ball()
            answer = certainly_at_most(ball, limit)
            if answer is None and ball.rel_accuracy_bits() > 0 and self.is_rational():
                return self.exact() <= limit
            return answer

        return decide(separated)


@lru_cache(maxsize=4096)
def _root(base: Base, degree: int, trivial: bool) -> Fraction | None:
    r"""Return the rational $b^{1/n}$, or None; a zero exponent makes every power one.

    With $p/n$ in lowest terms $b^{p/n}$ is rational only if $b^{1/n}$ is; $e^x$ only for $x = 0$.
    """
    if trivial:
        return Fraction(1)
    if base.value is None:
        return None
    top = _whole_root(base.value.numerator, degree)
    bottom = _whole_root(base.value.denominator, degree)
    return None if top is None or bottom is None else Fraction(top, bottom)


def _whole_root(value: int, degree: int) -> int | None:
    if degree == 1 or value == 1:
        return value
    if degree >= value.bit_length():
        return None
    root = int(fmpz(value).root(degree))
    return root if root**degree == value else None


def floor_log(power: Power, bound: Fraction) -> int:
    r"""Return the largest integer $m$ with $p^m \le r$, for a power $p > 1$ and a bound $r > 0$.

    A logarithm only suggests $m$; powers decide it, so that an exact logarithm is no special case.
    """
    if power.exponent <= 0:
        raise OutOfRange(f"floor_log needs a power above 1, not {power}")
    return _floor_log(power, positive(bound, "bound"))


@lru_cache(maxsize=4096)
def _floor_log(power: Power, bound: Fraction) -> int:
    size = power.exponent.denominator.bit_length() + bound.numerator.bit_length().bit_length()
    with ctx.workprec(2 * FIRST_PRECISION + size + bound.denominator.bit_length().bit_length()):
        unit = enclose(power.exponent)
        if power.base.value is not None:
            unit = unit * enclose(power.base.value).log()
        logarithm = floor(bounds(enclose(bound).log() / unit)[0])
    while (power ** (logarithm + 1)).at_most(bound):
        logarithm += 1
    while not (power**logarithm).at_most(bound):
        logarithm -= 1
    return logarithm


class SpecError(ValueError):
    """Be the common class of every error that a caller of the specification can cause."""


class NotExact(SpecError):
    """Report a number that is not an exact rational."""


class NotWhole(SpecError):
    """Report a number that is not a whole number."""


class OutOfRange(SpecError):
    """Report an exact number outside the range its name allows."""


class IrrationalPower(SpecError):
    """Report a power whose exact value was asked for although it is irrational."""


class Undecided(SpecError):
    """Report a comparison that stayed open at the highest precision the caller allowed."""
