r"""Noisy values that need not be told apart, and rules that must not try to.

Beyond every true sum geometric noise falls by the same ratio in both worlds. So whether a noisy
value lies there may tell the worlds apart, but where it lies there does not: given that it lies
there, its law is the same in both. One `Lump` stands for all these values. That is exact as long as
the rules treat them alike: pass them on, drop them, compare them with a bound. The value itself is
then drawn when everything is over.

A rule that looks closer cannot be followed with lumps. It asks for the value by calculating with
it, by comparing two of them, by using it as a key or as text, by showing it twice or by keeping it:
all of this is noticed and refused. A comparison that divides a lump says how much wider the window
must be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from fractions import Fraction
from math import ceil, floor
from typing import NoReturn, TypeVar, cast

from immutables import Map

from properties.observation import LABELS
from spec.noise import Noise
from spec.numbers import SpecError


class OutOfWindow(SpecError):
    """Report that the window of noisy values is too narrow, and from where to where it must go."""

    def __init__(self, message: str, lowest: int, highest: int) -> None:
        super().__init__(message)
        self.lowest, self.highest = lowest, highest


class Inexact(SpecError):
    """Report noise that cannot be cut without loss."""


class Seal:
    """Say whether rules are running, which may not look into a lump, and whether they tried."""

    closed = False
    refused: SpecError | None = None


@contextmanager
def sealed() -> Iterator[None]:
    """Run rules that may not look into a lump, whatever they do when they are refused."""
    before = Seal.closed, Seal.refused
    Seal.closed, Seal.refused = True, None
    try:
        yield
        if Seal.refused is not None:
            raise Seal.refused
    finally:
        Seal.closed, Seal.refused = before


@contextmanager
def sealing(closed: bool) -> Iterator[None]:
    """Allow looking into lumps in between, or forbid it again."""
    before, Seal.closed = Seal.closed, closed
    try:
        yield
    finally:
        Seal.closed = before


@dataclass(frozen=True, slots=True, eq=False)
class Lump:
    """Stand for all noisy values at or beyond one end of a window from `lowest` to `highest`.

    To rules it is a whole number. Outside of them lumps are labels, equal if they stand for the
    same values of the same noise.
    """

    noise: Noise
    lowest: int
    highest: int
    above: bool

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """Be taken for a whole number."""
        return int

    def __str__(self) -> str:
        """Say which values these are."""
        self._refuse_rules("is written as text")
        return f"{self.highest} or more" if self.above else f"{self.lowest} or less"

    def __repr__(self) -> str:
        """Say which values these are."""
        return str(self)

    def __format__(self, style: str) -> str:
        """Say which values these are."""
        return format(str(self), style)

    def __hash__(self) -> int:
        """Hash by the values."""
        self._refuse_rules("is used as a key")
        return hash((self.lowest, self.highest, self.above))

    def __eq__(self, other: object) -> bool:
        """Compare with a number, or as labels."""
        if type(other) is not Lump:
            return self._sign(other) == 0
        self._refuse_rules("is compared with another")
        same = (self.lowest, self.highest, self.above) == (other.lowest, other.highest, other.above)
        if same and self.noise != other.noise:
            raise Inexact(f"the noise depends on the reports: {self.noise!r} and {other.noise!r}")
        return same

    def __lt__(self, other: object) -> bool:
        """Compare with a number."""
        return self._sign(other) < 0

    def __le__(self, other: object) -> bool:
        """Compare with a number."""
        return self._sign(other) <= 0

    def __gt__(self, other: object) -> bool:
        """Compare with a number."""
        return self._sign(other) > 0

    def __ge__(self, other: object) -> bool:
        """Compare with a number."""
        return self._sign(other) >= 0

    def __bool__(self) -> bool:
        """Compare with zero."""
        return self._sign(0) != 0

    def _sign(self, other: object) -> int:
        """Return 1 if all values are greater than a number, and -1 if all are less."""
        if type(other) is Lump or not isinstance(other, int | Fraction):
            self._refuse("is compared with something else than a number")
        if self.above and other < self.highest:
            return 1
        if not self.above and other > self.lowest:
            return -1
        Seal.refused = OutOfWindow(
            f"a noisy sum is compared with {other}",
            min(self.lowest, floor(other) - 1),
            max(self.highest, ceil(other) + 1),
        )
        raise Seal.refused

    def _refuse_rules(self, what: str) -> None:
        if Seal.closed:
            self._refuse(what)

    def _refuse(self, what: str) -> NoReturn:
        Seal.refused = Inexact(f"a noisy sum {what}")
        raise Seal.refused


LABELS.append(Lump)


def _refusing(name: str) -> Callable[..., NoReturn]:
    def refuse(lump: Lump, *_: object) -> NoReturn:
        lump._refuse(f"is calculated with ({name})")

    return refuse


CALCULATIONS = (
    *("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "floordiv", "rfloordiv"),
    *("mod", "rmod", "divmod", "rdivmod", "pow", "rpow", "lshift", "rlshift", "rshift", "rrshift"),
    *("and", "rand", "or", "ror", "xor", "rxor", "neg", "pos", "abs", "invert"),
    *("int", "float", "complex", "index", "round", "trunc", "floor", "ceil"),
)
for _name in CALCULATIONS:
    setattr(Lump, f"__{_name}__", _refusing(_name))
for _name in set(dir(int)) - set(dir(Lump)):
    if not _name.startswith("__"):
        setattr(Lump, _name, property(_refusing(_name)))


T = TypeVar("T")


def apart(value: T) -> T:
    """Return a lump as an object of its own, and everything else as it is."""
    if type(value) is Lump:
        lump = cast(Lump, value)
        return cast(T, Lump(lump.noise, lump.lowest, lump.highest, lump.above))
    return value


def lumps_in(value: object) -> Iterator[Lump]:
    """List the lumps in a value, as often as they stand there; refuse what cannot be looked into.

    Lumps of different draws are different objects.
    """
    if type(value) is Lump:
        yield value
    elif isinstance(value, tuple | list | frozenset | set):
        for part in value:
            yield from lumps_in(part)
    elif isinstance(value, Map | dict):
        for key, part in value.items():
            yield from lumps_in(key)
            yield from lumps_in(part)
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from lumps_in(getattr(value, field.name))
    elif not isinstance(value, int | str | bytes | Fraction | Enum | None):
        raise Inexact(f"a {type(value).__name__} may hold a noisy sum")


def check_apart(shown: object, kept: object = ()) -> None:
    """Refuse a response that shows the same value twice, and a state that keeps one."""
    seen = [id(lump) for lump in lumps_in(shown)]
    if len(seen) != len(set(seen)):
        raise Inexact("a noisy sum is shown twice")
    if any(True for _ in lumps_in(kept)):
        raise Inexact("a noisy sum is kept")
