"""Values to run rules on: numbers are symbolic, and what is no number may not be looked at.

A proof about a rule is about all its arguments, so no argument may have a shape that is not
general. A dataclass made by `unchecked` has only the fields that it is given, skips validation, and
refuses to say whether it belongs to a subclass. A name can be compared with names and be a key. An
opaque value can be passed on and nothing else. A rule that looks further ends in `NotSymbolic`.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import wraps
from time import perf_counter_ns
from typing import Concatenate, NoReturn, ParamSpec, TypeVar, cast

from immutables import Map

from proofs._proof import Statement, Step, StepResult, Verdict
from proofs._solvers import Model
from proofs._symbolic import MACHINERY, NotSymbolic, refuse, running
from spec import PAPER, Rules, claims
from spec.aggregation_service import Query, Service, Spent
from spec.claims import Check, Finding
from spec.contributions import Budget, Cause
from spec.distributions import Law
from spec.reports import Contribution, Report
from spec.rules import Limits

MACHINERY.add(__file__)

T = TypeVar("T")
S = TypeVar("S")
P = ParamSpec("P")


class Opaque:
    """Be a value that can be passed on and nothing else."""

    __slots__ = ("what",)

    def __init__(self, what: str) -> None:
        self.what = what

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """Refuse to tell the type."""
        if running():
            refuse(f"type of {self.what}")
        return type(self)

    def __getattr__(self, name: str) -> NoReturn:
        if not running():
            raise AttributeError(name)
        refuse(f".{name} of {self.what}")


class Name(Opaque):
    """Be an identifier: hashable, equal to itself only, and different from every other name."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        if type(other) is not Name:
            refuse(f"comparison of {self.what} with a value")
        return self is other

    def __ne__(self, other: object) -> bool:
        return not self.__eq__(other)

    def __hash__(self) -> int:
        return id(self)


def _refused(operation: str) -> Callable[..., str]:
    def refused(self: Opaque, *_: object) -> str:
        if operation != "repr" or running():
            refuse(f"{operation} of {self.what}")
        return f"<{self.what}>"

    return refused


for _operation in (
    *("bool", "len", "iter", "next", "contains", "getitem", "call", "eq", "ne", "hash"),
    *("lt", "le", "gt", "ge", "add", "radd", "sub", "rsub", "mul", "rmul", "floordiv", "mod"),
    *("rfloordiv", "rmod", "truediv", "rtruediv", "and", "rand", "or", "ror", "xor", "rxor"),
    *("lshift", "rshift", "pow", "rpow", "neg", "pos", "abs", "invert", "int", "float", "index"),
    *("round", "floor", "ceil", "trunc", "str", "repr", "format", "reversed", "divmod", "complex"),
):
    setattr(Opaque, f"__{_operation}__", _refused(_operation))
del _operation


def opaque(_: type[T], what: str) -> T:
    """Return a value of any type that can only be passed on."""
    return cast(T, Opaque(what))


def name(_: type[T], what: str) -> T:
    """Return an identifier of any type."""
    return cast(T, Name(what))


_OPENED: dict[type, type] = {}


def _opened(kind: type) -> type:
    """Return a subclass that says nothing beyond what its instances were given."""
    if kind in _OPENED:
        return _OPENED[kind]

    def own_class(self: object) -> type:
        if running() and sys._getframe(1).f_code.co_filename != dataclasses.__file__:
            refuse(f"type of a {kind.__name__}")
        return type(self)

    def missing(_: object, attribute: str) -> object:
        # A dataclass asks for every field when it is copied.
        if sys._getframe(1).f_code.co_filename != dataclasses.__file__:
            if not running():
                raise AttributeError(attribute)
            refuse(f".{attribute} of a {kind.__name__}")
        return Opaque(f"{attribute} of a {kind.__name__}")

    def equal(self: object, other: object) -> bool:
        if not isinstance(other, kind):
            return False
        return all(getattr(self, f.name) == getattr(other, f.name) for f in fields(kind))

    body = {
        "__slots__": (),
        "__class__": property(own_class),
        "__getattr__": missing,
        "__post_init__": lambda _: None,
        "__eq__": equal,
        "__hash__": kind.__hash__,
    }
    return _OPENED.setdefault(kind, type(kind.__name__, (kind,), body))


def unchecked(kind: type[T], **given: object) -> T:
    """Return an instance of a dataclass with the given fields only, without validation."""
    made: object = object.__new__(_opened(kind))
    for attribute, value in given.items():
        object.__setattr__(made, attribute, value)
    return cast(T, made)


def plain(value: object, kind: type[T]) -> T:
    """Return a value of exactly this type; refuse one of a subclass, which may hold more."""
    if type(value) not in (kind, _opened(kind)):
        raise NotSymbolic(f"a {type(value).__name__} in place of a {kind.__name__}")
    return cast(T, value)


def with_limits(rules: Rules, **given: int | Fraction) -> Rules:
    """Return the rules with limits of which only the given ones may be read."""
    return replace(rules, limits=unchecked(Limits, **given))


def budget(value: int, count: int) -> Budget:
    """Return a budget of which this has been used."""
    return unchecked(Budget, value=value, count=count)


def spent(epsilon: Fraction, delta: Fraction) -> Spent:
    """Return what an entry of the ledger has been charged."""
    return unchecked(Spent, epsilon=epsilon, delta=delta)


