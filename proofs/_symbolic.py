"""The symbolic runner: run a function of spec on symbolic numbers and follow every path.

A symbolic number is a z3 term that behaves like an `int` or a `Fraction`. Comparing two gives a
symbolic truth value, and asking for its truth forks the path: the function is run again from the
start, once per answer that the answers before it leave possible. What cannot be followed ends in
`NotSymbolic`, which names the operation and the function, and which no `except Exception` catches.
"""

from __future__ import annotations

import ast
import fractions
import math
import numbers
import sys
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path as FilePath
from types import FrameType
from typing import NoReturn, cast

import z3

PATHS = 1000
"""The most paths that are followed before the verdict is unknown."""

QUESTIONS = 200
"""The most questions that one path may ask: a loop over a symbolic length never stops asking."""

POSSIBLE_EFFORT = 1_000_000
"""What z3 may spend on one branch; undecided counts as possible. A count of steps, not of time."""

POWERS = 16
"""The largest exponent that is multiplied out."""

MACHINERY = {__file__, fractions.__file__, numbers.__file__}
"""The files whose functions are never blamed for an operation that cannot be followed."""


class NotSymbolic(BaseException):
    """Say which operation, in which function, cannot be run on symbolic numbers."""


class Discarded(BaseException):
    """Leave a run whose assumptions do not hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Path:
    """Hold one way through a function: when it is taken, and what it returned or raised there."""

    conditions: tuple[z3.BoolRef, ...]
    returned: object = None
    raised: Exception | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Exploration:
    """Hold every path through a function, and the branches that were left out as impossible.

    A branch is left out on z3's word. It is kept here as the conditions that contradict each other,
    to be stated as an obligation and decided again.
    """

    paths: tuple[Path, ...]
    impossible: tuple[tuple[z3.BoolRef, ...], ...]


def integer(name: str) -> int:
    """Return a symbolic integer. It passes for an `int` wherever Python code looks."""
    return cast(int, _number(z3.Int(name)))


def rational(name: str) -> Fraction:
    """Return a symbolic number that is any real, and so any `Fraction`."""
    return _number(z3.Real(name))


def boolean(name: str) -> bool:
    """Return a symbolic truth value."""
    return cast(bool, Truth(z3.Bool(name)))


def assume(*conditions: bool) -> None:
    """Go on only where all conditions hold, in a symbolic and in an ordinary run alike."""
    for condition in conditions:
        if isinstance(condition, Truth):
            _current("assume").require(condition.term)
        elif not condition:
            raise Discarded


def running() -> bool:
    """Tell whether this is a symbolic run."""
    return bool(_runs)


def refuse(operation: str) -> NoReturn:
    """Say that the function that is running does something that cannot be followed."""
    _current(operation).refuse(operation)


def explore(function: Callable[..., object], *arguments: object) -> Exploration:
    """Run a function once per path and return all paths."""
    pending: list[_Answers] = [()]
    paths: list[Path] = []
    impossible: list[tuple[z3.BoolRef, ...]] = []
    for _ in range(PATHS):
        attempt = _Run(pending.pop())
        path = attempt.follow(function, arguments)
        paths += [] if path is None else [path]
        impossible += attempt.impossible
        pending += attempt.untaken
        if not pending:
            return Exploration(paths=tuple(paths), impossible=tuple(impossible))
    raise NotSymbolic(f"more than {PATHS} paths in {function.__qualname__}")


def term_of(goal: object) -> z3.BoolRef:
    """Return a truth value, symbolic or not, as a z3 term."""
    if isinstance(goal, Truth):
        return goal.term
    if isinstance(goal, bool):
        return z3.BoolVal(goal)
    raise TypeError(f"a statement must return a bool, not {goal!r}")


_Answers = tuple[tuple[z3.BoolRef, bool], ...]
_runs: list[_Run] = []


class _Run:
    """Follow one path: repeat the given answers, then take the first that is possible."""

    def __init__(self, given: _Answers) -> None:
        self.given = given
        self.answers: list[tuple[z3.BoolRef, bool]] = []
        self.known: dict[int, bool] = {}
        self.conditions: list[z3.BoolRef] = []
        self.impossible: list[tuple[z3.BoolRef, ...]] = []
        self.untaken: list[_Answers] = []
        self.refusal: NotSymbolic | None = None
        self.solver = z3.Solver()
        self.solver.set("rlimit", POSSIBLE_EFFORT)

    def follow(self, function: Callable[..., object], arguments: tuple[object, ...]) -> Path | None:
        """Run to the end of the path; return None if it turns out that nothing takes it."""
        returned: object = None
        raised: Exception | None = None
        _runs.append(self)
        try:
            returned = function(*arguments)
        except Discarded:
            return None
        except Exception as error:
            raised = error
        finally:
            _runs.pop()
            # A bare `except` in the function may have swallowed the refusal.
            if self.refusal is not None:
                raise self.refusal
        if not self.possible():
            return None
        return Path(conditions=tuple(self.conditions), returned=returned, raised=raised)

    def require(self, condition: z3.BoolRef) -> None:
        self.conditions.append(condition)
        self.solver.add(condition)

    def possible(self, *branch: z3.BoolRef) -> bool:
        if self.solver.check(*branch) != z3.unsat:
            return True
        self.impossible.append((*self.conditions, *branch))
        return False

    def ask(self, question: z3.BoolRef) -> bool:
        """Answer a question about symbolic numbers, and note the other answer for another run."""
        if question.get_id() in self.known:
            return self.known[question.get_id()]
        place = len(self.answers)
        if place == QUESTIONS:
            self.refuse(f"more than {QUESTIONS} questions on one path")
        if place < len(self.given):
            asked, answer = self.given[place]
            if not asked.eq(question):
                self.refuse("another question when run again")
        else:
            answer = self.possible(question)
            if not self.possible(z3.Not(question)):
                if not answer:
                    raise Discarded
            elif answer:
                self.untaken.append((*self.answers, (question, False)))
        self.answers.append((question, answer))
        self.known[question.get_id()] = answer
        self.require(question if answer else z3.Not(question))
        return answer

    def refuse(self, operation: str) -> NoReturn:
        function, _ = _place()
        self.refusal = self.refusal or NotSymbolic(f"{operation} in {function}")
        raise self.refusal


class Truth:
    """Be a symbolic `bool`: fork the path wherever its value is needed."""

    __slots__ = ("term",)

    def __init__(self, term: z3.BoolRef) -> None:
        self.term = term

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """Pass for a `bool` in `isinstance`."""
        return bool

    def __bool__(self) -> bool:
        return _current("bool").ask(self.term)

    def __and__(self, other: object) -> object:
        if isinstance(other, Truth):
            return Truth(z3.And(self.term, other.term))
        return bool(self) & other if isinstance(other, int) else NotImplemented

    def __or__(self, other: object) -> object:
        if isinstance(other, Truth):
            return Truth(z3.Or(self.term, other.term))
        return bool(self) | other if isinstance(other, int) else NotImplemented

    def __eq__(self, other: object) -> bool:
        return bool(self) == other

    def __hash__(self) -> int:
        return hash(bool(self))

    def __index__(self) -> int:
        return int(bool(self))

    def __repr__(self) -> str:
        return repr(bool(self)) if _runs else str(self.term)

    __rand__ = __and__
    __ror__ = __or__


class Number(Fraction):
    """Be a symbolic `int` or `Fraction`, by the sort of its term.

    It is a subclass of `Fraction` so that `Fraction` asks it first in mixed arithmetic. The
    operators are set below the class; what is not set there is refused by name.
    """

    __slots__ = ("term",)

    term: z3.ArithRef

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """Pass for an `int` in `isinstance` if the term is an integer."""
        return int if self.term.is_int() else Fraction

    def __getattr__(self, name: str) -> NoReturn:
        if not _runs:
            raise AttributeError(name)
        # A method of Fraction that was not replaced looks for its numerator: name the method.
        _runs[-1].refuse(_place()[1] if name.startswith("_") else f".{name}")


def _number(term: z3.ArithRef) -> Number:
    number = object.__new__(Number)
    number.term = term
    return number


def _current(operation: str) -> _Run:
    if not _runs:
        raise NotSymbolic(f"{operation} outside of a symbolic run")
    return _runs[-1]


def _lifted(value: object) -> z3.ArithRef | None:
    """Return a number as a term, or None for what is not a number."""
    if isinstance(value, Number):
        return value.term
    if isinstance(value, int):
        return z3.IntVal(int(value))
    if isinstance(value, Fraction):
        return z3.RealVal(str(value))
    if isinstance(value, numbers.Number):
        _current("arithmetic").refuse(f"arithmetic with {type(value).__name__}")
    return None


def _real(term: z3.ArithRef) -> z3.ArithRef:
    if not term.is_int():
        return term
    return z3.RealVal(term.as_long()) if isinstance(term, z3.IntNumRef) else z3.ToReal(term)


def _pair(left: z3.ArithRef, right: z3.ArithRef) -> tuple[z3.ArithRef, z3.ArithRef]:
    if left.is_int() and right.is_int():
        return left, right
    return _real(left), _real(right)


def _zero(like: z3.ArithRef) -> z3.ArithRef:
    return z3.IntVal(0) if like.is_int() else z3.RealVal(0)


def _nonzero(divisor: z3.ArithRef) -> None:
    if _current("division").ask(divisor == _zero(divisor)):
        raise ZeroDivisionError("division by zero")


def _divide(left: z3.ArithRef, right: z3.ArithRef) -> z3.ArithRef:
    if left.is_int():
        _current("/").refuse("/ of two integers, which is a float,")
    _nonzero(right)
    return left / right


def _floor_divide(left: z3.ArithRef, right: z3.ArithRef) -> z3.ArithRef:
    _nonzero(right)
    if not left.is_int():
        return z3.ToInt(left / right)
    # The solvers' integer division rounds down for positive divisors only.
    if _current("//").ask(_zero(right) < right):
        return left / right
    return -left / -right


def _modulo(left: z3.ArithRef, right: z3.ArithRef) -> z3.ArithRef:
    quotient = _floor_divide(left, right)
    return left - right * (quotient if left.is_int() else z3.ToReal(quotient))


def _power(base: Number, exponent: object) -> Number:
    if isinstance(exponent, Number) or not isinstance(exponent, int):
        _current("**").refuse("** with an exponent that is not a known integer")
    if abs(exponent) > POWERS or (exponent < 0 and base.term.is_int()):
        _current("**").refuse(f"** {exponent}")
    one: z3.ArithRef = z3.IntVal(1) if base.term.is_int() else z3.RealVal(1)
    product = one
    for _ in range(abs(exponent)):
        product = base.term if product is one else product * base.term
    return _number(product if exponent >= 0 else _divide(one, product))


def _text(number: Number, *_: object) -> str:
    """Allow text in error messages only: texts can be compared, and would compare wrongly."""
    if _runs and not _raising():
        _runs[-1].refuse("text of a number")
    return str(number.term)


def _raising() -> bool:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code is not _Run.follow.__code__:
        if frame.f_lineno in _raise_lines(frame.f_code.co_filename):
            return True
        frame = frame.f_back
    return False


@cache
def _raise_lines(file: str) -> frozenset[int]:
    try:
        nodes = ast.walk(ast.parse(FilePath(file).read_text(encoding="utf-8")))
    except OSError:
        return frozenset()
    raises = [node for node in nodes if isinstance(node, ast.Raise)]
    return frozenset(
        line for node in raises for line in range(node.lineno, (node.end_lineno or 0) + 1)
    )


def _place() -> tuple[str, str]:
    """Return the function that uses a symbolic number, and what it called to do so."""
    frame: FrameType | None = sys._getframe(1)
    called = ""
    while frame is not None and frame.f_code.co_filename in MACHINERY:
        called = frame.f_code.co_qualname
        frame = frame.f_back
    return ("" if frame is None else frame.f_code.co_qualname), called


def _set_operators() -> None:
    """Give the symbolic numbers every operator of `int` and `Fraction`, or a refusal."""

    def number(name: str, combine: Callable[[z3.ArithRef, z3.ArithRef], z3.ArithRef]) -> None:
        def forward(self: Number, other: object) -> object:
            term = _lifted(other)
            return NotImplemented if term is None else _number(combine(*_pair(self.term, term)))

        def reflected(self: Number, other: object) -> object:
            term = _lifted(other)
            return NotImplemented if term is None else _number(combine(*_pair(term, self.term)))

        setattr(Number, f"__{name}__", forward)
        setattr(Number, f"__r{name}__", reflected)

    def comparison(name: str, combine: Callable[[z3.ArithRef, z3.ArithRef], z3.BoolRef]) -> None:
        def compare(self: Number, other: object) -> object:
            term = _lifted(other)
            return NotImplemented if term is None else Truth(combine(*_pair(self.term, term)))

        setattr(Number, f"__{name}__", compare)

    def refused(name: str) -> None:
        def refuse(*_: object) -> NoReturn:
            _current(name).refuse(name)

        setattr(Number, f"__{name}__", refuse)

    def counted(name: str) -> None:
        def as_integer(self: Truth, other: object) -> object:
            return getattr(int(bool(self)), f"__{name}__")(other)

        setattr(Truth, f"__{name}__", as_integer)

    number("add", lambda left, right: left + right)
    number("sub", lambda left, right: left - right)
    number("mul", lambda left, right: left * right)
    number("truediv", _divide)
    number("floordiv", _floor_divide)
    number("mod", _modulo)
    comparison("lt", lambda left, right: left < right)
    comparison("le", lambda left, right: left <= right)
    comparison("gt", lambda left, right: right < left)
    comparison("ge", lambda left, right: right <= left)
    comparison("eq", lambda left, right: left == right)
    comparison("ne", lambda left, right: z3.Not(left == right))
    one_sided: dict[str, Callable[..., object]] = {
        "bool": lambda self: _current("bool").ask(z3.Not(self.term == _zero(self.term))),
        "neg": lambda self: _number(-self.term),
        "pos": lambda self: self,
        "abs": lambda self: _number(
            z3.If(_zero(self.term) <= self.term, self.term, -self.term),
        ),
        "floor": lambda self: self if self.term.is_int() else _number(z3.ToInt(self.term)),
        "ceil": lambda self: -math.floor(-self),
        "divmod": lambda self, other: (self // other, self % other),
        "rdivmod": lambda self, other: (other // self, other % self),
        "pow": _power,
        "copy": lambda self: self,
        "deepcopy": lambda self, _: self,
        "str": _text,
        "repr": _text,
        "format": _text,
    }
    for name, operation in one_sided.items():
        setattr(Number, f"__{name}__", operation)
    for name in ("hash", "index", "int", "float", "complex", "trunc", "round", "rpow", "invert"):
        refused(name)
    for name in ("and", "or", "xor", "lshift", "rshift"):
        refused(name)
        refused(f"r{name}")
    for name in ("add", "sub", "mul", "floordiv", "mod", "pow", "xor", "lt", "le", "gt", "ge"):
        counted(name)
    for name in ("radd", "rsub", "rmul", "rfloordiv", "rmod", "rpow", "rxor"):
        counted(name)


_set_operators()
