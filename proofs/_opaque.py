"""Values that may be passed on, and hardly anything else: what is no number or text in a proof."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from operator import add, mul, sub, truediv
from typing import NoReturn, TypeVar, cast

from proofs._symbolic import MACHINERY, assume, between_fields, free, hashed, refuse, running

MACHINERY.add(__file__)

T = TypeVar("T")


class Opaque:
    """Be a value that can be passed on and nothing else."""

    __slots__ = ("_what",)

    def __init__(self, what: str) -> None:
        self._what = what

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """Refuse to tell the type; where numbers are real again it is that of the real value."""
        if running():
            refuse(f"type of {self._what}")
        return getattr(type(self), "_stands_for", type(self))

    def __getattr__(self, name: str) -> NoReturn:
        if not running():
            raise AttributeError(name)
        refuse(f".{name} of {self._what}")


class Unknown(Opaque):
    """Be a value of a proposal of which nothing is known, not even that it equals itself."""

    __slots__ = ()


class Name(Opaque):
    """Be an identifier: equal to itself only, and different from every other name.

    All names have one hash, so that a container compares them instead of passing them by.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        if type(other) is not Name:
            refuse(f"comparison of {self._what} with a value")
        return self is other

    def __ne__(self, other: object) -> bool:
        return not self.__eq__(other)

    def __hash__(self) -> int:
        return hashed(self._what)


class Counted(Opaque):
    """Be a sequence of any length, of which nothing may be known but its length.

    Sequences of one name have one length. Code of a proposal is told it as a symbolic number.
    """

    __slots__ = ()

    def number(self) -> int:
        """Return how many members there are."""
        found = free(f"how many in {self._what}", int)
        assume(0 <= found)
        return found

    def __bool__(self) -> bool:
        return bool(self.number() > 0)

    def __len__(self) -> int:
        if running():
            refuse(f"len of {self._what}")
        return self.number()


def _refused(operation: str) -> Callable[..., str]:
    def refused(self: Opaque, *_: object, **__: object) -> str:
        if operation != "repr" or running():
            refuse(f"{operation} of {self._what}")
        return f"<{self._what}>"

    return refused


for _operation in (
    *("bool", "len", "iter", "next", "contains", "getitem", "call", "eq", "ne", "hash"),
    *("lt", "le", "gt", "ge", "add", "radd", "sub", "rsub", "mul", "rmul", "floordiv", "mod"),
    *("rfloordiv", "rmod", "truediv", "rtruediv", "and", "rand", "or", "ror", "xor", "rxor"),
    *("lshift", "rshift", "pow", "rpow", "neg", "pos", "abs", "invert", "int", "float", "index"),
    *("round", "floor", "ceil", "trunc", "str", "repr", "format", "reversed", "divmod", "complex"),
    *("rlshift", "rrshift", "rdivmod", "matmul", "rmatmul", "setitem", "delitem", "enter", "exit"),
    *("bytes", "length_hint", "instancecheck", "subclasscheck", "mro_entries", "fspath"),
):
    setattr(Opaque, f"__{_operation}__", _refused(_operation))
del _operation


def _equal(self: Opaque, other: object) -> bool:
    """Be equal to itself where a dataclass compares fields, and refuse any other comparison."""
    if self is not other or not between_fields():
        refuse(f"eq of {self._what}")
    return True


setattr(Unknown, "__eq__", Opaque.__eq__)  # noqa: B010
setattr(Opaque, "__eq__", _equal)  # noqa: B010


class Enclosed(Opaque):
    r"""Be a number that is known by an enclosure in reality, such as $e^\epsilon$.

    It can be added, multiplied and divided. Whatever else is asked of it, an enclosure may answer
    otherwise than a number: two that overlap are neither equal nor different.
    """

    __slots__ = ("number",)

    def __init__(self, what: str, number: Fraction) -> None:
        super().__init__(what)
        self.number = number

    def __neg__(self) -> Enclosed:
        return Enclosed(self._what, -self.number)


def _with_enclosed(operation: Callable[[Fraction, Fraction], Fraction], name: str) -> None:
    """Let enclosed numbers and exact ones be combined."""

    def forward(self: Enclosed, other: object) -> object:
        return Enclosed(self._what, operation(self.number, bare(other)))

    def reflected(self: Enclosed, other: object) -> object:
        return Enclosed(self._what, operation(bare(other), self.number))

    setattr(Enclosed, f"__{name}__", forward)
    setattr(Enclosed, f"__r{name}__", reflected)


def bare(value: object) -> Fraction:
    """Return the number that is enclosed, or an exact one as it is."""
    return value.number if type(value) is Enclosed else cast(Fraction, value)


for _name, _combine in (("add", add), ("sub", sub), ("mul", mul), ("truediv", truediv)):
    _with_enclosed(_combine, _name)
del _name, _combine


def opaque(_: type[T], what: str) -> T:
    """Return a value of any type that can only be passed on."""
    return cast(T, Opaque(what))


def counted(_: type[T], what: str) -> T:
    """Return a sequence of which only the length may be known."""
    return cast(T, Counted(what))


def name(_: type[T], what: str) -> T:
    """Return an identifier of any type."""
    return cast(T, Name(what))