def asked(epsilon: Fraction, delta: Fraction) -> Query:
    """Return a query of which nothing but the parameters may be read."""
    return unchecked(Query, epsilon=epsilon, delta=delta)


def contribution(value: int, key: str = "a key") -> Contribution:
    """Return a contribution to a key that is nothing but a name."""
    return unchecked(Contribution, key=name(int, key), value=value)


def sealed(report_id: int) -> Report:
    """Return a report whose contents may not be looked at."""
    contents = opaque(tuple[Contribution, ...], "the contents of a report")
    return unchecked(Report, report_id=report_id, contributions=contents)


def null(report_id: int) -> Report:
    """Return the null report with the same identifier."""
    return unchecked(Report, report_id=report_id, contributions=())


def holding(report_id: int, *contents: Contribution) -> Report:
    """Return a report with the given contents."""
    return unchecked(Report, report_id=report_id, contributions=contents)


def cause_of(in_client: bool) -> Cause:
    """Return what a client passes as the cause, or None as the mechanism does."""
    return cast(Cause, Opaque("the cause")) if in_client else None


def service(ledger: Mapping[object, Spent]) -> Service:
    """Return a service with this ledger."""
    return unchecked(Service, ledger=Map(ledger))


def certain(law: T | Law[T]) -> T:
    """Draw from nothing: return plain values, and refuse a rule that is random."""
    if issubclass(type(law), Law):
        refuse(f"a draw from {type(law).__name__}")
    return cast(T, law)


def for_all_rules(
    name: str,
) -> Callable[[Callable[Concatenate[S, P], bool]], Statement[S]]:
    """Turn a function into a statement; a rule, or a subject, that raises leaves it unknown."""

    def decorate(holds: Callable[Concatenate[S, P], bool]) -> Statement[S]:
        @wraps(holds)
        def guarded(subject: S, *args: P.args, **kwargs: P.kwargs) -> bool:
            try:
                return holds(subject, *args, **kwargs)
            except Exception as error:
                if not running():
                    raise
                raise NotSymbolic(f"{type(error).__name__} in {_raised_in(error)}") from error

        return Statement(name=name, holds=guarded)

    return decorate


def _raised_in(error: Exception) -> str:
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    return "" if traceback is None else traceback.tb_frame.f_code.co_qualname


@dataclass(frozen=True, kw_only=True)
class Search(Step[S]):
    """State that a finite search, through the range `over`, finds no counterexample."""

    name: str
    find: Callable[[S], Mapping[str, object] | None]
    by: str
    over: str

    def decide(self, subject: S) -> StepResult:
        """Search; what is found refutes, an exception leaves it unknown."""
        start = perf_counter_ns()
        verdict: Verdict = "UNKNOWN"
        found, reason = None, ""
        try:
            found = self.find(subject)
            verdict = "PROVED" if found is None else "REFUTED"
        except NotSymbolic as refusal:
            reason = str(refusal)
        except Exception as error:
            reason = f"{type(error).__name__}: {error} in {_raised_in(error)}"
        return StepResult(
            name=self.name,
            verdict=verdict,
            by=(self.by,),
            seconds=Fraction(perf_counter_ns() - start, 10**9),
            reason=reason,
            example=cast(Model | None, found),
            over=self.over,
        )


def search(
    name: str, by: str = "enumeration", *, over: str
) -> Callable[[Callable[[S], Mapping[str, object] | None]], Search[S]]:
    """Turn a function that looks for a counterexample into the step that there is none there."""
    return lambda find: Search(name=name, find=find, by=by, over=over)


@dataclass(frozen=True, kw_only=True)
class Inductive(Step[S]):
    """State that an invariant is preserved, and refute it only by a run from the beginning.

    The step of an induction starts in any state that satisfies the invariant, and such a state may
    be out of reach. So where the step fails, `reachable` is decided instead: the same for short
    runs from the initial state.
    """

    step: Statement[S]
    reachable: Step[S]

    @property
    def name(self) -> str:  # type: ignore[override]
        """Return the name of the step."""
        return self.step.name

    def decide(self, subject: S) -> StepResult:
        """Decide the step, and look for a run from the beginning if that fails."""
        general = self.step.decide(subject)
        if general.verdict == "PROVED":
            return general
        run = self.reachable.decide(subject)
        seconds = general.seconds + run.seconds
        if run.verdict == "REFUTED":
            return replace(run, seconds=seconds)
        reason = general.reason or f"not inductive{str(general).removeprefix('REFUTED')}"
        return replace(
            general,
            verdict="UNKNOWN",
            reason=reason,
            example=None,
            seconds=seconds,
            disproved=general.fails,
        )


def bounded(check: Check, *, papers_own: Iterable[str], bound: str) -> Check:
    """Return a check that proves nothing, up to the bound only, where a loop is not the paper's.

    A proof runs a loop for a few lengths and states the induction over all of them. The induction
    is about the paper's own function. Of another one the proof decides what it has run.
    """

    def run(rules: Rules) -> Finding:
        found = check.run(rules)
        changed = [f for f in papers_own if getattr(rules, f) is not getattr(PAPER, f)]
        if found.verdict is not claims.Verdict.PROVED or not changed:
            return found
        return replace(
            found,
            verdict=claims.Verdict.HOLDS,
            bound=bound,
            detail=f"the induction is about the paper's {', '.join(changed)}",
        )

    return replace(check, run=run)
