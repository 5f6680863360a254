"""Values to run rules on: numbers are symbolic, and what is no number may not be looked at.

A proof about a rule is about all its arguments, so no argument may have a shape that is not
general. A dataclass made by `unchecked` has only the fields that it is given, skips validation, and
refuses to say whether it belongs to a subclass. A name can be compared with names and be a key. An
opaque value can be passed on and nothing else. A rule that looks further ends in `NotSymbolic`.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import cache, partial, wraps
from pathlib import Path
from time import perf_counter_ns
from types import FrameType
from typing import Any, Concatenate, ParamSpec, TypeVar, cast
from unittest.mock import patch

from immutables import Map

from proofs._followed import ATOMS
from proofs._opaque import Opaque, counted
from proofs._opaque import name as name
from proofs._opaque import opaque as opaque
from proofs._proof import Statement, Step, StepResult, Told, Verdict, assume
from proofs._solvers import Model
from proofs._symbolic import (
    MACHINERY,
    NotSymbolic,
    Number,
    Text,
    Truth,
    between_fields,
    free,
    function_of,
    refuse,
    running,
)
from spec import PAPER, Rules, contributions
from spec.aggregation_service import Query, Service, Spent
from spec.attribution_client import Trigger
from spec.contributions import Budget, Budgets, Cause, Contributor, Credit, Unit
from spec.distributions import Distribution, Law
from spec.private_aggregation_client import Event
from spec.reports import KEY_BITS, REPORT_ID_BITS, Contribution, Report, Sent
from spec.rules import AtContribution, AtService, Limits, OnDevice
from spec.verdicts import Check, Evidence, Finding, Shape

MACHINERY.add(__file__)

SPECIFICATION, PROOFS = Path(str(contributions.__file__)).parent, Path(__file__).parent

T = TypeVar("T")
S = TypeVar("S")
P = ParamSpec("P")


class _Unsaid(Opaque):
    """Stand for a field that was not given while a dataclass is copied, and nowhere else."""

    __slots__ = ()


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
        if _asks(sys._getframe(1)) != dataclasses.__file__:
            if not running():
                raise AttributeError(attribute)
            refuse(f".{attribute} of a {kind.__name__}")
        return _Unsaid(f"{attribute} of a {kind.__name__}")

    def copied(self: object, **given: object) -> None:
        # What was not said of the original is not said of the copy: an opaque value in its place
        # would be no None, which the real one may be.
        for attribute, value in given.items():
            if type(value) is not _Unsaid:
                object.__setattr__(self, attribute, value)

    def equal(self: object, other: object) -> bool:
        if self is other and between_fields():
            return True
        if not isinstance(other, kind):
            return False
        return all(getattr(self, f.name) == getattr(other, f.name) for f in fields(kind))

    body = {
        "__slots__": (),
        "_stands_for": kind,
        "__class__": property(own_class),
        "__getattr__": missing,
        "__init__": copied,
        "__eq__": equal,
        "__hash__": kind.__hash__,
    }
    return _OPENED.setdefault(kind, type(kind.__name__, (kind,), body))


def _asks(frame: FrameType | None) -> str:
    """Return the file of who asks for an attribute, by this file or not."""
    while frame is not None and frame.f_code.co_filename == __file__:
        frame = frame.f_back
    return "" if frame is None else frame.f_code.co_filename


@cache
def _may_be_none(kind: Any) -> frozenset[str]:
    """Name the fields of a dataclass whose declared type mentions None."""
    return frozenset(field.name for field in fields(kind) if "None" in str(field.type))


def _given(made: object, kind: type[T], given: Mapping[str, object]) -> T:
    """Give an instance its fields; an opaque value, never None, stands for none that may be."""
    for attribute, value in given.items():
        if type(value) is Opaque and attribute in _may_be_none(cast(Hashable, kind)):
            raise TypeError(f"{kind.__name__}.{attribute} may be None, and would not be seen to be")
        object.__setattr__(made, attribute, value)
    return cast(T, made)


def unchecked(kind: type[T], **given: object) -> T:
    """Return an instance of a dataclass with the given fields only, without validation."""
    return _given(object.__new__(_opened(kind)), kind, given)


def answering(kind: type[T], asked: Mapping[str, Callable[[], object]], **given: object) -> T:
    """Return such an instance whose further fields are made when they are asked for.

    What is made for a field stands for every value that it may have. A copy has what the original
    has, so that all of it is made then.
    """

    def missing(self: object, attribute: str) -> object:
        if attribute in asked:
            return asked[attribute]()
        return unsaid(self, attribute)

    opened = _opened(kind)
    unsaid = opened.__getattr__  # type: ignore[attr-defined]
    made = type(kind.__name__, (opened,), {"__slots__": (), "__getattr__": missing})
    return _given(object.__new__(made), kind, given)


def plain(value: object, kind: type[T]) -> T:
    """Return a value of exactly this type; refuse one of a subclass, which may hold more."""
    if type(value) not in (kind, _opened(kind)):
        raise NotSymbolic(f"a {type(value).__name__} in place of a {kind.__name__}")
    return cast(T, value)


def bare(kind: type[T], **given: object) -> T:
    """Return an instance of exactly this dataclass, without validation."""
    return _given(object.__new__(kind), kind, given)


def stand_in(asked: Callable[P, T]) -> Callable[P, T]:
    """Let a rule that stands in the place of another one be asked by the specification or a proof.

    A rule of a proposal could tell by its answer that it is not the real one.
    """

    def checked(*given: P.args, **named: P.kwargs) -> T:
        if Path(sys._getframe(1).f_code.co_filename).parent not in (SPECIFICATION, PROOFS):
            refuse("a call of a rule in whose place another one stands")
        return asked(*given, **named)

    return checked


def with_limits(rules: Rules, **given: int | Fraction | None) -> Rules:
    """Return the rules with limits of which only the given ones may be read."""
    return replace(rules, limits=unchecked(Limits, **given))


def budget(value: int, count: int) -> Budget:
    """Return a budget of which this has been used."""
    return unchecked(Budget, value=value, count=count)


def spent(epsilon: Fraction, delta: Fraction, queries: int = 0) -> Spent:
    """Return what an entry of the ledger has been charged, and how often."""
    return unchecked(Spent, epsilon=epsilon, delta=delta, queries=queries)


def with_caps(
    rules: Rules, epsilon: Fraction, delta: Fraction, queries: int, counted: bool
) -> Rules:
    """Return the rules with these caps; the number of queries is limited only if it is counted."""
    assume(queries >= 1)
    most = queries if counted else None
    return with_limits(rules, epsilon=epsilon, delta=delta, maximum_queries=most)


def asked(epsilon: Fraction, delta: Fraction, what: str = "the query") -> Query:
    """Return a query of which only the parameters may be read, and how many keys it lists.

    Two queries of one statement list as many keys, unless they are called differently.
    """
    keys = counted(tuple[int, ...], f"the keys of {what}")
    return unchecked(Query, epsilon=epsilon, delta=delta, keys=keys)


def any_key(what: str) -> int:
    """Return any key of 128 bits."""
    key = free(what, int)
    assume(0 <= key, key < 2**KEY_BITS)
    return key


def any_reports(count: int) -> tuple[int, ...]:
    """Return any identifiers of reports, no two of them equal."""
    found = tuple(free(f"report_{each}", int) for each in range(1, count + 1))
    for place, report_id in enumerate(found):
        assume(0 <= report_id, report_id < 2**REPORT_ID_BITS)
        assume(*(report_id != other for other in found[:place]))
    return found


def any_text(what: str) -> str:
    """Return any text."""
    return free(what, str)


def contribution(value: int, key: str) -> Contribution:
    """Return a contribution to any key; keys of different names may be equal or not."""
    return unchecked(Contribution, key=any_key(key), value=value)


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


def any_time(what: str = "now") -> int:
    """Return any moment."""
    now = free(what, int)
    assume(0 <= now)
    return now


def any_trigger(key: int, value: int, kind: Callable[..., Trigger] | None = None) -> Trigger:
    """Return a trigger with any names; its filters may not be looked at."""
    return (kind or partial(unchecked, Trigger))(
        report_id=any_reports(1)[0],
        destination=any_text("destination"),
        filters=opaque(frozenset[str], "the filters"),
        key=key,
        value=value,
        trigger_id=any_text("trigger_id"),
        device=any_text("device"),
    )


def any_event(kind: Callable[..., Event] | None = None) -> Event:
    """Return an event with any names; its program may not be looked at."""
    return (kind or partial(unchecked, Event))(
        report_id=any_reports(1)[0],
        device=any_text("device"),
        program=opaque(object, "the program"),
        ad_tech=any_text("ad_tech"),
    )


def cause_of(in_client: bool) -> Cause:
    """Return what a client passes as the cause, or None as the mechanism does."""
    return cast(Cause, Opaque("the cause")) if in_client else None


class _Keeper(Opaque):
    """Be whatever keeps budgets; nothing else may be looked at, nor what it is."""

    __slots__ = ("budgets",)

    budgets: Budgets


def keeper(budgets: Budgets) -> Contributor:
    """Return a client, or the state of the mechanism, of which only the budgets may be read."""
    made = _Keeper("the client")
    made.budgets = budgets
    return cast(Contributor, made)


def on_device(rules: Rules, client: object, cause: object) -> AtContribution:
    """Return what a rule on a device sees, at any time."""
    seen = unchecked(OnDevice, rules=rules, now=any_time(), client=client, cause=cause)
    return cast(AtContribution, seen)


class _Granted(Opaque):
    """Be the credits that were granted: only the paper's `send` may take out what is in them."""

    __slots__ = ("contents",)

    contents: object

    def __iter__(self) -> Iterator[object]:
        if sys._getframe(1).f_code is not contributions.send.__code__:
            refuse(f"iter of {self._what}")
        return iter((unchecked(Credit, contributions=(self.contents,)),))


