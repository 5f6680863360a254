"""The symbolic runner: run a function of spec on symbolic values and follow every path.

A symbolic number is a z3 term that behaves like an `int` or a `Fraction`, a symbolic text one that
behaves like a `str`: texts are numbered, so that equal texts have equal numbers. Comparing two
gives a symbolic truth value, and asking for its truth forks the path: the function is run again
from the start, once per answer that the answers before it leave possible. What cannot be followed
ends in `NotSymbolic`, which names the operation, the function and the line. It ends the proof even
where the function catches it.

A set or a dictionary asks for a hash before it compares, and passes by what has another one. So a
symbolic value has a hash only where spec and proofs ask for it themselves: there all keys of a
container are symbolic, all have the same hash, and every comparison is made and forks. Who is only
`guessing`, and tries on numbers whatever is found, may have symbolic values in any container.
"""

from __future__ import annotations

import ast
import fractions
import math
import numbers
import operator
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, partial
from pathlib import Path as FilePath
from types import FrameType
from typing import NoReturn, TypeVar, cast
from zlib import crc32

import z3

T = TypeVar("T")
Z = TypeVar("Z", bound=z3.ExprRef)
L = TypeVar("L", str, int)

PATHS = 1000
"""The most paths that are followed before the verdict is unknown."""

QUESTIONS = 200
"""The most questions that one path may ask: a loop over a symbolic length never stops asking."""

POSSIBLE_EFFORT = 1_000_000
"""What z3 may spend on one branch; undecided counts as possible. A count of steps, not of time."""

POWERS = 16
"""The largest exponent that is multiplied out."""

MASKS = 8
"""The most runs of ones in a mask that is followed."""

MACHINERY = {__file__, fractions.__file__, numbers.__file__}
"""The files whose functions are never blamed for an operation that cannot be followed."""

OWN = tuple(str(FilePath(__file__).parent.parent / each) for each in ("spec/", "proofs/"))
"""Where the files lie that may use symbolic values as keys."""

ENCODED = ("utf-8", "surrogatepass")
"""How texts are written as bytes: every text, and no two alike."""

INLINED = re.compile(r"(\.<locals>)?\.<(list|set|dict)comp>")
"""How Python before 3.12 calls a comprehension, which is a function of its own there."""

FOLLOWED = "__followed__"
"""The global name that marks the code of a proposal that is followed."""


class NotSymbolic(BaseException):
    """Say which operation, in which function, cannot be run on symbolic numbers."""


