"""What is seen, as data: two values are the same if nobody could tell them apart.

Equality in Python is what a type says it is: `1 == True`, a field may take no part, a class may
call everything equal. What an ad-tech sees is compared by an encoding instead: of every value its
exact type and all its parts.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from operator import attrgetter
from typing import Any, TypeAlias

from immutables import Map

from spec.distributions import Distribution

Inner: TypeAlias = Callable[[object], Hashable]
Encode: TypeAlias = Callable[[Any, Inner], Hashable]

LABELS: list[type] = []
"""Types of instruments whose objects are compared as labels, by their own equality."""


class NoEncoding(Exception):
    """Report a value that cannot be compared as data: no error of a rule, which one may catch."""


def encoded(value: object) -> Hashable:
    """Return the encoding of a value, equal to that of another if they are the same data."""
    kind = type(value)
    if kind is int or kind is str:
        return value
    return _encoder(kind)(value, encoded)


class Codes:
    """Encode many values that share most of their parts, such as the states of a game.

    Each part is looked at once, and stands for itself from then on: it must not change.
    """

    __slots__ = ("_known", "_names")

    def __init__(self) -> None:
        self._known: dict[int, tuple[object, Hashable]] = {}
        self._names: dict[Hashable, Hashable] = {}

    def __call__(self, value: object) -> Hashable:
        """Return a name for the value, the same for values that are the same data."""
        kind = type(value)
        if kind is int or kind is str:
            return value
        known = self._known.get(id(value))
        if known is None:
            code = _encoder(kind)(value, self)
            # What is remembered holds on to its value, so that no other gets its identity.
            known = self._known[id(value)] = value, self._names.setdefault(code, object())
        return known[1]


class Seen:
    """Hold what is seen: equal to another if their encodings are."""

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
    """Return what encodes the values of a type; whoever has no parts is nobody but itself."""
    if kind in LABELS or kind is type(None):
        return lambda value, _: (kind, value)
    if issubclass(kind, Enum):
        return lambda value, _: (kind, value.name)
    if issubclass(kind, Map) or kind is Distribution:
        return lambda value, inner: (
            kind,
            frozenset((inner(key), inner(part)) for key, part in value.items()),
        )
    for plain, read in PLAIN.items():
        if issubclass(kind, plain):
            return _with_attributes(kind, read)
    if is_dataclass(kind):
        return _with_attributes(kind, _reader_of(tuple(each.name for each in fields(kind))))
    if kind.__eq__ is object.__eq__ and kind.__hash__ is object.__hash__:
        return lambda value, _: (kind, value)
    if kind.__module__ == "builtins" and kind.__hash__ is not None:
        return lambda value, _: (kind, repr(value))
    raise NoEncoding(f"a {kind.__name__} cannot be compared as data")


PLAIN: dict[type, Encode] = {
    tuple: lambda value, inner: tuple(map(inner, tuple.__iter__(value))),
    frozenset: lambda value, inner: frozenset(map(inner, frozenset.__iter__(value))),
    bool: lambda value, _: value is True,
    int: lambda value, _: int.__index__(value),
    str: lambda value, _: str.__str__(value),
    bytes: lambda value, _: bytes.__bytes__(value),
    range: lambda value, _: (value.start, value.stop, value.step),
    Fraction: lambda value, _: (value.numerator, value.denominator),
}


def _encoder(kind: type) -> Encode:
    found = _encoders.get(kind)
    if found is None:
        found = _encoders[kind] = encoder_of(kind)
    return found


def _reader_of(names: tuple[str, ...]) -> Encode:
    """Return what encodes the named fields of a value."""
    if not names:
        return lambda _, __: ()
    get = attrgetter(*names)
    if len(names) == 1:
        return lambda value, inner: inner(get(value))
    return lambda value, inner: tuple(map(inner, get(value)))


def _with_attributes(kind: type, read: Encode) -> Encode:
    """Encode what a value is, and the attributes that a type of its own may have added to it."""
    if not kind.__dictoffset__ or kind.__module__.startswith("spec."):
        return lambda value, inner: (kind, read(value, inner))

    def encode(value: Any, inner: Inner) -> Hashable:
        added = tuple((name, inner(part)) for name, part in sorted(vars(value).items()))
        return kind, read(value, inner), added

    return encode


_encoders: dict[type, Encode] = {}
