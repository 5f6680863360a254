"""What is seen, as data: two values are the same if nobody could tell them apart.

Equality in Python is what a type says it is: `1 == True`, a field may take no part, a class may
call everything equal. What an ad-tech sees is compared by an encoding instead: of every value its
exact type and all its parts.

Paper: none (an instrument).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from operator import attrgetter
from typing import TypeAlias

from immutables import Map

from spec.distributions import Distribution
from spec.numbers import SpecError

Encode: TypeAlias = Callable[[object], Hashable]

LABELS: list[type] = []
"""Types of instruments whose objects are compared as labels, by their own equality."""


class NoEncoding(SpecError):
    """Report a value that cannot be compared as data.

    Paper: none (an instrument).
    """


def encoded(value: object) -> Hashable:
    """Return the encoding of a value, equal to that of another if they are the same data.

    Paper: none (an instrument).
    """
    kind = type(value)
    if kind is int or kind is str:
        return value
    encode = _encoders.get(kind)
    if encode is None:
        encode = _encoders[kind] = encoder_of(kind)
    return encode(value)


class Seen:
    """Hold what is seen: equal to another if their encodings are.

    Paper: none (an instrument).
    """

    __slots__ = ("_code", "_hash", "value")

    def __init__(self, value: object) -> None:
        self.value = value
        self._code = encoded(value)
        self._hash = hash(self._code)

    def __eq__(self, other: object) -> bool:
        """Compare as data."""
        return self is other or (type(other) is Seen and self._code == other._code)

    def __hash__(self) -> int:
        """Hash as data."""
        return self._hash

    def __repr__(self) -> str:
        """Write what is seen."""
        return repr(self.value)


def encoder_of(kind: type) -> Encode:
    """Return what encodes the values of a type; whoever has no parts is nobody but itself.

    Paper: none (an instrument).
    """
    if kind in LABELS or kind is type(None):
        return lambda value: (kind, value)
    if issubclass(kind, Enum):
        return lambda value: (kind, value.name)  # type: ignore[attr-defined]
    if issubclass(kind, Map):
        return lambda value: (kind, frozenset(map(_pair, value.items())))  # type: ignore[attr-defined]
    if kind is Distribution:
        return lambda value: (kind, frozenset(map(_pair, value.items())))  # type: ignore[attr-defined]
    for plain, read in PLAIN.items():
        if issubclass(kind, plain):
            return _with_attributes(kind, read)
    if is_dataclass(kind):
        names = [each.name for each in fields(kind)]
        if not names:
            return _with_attributes(kind, lambda _: ())
        get = attrgetter(*names)
        if len(names) == 1:
            return _with_attributes(kind, lambda value: encoded(get(value)))
        return _with_attributes(kind, lambda value: tuple(map(encoded, get(value))))
    if kind.__eq__ is object.__eq__ and kind.__hash__ is object.__hash__:
        return lambda value: (kind, value)
    if kind.__module__ == "builtins" and kind.__hash__ is not None:
        return lambda value: (kind, repr(value))
    raise NoEncoding(f"a {kind.__name__} cannot be compared as data")


PLAIN: dict[type, Encode] = {
    tuple: lambda value: tuple(map(encoded, tuple.__iter__(value))),  # type: ignore[arg-type]
    frozenset: lambda value: frozenset(map(encoded, frozenset.__iter__(value))),  # type: ignore[arg-type]
    bool: lambda value: value is True,
    int: lambda value: int.__index__(value),  # type: ignore[arg-type]
    str: lambda value: str.__str__(value),
    bytes: lambda value: bytes.__bytes__(value),  # type: ignore[arg-type]
    range: lambda value: (value.start, value.stop, value.step),  # type: ignore[attr-defined]
    Fraction: lambda value: (value.numerator, value.denominator),  # type: ignore[attr-defined]
}


def _pair(pair: tuple[object, object]) -> Hashable:
    return encoded(pair[0]), encoded(pair[1])


def _with_attributes(kind: type, read: Encode) -> Encode:
    """Encode what a value is, and the attributes that a type of its own may have added to it."""
    if not kind.__dictoffset__ or kind.__module__.startswith("spec."):
        return lambda value: (kind, read(value))

    def encode(value: object) -> Hashable:
        added = tuple(map(_pair, sorted(vars(value).items())))
        return kind, read(value), added

    return encode


_encoders: dict[type, Encode] = {}