class Discarded(BaseException):
    """Leave a run whose assumptions do not hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Path:
    """Hold one way through a function: when it is taken, and what it returned or raised there.

    `taken` states all conditions; what paths have in common is the same term in all of them.
    """

    conditions: tuple[z3.BoolRef, ...]
    taken: z3.BoolRef
    returned: object = None
    raised: Exception | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Exploration:
    """Hold every path through a function, and the branches that were left out as impossible.

    A branch is left out on z3's word. It is kept here as what contradicts itself, to be stated as
    an obligation and decided again.
    """

    paths: tuple[Path, ...]
    impossible: tuple[z3.BoolRef, ...]


def integer(name: str) -> int:
    """Return a symbolic integer. It passes for an `int` wherever Python code looks."""
    return cast(int, _number(_leaf(z3.Int, name)))


def rational(name: str) -> Fraction:
    """Return a symbolic number that is any real, and so any `Fraction`."""
    return _number(_leaf(z3.Real, name))


def boolean(name: str) -> bool:
    """Return a symbolic truth value."""
    return cast(bool, Truth(_leaf(z3.Bool, name)))


def text(name: str) -> str:
    """Return a symbolic text."""
    return cast(str, Text(_leaf(z3.Int, name)))


def number_of(known: str) -> int:
    """Return the number of a text: zero for an empty one, else its bytes after a one.

    Nothing is remembered: a text has the same number in every run, and no other text has it.
    """
    return int.from_bytes(b"\x01" + known.encode(*ENCODED)) if known else 0


def text_of(number: int) -> str:
    """Return the text that has a number, or a name for a number that no text has."""
    if number <= 0:
        return f"name {number}" if number else ""
    written = number.to_bytes((number.bit_length() + 7) // 8)
    with suppress(UnicodeDecodeError):
        if written[0] == 1 and (found := written[1:].decode(*ENCODED)):
            return found
    return f"name {number}"


def free(name: str, kind: type[T]) -> T:
    """Return a symbolic value that is no argument of the statement; its exact value in a replay."""
    if _runs:
        symbols: dict[type, Callable[[str], object]] = {
            int: integer,
            Fraction: rational,
            str: text,
        }
        return cast(T, symbols[kind](name))
    number: int | Fraction = crc32(name.encode())
    if _replays:
        found = _replays[-1].model.get(name, number)
        number = _replays[-1].used[name] = Fraction(found) if kind is Fraction else int(found)
    return cast(T, text_of(int(number)) if kind is str else number)


@dataclass(slots=True)
class Replay:
    """Hold the numbers that a statement is replayed on, and which of them were used.

    It is `loose` if something was known by bounds alone in it.
    """

    model: Mapping[str, int | Fraction | bool]
    used: dict[str, int | Fraction] = field(default_factory=dict)
    loose: bool = False


@contextmanager
def replaying(model: Mapping[str, int | Fraction | bool]) -> Iterator[Replay]:
    """Give free values what a model says while a statement is replayed."""
    _replays.append(Replay(model))
    try:
        yield _replays[-1]
    finally:
        _replays.pop()


@contextmanager
def loosely() -> Iterator[None]:
    """Let some values be known by bounds alone, such as a bit length; what is proved holds anyway.

    What counts must stand for whole numbers alone here, which are any numbers only for ease.
    Numbers by which a statement fails need not be real ones then, so that it is no alarm if they
    do not replay.
    """
    _loose.append(True)
    if _replays and not _runs:
        _replays[-1].loose = True
    try:
        yield
    finally:
        _loose.pop()


def assume(*conditions: bool) -> None:
    """Go on only where all conditions hold, in a symbolic and in an ordinary run alike."""
    for condition in conditions:
        if isinstance(condition, Truth):
            _current("assume").require(condition._term)
        elif not condition:
            if _runs:
                _runs[-1].discarded = True
            raise Discarded


def running() -> bool:
    """Tell whether this is a symbolic run."""
    return bool(_runs)


def refuse(operation: str) -> NoReturn:
    """Say that the function that is running does something that cannot be followed."""
    _current(operation).refuse(operation)


def explore(
    function: Callable[..., object],
    *arguments: object,
    most: int | None = None,
    guessing: bool = False,
) -> Exploration:
    """Run a function once per path and return all paths; more than the most are refused.

    The paths of an exploration that is `guessing` need not be all: nothing follows from them.
    """
    most = PATHS if most is None else most
    pending: list[_Answers] = [()]
    paths: list[Path] = []
    impossible: list[z3.BoolRef] = []
    shared = _Shared()
    for _ in range(most):
        attempt = _Run(pending.pop(), shared, guessing)
        path = attempt.follow(function, arguments)
        paths += [] if path is None else [path]
        impossible += attempt.impossible
        pending += attempt.untaken
        if not pending:
            return Exploration(paths=tuple(paths), impossible=tuple(impossible))
    raise NotSymbolic(f"more than {most} paths in {function.__qualname__}")


def conjunction(*terms: z3.BoolRef) -> z3.BoolRef:
    """State that all terms hold, as `z3.And` does for whatever it is given, and quicker."""
    context = z3.main_ctx()
    given = (z3.Ast * len(terms))(*(each.as_ast() for each in terms))
    return z3.BoolRef(z3.Z3_mk_and(context.ref(), len(terms), given), context)


def term_of(goal: object) -> z3.BoolRef:
    """Return a truth value, symbolic or not, as a z3 term."""
    if isinstance(goal, Truth):
        return goal._term
    if isinstance(goal, bool):
        return z3.BoolVal(goal)
    raise TypeError(f"a statement must return a bool, not {goal!r}")


_Answers = tuple[tuple[z3.BoolRef, bool], ...]
_runs: list[_Run] = []
_loose: list[bool] = []
_replays: list[Replay] = []


class _Shared:
    """Hold what the runs of one exploration have in common: their terms, and a solver.

    A run repeats what the runs before it have done up to its fork. So every term is made once and
    found again, and the solver keeps the conditions that it was given for the run before as far as
    they are the same.
    """

    def __init__(self) -> None:
        self.terms: dict[tuple[object, ...], tuple[z3.ExprRef, ...]] = {}
        self.given: list[z3.BoolRef] = []
        self.always = z3.BoolVal(True)
        self.solver = z3.Solver()
        self.solver.set("rlimit", POSSIBLE_EFFORT)

    def made(self, how: Callable[..., z3.ExprRef], *of: z3.ExprRef) -> z3.ExprRef:
        """Return the term that is made of others, the same one each time."""
        key = (how, *map(id, of))
        if key not in self.terms:
            self.terms[key] = (how(*of), *of)  # What is kept is not replaced under its number.
        return self.terms[key][0]

    def require(self, place: int, condition: z3.BoolRef) -> None:
        """Let the solver hold a condition at its place, and none behind it."""
        if place < len(self.given):
            if self.given[place] is condition or self.given[place].eq(condition):
                return
            self.hold(place)
        self.solver.push()
        self.solver.add(condition)
        self.given.append(condition)

    def hold(self, number: int) -> None:
        """Let the solver hold the first so many conditions only."""
        if number < len(self.given):
            self.solver.pop(len(self.given) - number)
            del self.given[number:]


class _Run:
    """Follow one path: repeat the given answers, then take the first that is possible."""

    def __init__(self, given: _Answers, shared: _Shared, guessing: bool = False) -> None:
        self.given = given
        self.shared = shared
        self.guessing = guessing
        self.answers: list[tuple[z3.BoolRef, bool]] = []
        self.known: dict[int, bool] = {}
        self.conditions: list[z3.BoolRef] = []
        self.taken = shared.always
        self.impossible: list[z3.BoolRef] = []
        self.untaken: list[_Answers] = []
        self.refusal: NotSymbolic | None = None
        self.discarded = False

    def follow(self, function: Callable[..., object], arguments: tuple[object, ...]) -> Path | None:
        """Run to the end of the path; return None if it turns out that nothing takes it."""
        returned: object = None
        raised: Exception | None = None
        _runs.append(self)
        try:
            returned = function(*arguments)
        except Discarded:
            self.discarded = True
        except MemoryError:
            raise  # What a machine has is no part of what a function does.
        except Exception as error:
            raised = error
        finally:
            _runs.pop()
            # A bare `except` in the function may have swallowed the refusal.
            if self.refusal is not None:
                raise self.refusal
        if len(self.answers) < len(self.given):
            raise NotSymbolic(f"another way when run again in {function.__qualname__}")
        if self.discarded or not self.possible():
            return None
        return Path(
            conditions=tuple(self.conditions), taken=self.taken, returned=returned, raised=raised
        )

    def require(self, condition: z3.BoolRef) -> None:
        self.shared.require(len(self.conditions), condition)
        self.conditions.append(condition)
        self.taken = self.also(condition)

    def possible(self, *branch: z3.BoolRef) -> bool:
        self.shared.hold(len(self.conditions))
        if self.shared.solver.check(*branch) != z3.unsat:
            return True
        self.impossible.append(self.also(*branch))
        return False

    def also(self, *conditions: z3.BoolRef) -> z3.BoolRef:
        """State that this path is taken and more holds."""
        return cast(z3.BoolRef, self.shared.made(conjunction, self.taken, *conditions))

    def ask(self, question: z3.BoolRef) -> bool:
        """Answer a question about symbolic numbers, and note the other answer for another run."""
        if question.get_id() in self.known:
            return self.known[question.get_id()]
        place = len(self.answers)
        if place == QUESTIONS:
            self.refuse(f"more than {QUESTIONS} questions on one path")
        if place < len(self.given):
            asked, answer = self.given[place]
            if asked is not question and not asked.eq(question):
                self.refuse("another question when run again")
        else:
            answer = self.possible(question)
            if not self.possible(self.negated(question)):
                if not answer:
                    self.discarded = True
                    raise Discarded
            elif answer:
                self.untaken.append((*self.answers, (question, False)))
        self.answers.append((question, answer))
        self.known[question.get_id()] = answer
        self.require(question if answer else self.negated(question))
        return answer

    def negated(self, question: z3.BoolRef) -> z3.BoolRef:
        return cast(z3.BoolRef, self.shared.made(z3.Not, question))

    def refuse(self, operation: str) -> NoReturn:
        function, line, _ = _place()
        self.refusal = self.refusal or NotSymbolic(f"{operation} in {function}, line {line}")
        raise self.refusal


class Truth:
    """Be a symbolic `bool`: fork the path wherever its value is needed."""

    __slots__ = ("_term",)

    def __init__(self, term: z3.BoolRef) -> None:
        self._term = term

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """Pass for a `bool` in `isinstance`."""
        return bool

    def __bool__(self) -> bool:
        return _current("bool").ask(self._term)

    def __and__(self, other: object) -> object:
        if isinstance(other, Truth):
            return Truth(_made(z3.And, self._term, other._term))
        return bool(self) & other if isinstance(other, int) else NotImplemented

    def __or__(self, other: object) -> object:
        if isinstance(other, Truth):
            return Truth(_made(z3.Or, self._term, other._term))
        return bool(self) | other if isinstance(other, int) else NotImplemented

    def __eq__(self, other: object) -> bool:
        if self is other and between_fields():
            return True
        return bool(self) == other

    def __hash__(self) -> int:
        return hash(bool(self))

    def __index__(self) -> int:
        return int(bool(self))

    def __repr__(self) -> str:
        return repr(bool(self)) if _runs else str(self._term)

    def __format__(self, form: str) -> str:
        return format(bool(self), form) if _runs else str(self._term)

    def __getattr__(self, name: str) -> object:
        if not _runs:
            raise AttributeError(name)
        return getattr(bool(self), name)

    __rand__ = __and__
    __ror__ = __or__


class Text:
    """Be a symbolic `str` that can be compared for equality; whatever else it is asked, it refuses.

    Its term is the number of the text.
    """

    __slots__ = ("_term",)

    def __init__(self, term: z3.ArithRef) -> None:
        self._term = term

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """Pass for a `str` in `isinstance`."""
        return str

    def __eq__(self, other: object) -> bool:
        if type(other) in (Text, str):
            if between_fields():
                return self is other or bool(self._equals(cast(str, other)))
            return cast(bool, self._equals(cast(str, other)))
        if isinstance(other, str):
            _current("==").refuse(f"comparison of a text with a {type(other).__name__}")
        return False

    def _equals(self, other: str) -> Truth:
        known = type(other) is str
        number = _leaf(z3.IntVal, number_of(other)) if known else cast(Text, other)._term
        return Truth(_made(_equal, self._term, number))

    def __ne__(self, other: object) -> bool:
        equal: object = self == other
        return (
            cast(bool, Truth(_made(z3.Not, equal._term))) if isinstance(equal, Truth) else not equal
        )

    def __bool__(self) -> bool:
        return bool(self != "")

    def __hash__(self) -> int:
        return hashed("a text")

    def __getattr__(self, name: str) -> NoReturn:
        if not _runs:
            raise AttributeError(name)
        _runs[-1].refuse(f".{name} of a text")


class Number(Fraction):
    """Be a symbolic `int` or `Fraction`, by the sort of its term.

    It is a subclass of `Fraction` so that `Fraction` asks it first in mixed arithmetic. The
    operators are set below the class; what is not set there is refused by name.
    """

    __slots__ = ("_counts", "_power", "_term")

    _term: z3.ArithRef
    _counts: bool
    _power: z3.ArithRef | None

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """Pass for an `int` in `isinstance` if the term is an integer."""
        return int if _whole(self._term) else Fraction

    def bit_length(self) -> int:
        """Return how many bits a whole number has, known by the power of two that it is below."""
        if not _loose or not _surely_whole(self):
            _current(".bit_length").refuse(".bit_length")
        return _bit_length(self)

    def __getattr__(self, name: str) -> NoReturn:
        if not _runs:
            raise AttributeError(name)
        # A method of Fraction that was not replaced looks for its numerator: name the method.
        _runs[-1].refuse(_place()[2] if name.startswith("_") else f".{name}")


def _number(term: z3.ArithRef, counts: bool = False) -> Number:
    number = object.__new__(Number)
    number._term = term
    number._counts = counts
    number._power = None
    return number


def _bit_length(number: Number) -> int:
    """Return a bit length $l$ with its power: $2^{l-1} <= |n| < 2^l$, and $l = 0$ at zero.

    Every whole number has such a length and power. What is said of both is that $l <= |n|$ alone,
    and that one is a power of two is not said.
    """
    if number == 0:
        return 0
    size = number if number > 0 else cast(Number, -number)
    length = _number(_made(_unknown_length, size._term), counts=True)
    length._power = _made(_unknown_power, size._term)
    power = _number(length._power)
    assume(1 <= length, length <= size, size < power, power <= 2 * size)
    return cast(int, length)


def _unknown_length(_: z3.ArithRef) -> z3.ArithRef:
    return z3.Real(f"bit_length_{len(_runs[-1].shared.terms)}")


def _unknown_power(_: z3.ArithRef) -> z3.ArithRef:
    return z3.Real(f"power_of_two_{len(_runs[-1].shared.terms)}")


def _power_of(exponent: Number, operation: str) -> Number:
    """Return the power of two whose exponent is a bit length."""
    if exponent._power is None:
        _current(operation).refuse(operation)
    return _number(exponent._power, counts=True)


def _raised(exponent: Number, base: object) -> Number:
    if type(base) is not int or base != 2:
        _current("rpow").refuse("rpow")
    return _power_of(exponent, "rpow")


def _shifted(bits: Number, number: object) -> object:
    if not _is_counting(number):
        _current("rlshift").refuse("rlshift")
    return number * _power_of(bits, "rlshift")  # type: ignore[operator]


def _rounded(number: Number, *digits: object) -> int:
    """Round to the nearest whole number, halves to the even one."""
    if digits:
        _current("round").refuse("round to digits")
    if _whole(number._term):
        return cast(int, number)
    low = math.floor(number)
    above = 2 * (number - low)
    if above == 1:
        return low if low % 2 == 0 else low + 1
    return low if above < 1 else low + 1


def _truncated(number: Number) -> int:
    """Round towards zero."""
    if _whole(number._term):
        return cast(int, number)
    return math.floor(number) if number >= 0 else math.ceil(number)


def counting(number: Fraction) -> int:
    """Return a number that stands for whole ones, though it may be any: it divides as they do.

    What holds for all numbers holds for whole ones, but for this: the quotient of two whole numbers
    is a float, and rounded.
    """
    return cast(int, _number(number._term, counts=True) if type(number) is Number else number)


def _is_counting(value: object) -> bool:
    """Tell whether a number is a whole one, or stands for whole ones."""
    if type(value) is Number:
        return value._counts or _whole(value._term)
    return type(value) in (int, bool, Truth)


def _surely_whole(number: Number) -> bool:
    """Tell whether what a number stands for is whole, and nothing else.

    What counts may stand for parts as well, unless it is said that it is known loosely.
    """
    return _whole(number._term) or (number._counts and bool(_loose))


def fraction(numerator: object = 0, denominator: object = None) -> Fraction:
    """Make a `Fraction`; of symbolic numbers it is their quotient, a symbolic one."""
    given = (numerator,) if denominator is None else (numerator, denominator)
    if all(type(each) is not Number for each in given):
        return Fraction(*cast(tuple[int, ...], given))
    terms = list(map(_lifted, given))
    if None in terms:
        raise TypeError("numerator and denominator must be rational")
    top, *below = (_real(cast(z3.ArithRef, each)) for each in terms)
    return _number(_divide(top, below[0]) if below else top)


def _leaf(kind: Callable[[L], Z], name: L) -> Z:
    """Return a variable or a constant, the same one in all runs of an exploration."""
    if not _runs:
        return kind(name)
    known = _runs[-1].shared.terms
    if (kind, name) not in known:
        known[kind, name] = (kind(name),)
    return cast(Z, known[kind, name][0])


def _made(how: Callable[..., Z], *of: z3.ExprRef) -> Z:
    """Return the term that is made of others, the same one in all runs of an exploration."""
    return cast(Z, _runs[-1].shared.made(how, *of)) if _runs else how(*of)


def _current(operation: str) -> _Run:
    if not _runs:
        raise NotSymbolic(f"{operation} outside of a symbolic run")
    return _runs[-1]


def _lifted(value: object) -> z3.ArithRef | None:
    """Return a number as a term, or None for what is not a number."""
    if isinstance(value, Number):
        return value._term
    if type(value) in (int, bool, Truth):
        return _leaf(z3.IntVal, int(cast(int, value)))
    if type(value) is Fraction:
        return _leaf(z3.RealVal, str(value))
    if isinstance(value, numbers.Number):
        _current("arithmetic").refuse(f"arithmetic with {type(value).__name__}")
    return None


def _real(term: z3.ArithRef) -> z3.ArithRef:
    if not _whole(term):
        return term
    if isinstance(term, z3.IntNumRef):
        return _leaf(z3.RealVal, str(term.as_long()))
    return _made(z3.ToReal, term)


def _whole(term: z3.ArithRef) -> bool:
    """Tell whether a term is an integer; it remembers."""
    known: bool | None = vars(term).get("_whole")
    if known is None:
        known = vars(term)["_whole"] = term.is_int()
    return known


def _pair(left: z3.ArithRef, right: z3.ArithRef) -> tuple[z3.ArithRef, z3.ArithRef]:
    if _whole(left) and _whole(right):
        return left, right
    return _real(left), _real(right)


def _zero(like: z3.ArithRef) -> z3.ArithRef:
    return _leaf(z3.IntVal, 0) if _whole(like) else _leaf(z3.RealVal, "0")


def _equal(left: z3.ExprRef, right: z3.ExprRef) -> z3.BoolRef:
    return cast(z3.BoolRef, left == right)


def _nonzero(divisor: z3.ArithRef) -> None:
    if _positive(divisor):
        return
    if _current("division").ask(_made(_equal, divisor, _zero(divisor))):
        raise ZeroDivisionError("division by zero")


def _positive(number: z3.ArithRef) -> bool:
    """Tell whether a number is known, and positive."""
    return isinstance(number, z3.IntNumRef) and number.as_long() > 0


def _divide(left: z3.ArithRef, right: z3.ArithRef) -> z3.ArithRef:
    if _whole(left):
        _current("/").refuse("/ of two integers, which is a float,")
    _nonzero(right)
    return left / right


def _floor_divide(left: z3.ArithRef, right: z3.ArithRef) -> z3.ArithRef:
    _nonzero(right)
    if not _whole(left):
        return z3.ToInt(left / right)
    # The solvers' integer division rounds down for positive divisors only.
    if _positive(right) or _current("//").ask(_zero(right) < right):
        return left / right
    return -left / -right


def _modulo(left: z3.ArithRef, right: z3.ArithRef) -> z3.ArithRef:
    quotient = _floor_divide(left, right)
    return left - right * (quotient if _whole(left) else z3.ToReal(quotient))


def _power(base: Number, exponent: object) -> Number:
    if isinstance(exponent, Number) or not isinstance(exponent, int):
        _current("**").refuse("** with an exponent that is not a known integer")
    if abs(exponent) > POWERS or (exponent < 0 and _is_counting(base)):
        _current("**").refuse(f"** {exponent}")
    one: z3.ArithRef = z3.IntVal(1) if _whole(base._term) else z3.RealVal(1)
    product = one
    for _ in range(abs(exponent)):
        product = base._term if product is one else product * base._term
    return _number(product if exponent >= 0 else _divide(one, product), base._counts)


def _bits(number: Number, bits: object, operation: str) -> int:
    """Return the known natural number that an operation on bits is with."""
    if not _whole(number._term) or type(bits) not in (int, bool) or cast(int, bits) < 0:
        _current(operation).refuse(f"{operation} with bits that are not known")
    return int(cast(int, bits))


def _masked(number: Number, mask: int) -> int:
    """Keep the bits of a mask, each run of ones by a division and a remainder."""
    kept, runs = 0, 0
    while mask:
        runs += 1
        if runs > MASKS:
            _current("&").refuse(f"& with a mask of more than {MASKS} runs of ones")
        low = mask & -mask
        run = (mask + low) & ~mask
        kept += number // low % (run // low) * low
        mask -= run - low
    return kept


def _text(number: Number, *_: object) -> str:
    """Allow text in error messages only: texts can be compared, and would compare wrongly."""
    if _runs and (_followed() or not _raising()):
        _runs[-1].refuse("text of a number")
    return str(number._term)


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


def hashed(what: str) -> int:
    """Return the one hash of all symbolic values, if spec or a proof is who asks.

    A container of a proposal may hold values that are not symbolic, and other code may hold any.
    """
    if not _runs or _runs[-1].guessing:
        return 0
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and (
        frame.f_code.co_filename in MACHINERY or frame.f_code.co_filename == "<string>"
    ):
        frame = frame.f_back
    if frame is None or not frame.f_code.co_filename.startswith(OWN):
        _runs[-1].refuse(f"hash of {what}")
    if _followed():
        _runs[-1].refuse(f"hash of {what}")
    return 0


def between_fields() -> bool:
    """Tell whether a comparison is that of two fields which a dataclass makes.

    Before Python 3.13 a dataclass compares tuples of its fields: what is the same object is equal
    there, and of all else the truth is asked at once. After it the fields are compared one by one.
    What compares symbolic values is to do the same under both.
    """
    code = sys._getframe(2).f_code
    return code.co_name == "__eq__" and code.co_filename == "<string>"


def _followed() -> bool:
    """Tell whether code of a proposal is running, itself or by what it called."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code is not _Run.follow.__code__:
        if FOLLOWED in frame.f_globals:
            return True
        frame = frame.f_back
    return False