def sent_unseen(at: AtContribution) -> tuple[object, tuple[Sent, ...]]:
    """Run `send` on any credits; return what stands for all that was granted, and what is sent.

    Nobody may look at what was granted, so that what is proved holds for any number of credits and
    contributions. The paper's own `send` may put all of it into a report, whose contents may then
    not be looked at either.
    """
    granted = _Granted("what was granted")
    contents = granted.contents = Opaque("the contents of a report")

    def report(report_id: int, contributions: tuple[object, ...]) -> Report:
        (found,) = contributions
        assert found is contents
        return unchecked(Report, report_id=report_id, contributions=contents)

    with patch.object(contributions, "Report", report):
        sent = at.rules.send(at, cast(tuple[Credit, ...], granted))
    return contents, certain(sent)


def at_service(
    rules: Rules, query: Query, state: Service | None = None, time: str = "now"
) -> AtService:
    """Return what a rule of the service sees, at any time; its state may not be looked at."""
    state = opaque(Service, "the service") if state is None else state
    return unchecked(AtService, rules=rules, now=any_time(time), service=state, query=query)


def without_client(rules: Rules) -> Rules:
    """Return the rules with an admission that may not look at the client, only at the unit's own.

    A client in a proof has budgets of one or two units, and could be told from one with more.
    """

    def admit(
        at: AtContribution, unit: Unit, before: Budget, part: Contribution
    ) -> tuple[Budget, bool]:
        seen = replace(at, client=cast(Contributor, Opaque("the client")))
        return rules.admit(seen, unit, before, part)

    return replace(rules, admit=admit)


