"""What the ad-tech sees is compared as data, whatever a type says of its own equality."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction

import pytest
from immutables import Map

from properties.game import Game, Window, World, bare, observed
from properties.observation import Codes, NoEncoding, Seen, encoded
from spec.distributions import Distribution, Draw
from spec.reports import Report


@dataclass(frozen=True)
class Hidden:
    public: int
    payload: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Slotted:
    public: int
    payload: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Same:
    payload: int

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 7


class Text(str):
    pass


class Lenient:
    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 7


class Colour(Enum):
    RED = 1


class Other(Enum):
    RED = 1


def with_attribute(note: int) -> Hidden:
    made = Hidden(1)
    object.__setattr__(made, "note", note)
    return made


ALIKE: list[tuple[Hashable, Hashable]] = [
    (1, True),
    (0, False),
    (1, Fraction(1)),
    (1, 1.0),
    (0.0, -0.0),
    ("a", Text("a")),
    ((1,), (True,)),
    ((bool, True), True),
    (frozenset({1}), frozenset({True})),
    (Map({"a": 1}), Map({"a": True})),
    (Hidden(1, 2), Hidden(1, 3)),
    (Slotted(1, 2), Slotted(1, 3)),
    (with_attribute(1), with_attribute(2)),
    (Same(1), Same(2)),
    ((0, (Same(1),)), (0, (Same(2),))),
    (Colour.RED, Other.RED),
    (Distribution.certain(1), Distribution.certain(True)),
    (None, ()),
]


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_what_can_be_told_apart_is_not_the_same(one: Hashable, other: Hashable) -> None:
    assert encoded(one) != encoded(other)
    assert Seen(one) != Seen(other)
    assert len({Seen(one), Seen(other)}) == 2
    assert observed((one,)) != observed((other,))
    codes = Codes()
    assert codes(one) != codes(other)
    assert codes((0, one)) != codes((0, other))


def test_what_cannot_be_told_apart_is_the_same() -> None:
    pairs: list[tuple[Hashable, Hashable]] = [
        (Report(report_id=3), Report(report_id=3)),
        (Map({1: 2, 3: 4}), Map({3: 4, 1: 2})),
        (Hidden(1, 2), Hidden(1, 2)),
        (frozenset({1, 2}), frozenset({2, 1})),
        (Fraction(2, 4), Fraction(1, 2)),
    ]
    for one, other in pairs:
        assert encoded(one) == encoded(other)
        assert hash(Seen(one)) == hash(Seen(other))
        assert bare(observed((one,))) == (other,)
        codes = Codes()
        assert codes((0, one)) == codes((0, other))


def test_a_type_without_an_encoding_is_named() -> None:
    with pytest.raises(NoEncoding, match="a Lenient cannot be compared as data"):
        encoded((1, Lenient()))
    with pytest.raises(NoEncoding, match="a list cannot"):
        encoded(([],))


@dataclass(frozen=True)
class Showing:
    """Show one thing, and nothing more."""

    shown: Hashable
    initial: int = 0

    def step(self, state: Hashable, action: Hashable, draw: Draw) -> tuple[Hashable, Hashable]:
        return state, (self.shown,)


@dataclass(frozen=True)
class Keeping:
    """Keep one of two things, drawn, and show afterwards which it was by what it hides."""

    first: Hidden
    second: Hidden
    initial: None = None

    def step(self, state: Hashable, action: Hashable, draw: Draw) -> tuple[Hashable, Hashable]:
        if state is None:
            return draw(Distribution.uniform([Seen(self.first), Seen(self.second)])).value, ()
        assert isinstance(state, Hidden)
        return state, state.payload


class Menu:
    start = 0

    def choices(self, progress: Hashable, states: object) -> list[tuple[Hashable, Hashable]]:
        return [("look", 0)]

    def tells(self, action: Hashable) -> bool:
        return True

    def spares(self, action: Hashable) -> bool:
        return False


def worst(one: object, other: object, moves: int) -> Fraction:
    first = World(mechanism=one, window=Window())  # type: ignore[arg-type]
    second = World(mechanism=other, window=Window())  # type: ignore[arg-type]
    return Game(first=first, second=second, menu=Menu()).worst(Fraction(1), moves)


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_a_game_sees_every_difference(one: Hashable, other: Hashable) -> None:
    assert worst(Showing(one), Showing(other), 1) == 1
    assert worst(Showing(one), Showing(one), 1) == 0


def test_a_game_keeps_states_apart_that_call_themselves_equal() -> None:
    mixed = Keeping(Hidden(1, 2), Hidden(1, 3))
    plain = Keeping(Hidden(1, 2), Hidden(2, 2))
    assert worst(mixed, plain, 1) == 0
    assert worst(mixed, plain, 2) == Fraction(1, 2)