def _place() -> tuple[str, int, str]:
    """Return the function that uses a symbolic value, the line, and what it called to do so."""
    frame: FrameType | None = sys._getframe(1)
    called = ""
    while frame is not None and frame.f_code.co_filename in MACHINERY:
        called = frame.f_code.co_qualname
        frame = frame.f_back
    if frame is None:
        return "", 0, called
    return function_of(frame), frame.f_lineno, called


def function_of(frame: FrameType) -> str:
    """Name the function that runs; a comprehension is part of the one that it stands in."""
    return INLINED.sub("", frame.f_code.co_qualname)


def _set_operators() -> None:
    """Give the symbolic numbers every operator of `int` and `Fraction`, or a refusal."""

    def number(name: str, combine: Callable[[z3.ArithRef, z3.ArithRef], z3.ArithRef]) -> None:
        def forward(self: Number, other: object) -> object:
            term = _lifted(other)
            if term is None:
                return NotImplemented
            return _number(combine(*_pair(self._term, term)), counts(self, other))

        def reflected(self: Number, other: object) -> object:
            term = _lifted(other)
            if term is None:
                return NotImplemented
            return _number(combine(*_pair(term, self._term)), counts(self, other))

        def counts(first: object, second: object) -> bool:
            whole = _is_counting(first) and _is_counting(second)
            if whole and name == "truediv":
                _current("/").refuse("/ of two integers, which is a float,")
            return whole

        setattr(Number, f"__{name}__", forward)
        setattr(Number, f"__r{name}__", reflected)

    def comparison(name: str, combine: Callable[[z3.ArithRef, z3.ArithRef], z3.BoolRef]) -> None:
        def compare(self: Number, other: object) -> object:
            term = _lifted(other)
            if term is None:
                return NotImplemented
            found = Truth(_made(combine, *_pair(self._term, term)))
            if name == "eq" and between_fields():
                return self is other or bool(found)
            return found

        setattr(Number, f"__{name}__", compare)

    def refused(name: str, kind: type = Number) -> None:
        def refuse(*_: object) -> NoReturn:
            what = f"{name} of a text" if kind is Text else name
            _current(what).refuse(what)

        setattr(kind, f"__{name}__", refuse)

    def counted(name: str) -> None:
        def as_integer(self: Truth, *other: object) -> object:
            return getattr(int(bool(self)), f"__{name}__")(*other)

        setattr(Truth, f"__{name}__", as_integer)

    number("add", partial(_made, operator.add))
    number("sub", partial(_made, operator.sub))
    number("mul", partial(_made, operator.mul))
    number("truediv", _divide)
    number("floordiv", _floor_divide)
    number("mod", _modulo)
    comparison("lt", operator.lt)
    comparison("le", operator.le)
    comparison("gt", lambda left, right: right < left)
    comparison("ge", lambda left, right: right <= left)
    comparison("eq", _equal)
    comparison("ne", lambda left, right: z3.Not(_equal(left, right)))
    one_sided: dict[str, Callable[..., object]] = {
        "bool": lambda self: _current("bool").ask(z3.Not(self._term == _zero(self._term))),
        "neg": lambda self: _number(-self._term, self._counts),
        "pos": lambda self: self,
        "abs": lambda self: _number(
            z3.If(_zero(self._term) <= self._term, self._term, -self._term),
            self._counts,
        ),
        "floor": lambda self: self if _whole(self._term) else _number(z3.ToInt(self._term)),
        "ceil": lambda self: -math.floor(-self),
        "round": _rounded,
        "trunc": _truncated,
        "rpow": _raised,
        "rlshift": _shifted,
        "divmod": lambda self, other: (self // other, self % other),
        "rdivmod": lambda self, other: (other // self, other % self),
        "pow": _power,
        "copy": lambda self: self,
        "deepcopy": lambda self, _: self,
        "hash": lambda _: hashed("a number"),
        "invert": lambda self: -self - 1,
        "str": _text,
        "repr": _text,
        "format": _text,
    }
    bitwise: dict[str, Callable[..., object]] = {
        "lshift": lambda self, other: self * 2 ** _bits(self, other, "<<"),
        "rshift": lambda self, other: self // 2 ** _bits(self, other, ">>"),
        "and": lambda self, other: _masked(self, _bits(self, other, "&")),
        "or": lambda self, other: self + other - _masked(self, _bits(self, other, "|")),
        "xor": lambda self, other: self + other - _masked(self, _bits(self, other, "^")) * 2,
    }
    bitwise |= {f"r{name}": bitwise[name] for name in ("and", "or", "xor")}
    for name, operation in one_sided.items():
        setattr(Number, f"__{name}__", operation)
    one_sided_texts = ("len", "iter", "contains", "getitem", "lt", "le", "gt", "ge", "add", "radd")
    for name in (*one_sided_texts, "mul", "rmul", "mod", "rmod", "str", "repr", "format"):
        refused(name, Text)
    for name in ("index", "int", "float", "complex"):
        refused(name)
    for name, known in bitwise.items():
        setattr(Number, f"__{name}__", known)
    refused("rrshift")
    for name in ("add", "sub", "mul", "floordiv", "mod", "pow", "xor", "lt", "le", "gt", "ge"):
        counted(name)
    for name in ("radd", "rsub", "rmul", "rfloordiv", "rmod", "rpow", "rxor", "float", "divmod"):
        counted(name)
    for name in ("truediv", "rtruediv", "lshift", "rlshift", "rshift", "rrshift", "rdivmod"):
        counted(name)
    for name in ("neg", "pos", "abs", "invert", "int", "round", "trunc", "floor", "ceil"):
        counted(name)


_set_operators()