def without_ledger(rules: Rules) -> Rules:
    """Return the rules with entries and charges that may not look at the service.

    A ledger in a proof has a few entries. A rule that looks at it could tell it from a larger one.
    """

    def hidden(at: AtService) -> AtService:
        return replace(at, service=opaque(Service, "the service"))

    return replace(
        rules,
        budget_entries=lambda at, report: rules.budget_entries(hidden(at), report),
        charge=lambda at, before, report: rules.charge(hidden(at), before, report),
    )


def service(ledger: Mapping[object, Spent]) -> Service:
    """Return a service with this ledger."""
    return unchecked(Service, ledger=Map(ledger))


def same(first: object, second: object) -> bool:
    """Compare what is shown as data: types, and every field, also those left out of `==`."""
    if first is second:
        return True
    kind, other_kind = _real_type(first), _real_type(second)
    if kind is not other_kind:
        return False
    if kind is Distribution:
        pairs = (cast(Distribution[object], each).items() for each in (first, second))
        return same(*map(tuple, pairs))
    if kind is tuple:
        one, other = cast(tuple[object, ...], first), cast(tuple[object, ...], second)
        return len(one) == len(other) and all(map(same, one, other))
    if dataclasses.is_dataclass(kind):
        names = [f.name for f in fields(kind)]
        return all(same(getattr(first, each), getattr(second, each)) for each in names)
    if kind not in ATOMS:
        refuse(f"comparison of what is shown, a {kind.__name__},")
    return bool(first == second)


