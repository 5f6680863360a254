"""What a round of a loop over credits may see: the budget of one unit, and lists of what it makes.

Each of these values stands for one that a rule has in reality, and can be used in fewer ways. What
a rule does with it is done here as there, or is refused by name and line. What a proof needs to
know of it is kept under names that no code of a proposal may use.
"""

from __future__ import annotations

import sys
from types import CodeType
from typing import Protocol, cast

from proofs._followed import _len
from proofs._opaque import Counted, Name, Opaque
from proofs._subjects import _opened, _real_type, plain
from proofs._symbolic import MACHINERY, refuse
from spec.contributions import Budget
from spec.reports import KEY_BITS, Contribution

MACHINERY.add(__file__)


class Counting(Protocol):
    """Be who knows in which loops a rule is, and what is appended to a list."""

    inside: list[int]

    def measured(self, item: object) -> tuple[int, int]:
        """Return the sum and the number of what is in a credit that is granted."""
        ...

    def counted(self, item: object) -> tuple[int, int]:
        """Return the value of a contribution that is listed, and one."""
        ...


class Credits(Opaque):
    """Be the credits: they can be gone through, once, and not be counted."""

    __slots__ = ()


class Parts(Counted):
    """Be the contributions of a credit, any number of them."""

    __slots__ = ()

    def number(self) -> int:
        """Tell `len` how many there are; a tuple has no such method."""
        if sys._getframe(1).f_code not in (_len.__code__, Counted.__bool__.__code__):
            refuse(f".number of {self._what}")
        return super().number()

    def __getitem__(self, place: object) -> Some:
        """Return some of the contributions, by known places."""
        if type(place) is not slice:
            refuse(f"a single one of {self._what}")
        places = (place.start, place.stop, place.step)
        if any(type(each) not in (int, type(None)) for each in places) or place.step == 0:
            refuse(f"places that are not known of {self._what}")
        return Some(f"some of {self._what}")


class Some(Opaque):
    """Be some contributions of a credit, or all in another order: they can only be gone through."""

    __slots__ = ()


class Part(_opened(Contribution)):  # type: ignore[misc]
    """Be a contribution that is not compared: it may be of a class that holds more."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        refuse("comparison of a contribution")

    def __ne__(self, other: object) -> bool:
        refuse("comparison of a contribution")

    def __hash__(self) -> int:
        refuse("hash of a contribution")


class Picked(Opaque):
    """Be those of several contributions that a function picks, or all of them in its order."""

    __slots__ = ("_by", "_parts", "_sorts")

    def __init__(self, by: object, parts: object, sorts: bool = False) -> None:
        super().__init__("what is picked")
        self._by, self._parts, self._sorts = by, parts, sorts


class List(Counted):
    """Be a list that can be appended to: what is in it, as a sum of values and as a number.

    The list of all grants takes credits, and does not tell whether it is empty. A list is `old`
    once a loop has begun in which it may change: what it is there is another value.
    """

    __slots__ = ("_appended", "_count", "_depth", "_grants", "_old", "_seen", "_value")

    def __init__(
        self, seen: Counting, value: int = 0, count: int = 0, grants: bool = False
    ) -> None:
        super().__init__("a list")
        self._seen, self._value, self._count, self._grants = seen, value, count, grants
        self._depth, self._old, self._appended = len(seen.inside), False, 0

    def number(self) -> int:
        """Tell `len` how many there are; a list has no such method."""
        return _told(self, self, sys._getframe(1).f_code)

    def __bool__(self) -> bool:
        return bool(_told(self, self) > 0)

    def append(self, item: object, /) -> None:
        """Append a contribution, or a credit to the grants, in the loop in which it is followed."""
        if self._old or self._depth != len(self._seen.inside):
            refuse("append to a list that is not followed in this loop")
        value, count = self._seen.measured(item) if self._grants else self._seen.counted(item)
        self._value, self._count = self._value + value, self._count + count
        self._appended += 1


class Listed(Counted):
    """Be what was in a list when a tuple was made of it."""

    __slots__ = ("_count", "_of", "_value")

    def __init__(self, of: List) -> None:
        super().__init__("what was listed")
        self._value, self._count, self._of = of._value, of._count, of

    def number(self) -> int:
        """Tell `len` how many there are; a tuple has no such method."""
        return _told(self, self._of, sys._getframe(1).f_code)

    def __bool__(self) -> bool:
        return bool(_told(self, self._of) > 0)


def _told(asked: List | Listed, of: List, by: CodeType = _len.__code__) -> int:
    """Return how many contributions there are, to who may know."""
    if by is not _len.__code__:
        refuse(f".number of {asked._what}")
    if of._grants:
        refuse("how much was granted before")
    if of._old and asked is of:
        refuse("a list as it was before a loop")
    return asked._count


class Store(Opaque):
    """Be the budgets of all units, of which one unit's may be looked up and stored.

    `_held` is what is held for it, all zeros if there is none yet, and `_known` whether there is.
    """

    __slots__ = ("_held", "_known", "_old", "_unit")

    def __init__(self, unit: object, held: Budget, known: bool) -> None:
        super().__init__("the budgets")
        self._unit, self._held, self._known, self._old = unit, held, known, False

    def _is_known(self, unit: object) -> bool:
        """Tell whether there is a budget of the unit, which must be that of the credit."""
        if self._old:
            refuse("the budgets as they were before the loop")
        if type(unit) is not Name or unit is not self._unit:
            refuse("the budget of another unit")
        return self._known

    def get(self, unit: object, default: object = None, /) -> object:
        """Look up the budget of the credit's unit."""
        return self._held if self._is_known(unit) else default

    def __getitem__(self, unit: object) -> Budget:
        """Look up the budget of the credit's unit, which must be there."""
        if not self._is_known(unit):
            raise KeyError("the credit's unit")
        return self._held

    def __contains__(self, unit: object) -> bool:
        """Tell whether there is a budget of the credit's unit."""
        return self._is_known(unit)

    def set(self, unit: object, held: object, /) -> Store:
        """Return the budgets with another one for the credit's unit."""
        self._is_known(unit)
        return Store(self._unit, plain(held, Budget), True)


def new_part() -> Contribution:
    """Return a contribution of which nothing is known."""
    return cast(Contribution, object.__new__(Part))


def contribution_of(value: object) -> Contribution:
    """Return a contribution; refuse what is something else."""
    if type(value) not in (Contribution, Part):
        refuse(f"a {type(value).__name__} in the place of a contribution")
    return cast(Contribution, value)


def is_open(part: object) -> bool:
    """Tell whether key and value of a contribution are known."""
    return all(_has(part, field) for field in ("key", "value"))


def is_one(part: Contribution) -> bool:
    """Tell whether key and value are such as `is_contribution` asks for.

    Further fields of a contribution that was opened hold what they should, and a copy keeps them.
    """
    if _real_type(part.key) is not int or _real_type(part.value) is not int:
        return False
    return cast(bool, (0 <= part.key) & (part.key < 2**KEY_BITS) & (0 <= part.value))


def _has(value: object, field: str) -> bool:
    try:
        object.__getattribute__(value, field)
    except AttributeError:
        return False
    return True


def held_by(value: object) -> list[object]:
    """List the fields of a dataclass that are set."""
    fields: dict[str, object] = type(value).__dataclass_fields__  # type: ignore[attr-defined]
    return [object.__getattribute__(value, each) for each in fields if _has(value, each)]