def _real_type(value: object) -> type:
    """Return the type of what a value stands for."""
    kind = type(value)
    if kind in (Number, Text, Truth):
        return value.__class__
    return getattr(kind, "_stands_for", kind)


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
                if not running() or isinstance(error, MemoryError):
                    raise
                raise NotSymbolic(f"{type(error).__name__} in {_raised_in(error)}") from error

        return Statement(name=name, holds=guarded)

    return decorate


def _raised_in(error: Exception) -> str:
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    return "" if traceback is None else function_of(traceback.tb_frame)


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
class Retold(Step[S]):
    """State what a step states; the numbers that refute it are run again and told as a run."""

    step: Statement[S]
    tell: Callable[[S, Model], Told | None]

    @property
    def name(self) -> str:  # type: ignore[override]
        """Return the name of the step."""
        return self.step.name

    def decide(self, subject: S) -> StepResult:
        """Decide the step; numbers that cannot be run again are left as they are."""
        found = self.step.decide(subject)
        if found.verdict != "REFUTED" or found.example is None:
            return found
        try:
            told = self.tell(subject, cast(Model, found.example))
        except Exception:  # The model refutes, and was replayed; the run is only for the reader.
            told = None
        return replace(found, example=told or found.example)


@dataclass(frozen=True, kw_only=True)
class FirstRefuted(Step[S]):
    """State several things about runs from the beginning, of which each can refute."""

    name: str
    parts: tuple[Step[S], ...]

    def decide(self, subject: S) -> StepResult:
        """Return the first part that is refuted, or else the first that is not proved."""
        found: list[StepResult] = []
        for part in self.parts:
            found.append(part.decide(subject))
            if found[-1].verdict == "REFUTED":
                return found[-1]
        return next((each for each in found if each.verdict != "PROVED"), found[0])


@dataclass(frozen=True, kw_only=True)
class Inductive(Step[S]):
    """State that an invariant is preserved, and refute it only by a run from the beginning.

    The step of an induction starts in any state that satisfies the invariant, and such a state may
    be out of reach. So where the step fails, `reachable` is decided instead: the same for short
    runs from the initial state. Runs that a step is `confirmed_by` are decided where it is proved
    as well, so that a rule that slips by the symbolic run is still met on exact values.
    """

    step: Statement[S]
    reachable: Step[S]
    confirmed_by: Step[S] | None = None

    @property
    def name(self) -> str:  # type: ignore[override]
        """Return the name of the step."""
        return self.step.name

    def decide(self, subject: S) -> StepResult:
        """Decide the step, and runs from the beginning if that fails or is to be confirmed."""
        general = self.step.decide(subject)
        proved = general.verdict == "PROVED"
        if proved and self.confirmed_by is None:
            return general
        runs = self.confirmed_by if proved and self.confirmed_by is not None else self.reachable
        run = runs.decide(subject)
        seconds = general.seconds + run.seconds
        if run.verdict == "REFUTED":
            return replace(run, seconds=seconds)
        if proved:
            return replace(general if run.verdict == "PROVED" else run, seconds=seconds)
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
        if found.evidence is not Evidence.PROOF or not changed:
            return found
        return replace(
            found,
            evidence=Evidence.ALL_VALUES_UP_TO_SHAPE,
            shape=Shape.SHORT_LOOPS,
            bound=bound,
            detail=f"the induction is about the paper's {', '.join(changed)}",
        )

    return replace(check, run=run)
