"""A guard around the rules that a proposal changes: who misbehaves is named.

A rule answers with the type that `Rules` states, does not raise, gives the same answer to the same
question, and leaves its arguments as they were. What it shows to the ad-tech can be compared. The
guard watches every call of a changed rule in the child process, and notes in memory shared with the
parent which rule is running, so that a child that hangs or dies still tells. Rules that are the
paper's own are not touched: proofs ask whether a rule is the paper's by identity.

A rule that remembers earlier calls may well repeat itself when it is asked twice in a row. So some
questions are kept, and in the end they are asked again, last ones first, of rules that are loaded
afresh and remember nothing.
"""

from __future__ import annotations

import functools
import inspect
import mmap
import re
import struct
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import FrozenInstanceError, dataclass, field, fields, is_dataclass, replace
from enum import Enum
from fractions import Fraction
from pathlib import Path
from types import NoneType, UnionType
from typing import NoReturn, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import spec.aggregation_service
import spec.attribution_client
import spec.contributions
import spec.distributions
import spec.event_client
import spec.event_outputs
import spec.noise
import spec.numbers
import spec.private_aggregation_client
import spec.reports
from proofs import _symbolic
from properties.lump import Seal, sealing
from sandproof.proposal import at_line, brief, rule_names, safely, told
from sandproof.reach import Reach, TooManyLines
from spec import PAPER, AtEventTrigger, Rules
from spec.distributions import Distribution, Law, NotADistribution, NotReplayable
from spec.numbers import SpecError
from spec.reports import Sent

Rule = Callable[..., object]
Conforms = Callable[[object], bool]

_LAYOUT = struct.Struct("=QBB")

ENDING = (SystemExit, KeyboardInterrupt, GeneratorExit)
"""What a rule raises that means to end the program."""

SHOWN = ("send", "reveal", "serve", "event_visible")
"""The rules whose answers the ad-tech sees: what `send` shows, and the second part of `serve`."""


class RuleMisbehaved(BaseException):
    """Report in one line what a rule did that no rule may do; checks are not to handle it."""


class Trace:
    """Note in shared memory which changed rule is running: how many calls, which, symbolically."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _LAYOUT.size)
        self._calls = 0

    def enter(self, rule: int, symbolic: bool) -> None:
        """Note that a rule is called."""
        self._calls += 1
        _LAYOUT.pack_into(self._memory, 0, self._calls, rule, symbolic)

    @property
    def now(self) -> tuple[int, int, bool]:
        """Return the number of calls so far, the rule that is running or 0, and how."""
        calls, rule, symbolic = _LAYOUT.unpack_from(self._memory)
        return calls, rule, bool(symbolic)

    def rule(self) -> str:
        """Name the rule that is running, if one is."""
        number = self.now[1]
        return rule_names()[number - 1] if number else ""

    def close(self) -> None:
        """Give the memory back."""
        self._memory.close()


@dataclass(slots=True, kw_only=True)
class Guard:
    """Watch the changed rules of one proposal, and remember what they did.

    A rule is left alone while a proof runs it on symbolic numbers, where it may well fail. Rules
    are called twice now and then if `twice` says so: what a proof passes may not be compared. What
    of the proposal's code is run, and how much, is noted where a `reach` is given. Noisy values
    that are `sealed` are sealed for the rule only: what the guard looks at tells nobody. `files`
    are all files of the proposal.
    """

    path: Path
    files: tuple[Path, ...] = ()
    twice: bool = True
    trace: Trace = field(default_factory=Trace)
    reach: Reach | None = None
    misbehaved: list[str] = field(default_factory=list)
    exhausted: dict[str, str] = field(default_factory=dict)
    asked: dict[str, list[tuple[Question, object]]] = field(default_factory=dict)
    refused: SpecError | None = None
    refused_by: str = ""
    sealed: bool = False

    def around(self, rules: Rules) -> Rules:
        """Return the rules with every changed one guarded."""
        changed = {
            name: self._guarded(number, name, getattr(rules, name))
            for number, name in enumerate(rule_names(), 1)
            if getattr(rules, name) is not getattr(PAPER, name)
        }
        return replace(rules, **changed)  # type: ignore[arg-type]

    def _guarded(self, number: int, name: str, rule: Rule) -> Rule:
        annotation = answers()[name]
        fits = conforms(annotation)
        draws = list(inspect.signature(getattr(PAPER, name)).parameters)[-1] == "draw"
        calls = 0

        def checked(arguments: tuple[object, ...]) -> object:
            answer = self._call(name, rule, arguments)
            if not fits(answer):
                self._blame(
                    name, f"returned {brief(answer)}; it must return {readable(annotation)}"
                )
            if wrong := complaint(name, arguments, answer):
                self._blame(name, f"returned {brief(answer)}; {wrong}")
            return answer

        @functools.wraps(rule, updated=())
        def guarded(*arguments: object) -> object:
            nonlocal calls
            calls += 1
            symbolic = bool(_symbolic._runs)
            before, self.sealed = (self.trace.now[1], self.sealed), Seal.closed
            self.trace.enter(number, symbolic)
            try:
                if symbolic:
                    return self._call_symbolically(name, rule, arguments)
                with sealing(False):
                    if not self.twice or calls & (calls - 1):
                        return checked(arguments)
                    return asked(arguments)
            finally:
                self.trace.enter(before[0], symbolic)
                self.sealed = before[1]

        def asked(arguments: tuple[object, ...]) -> object:
            question = Question(arguments, draws)
            answer = checked(question.recording())
            if question.is_changed:
                self._blame(name, "changed its input")
            self._compare(name, answer, self._call(name, rule, question.replaying()))
            self.asked.setdefault(name, []).append((question, answer))
            return answer

        # A proof puts the guard around the rule as it is followed there.
        guarded.guarding = functools.partial(self._guarded, number, name)  # type: ignore[attr-defined]
        return guarded

    def ask_again(self, rules: Rules) -> None:
        """Put the questions that were kept to rules that should answer them in the same way."""
        for name, questions in self.asked.items():
            self.trace.enter(rule_names().index(name) + 1, False)
            for question, answer in reversed(questions):
                again = self._call(name, getattr(rules, name), question.replaying())
                self._compare(name, answer, again)
        self.trace.enter(0, False)

    def _compare(self, name: str, answer: object, again: object) -> None:
        try:
            same = not differ(answer, again)
        except Exception as error:
            self._blame(name, f"returned {brief(answer)}, which cannot be compared", error)
        if not same:
            self._blame(
                name, f"changes its answer from call to call: {brief(answer)}, then {brief(again)}"
            )

    def _call(self, name: str, rule: Rule, arguments: tuple[object, ...]) -> object:
        try:
            with sealing(self.sealed):
                return self._followed(rule, arguments)
        except NotReplayable as error:
            self._blame(name, f"changes its answer from call to call: {error}", error)
        except NotADistribution as error:
            self._blame(name, f"raised {told(error)}", error)
        except SpecError as error:
            if self.refused is not error:
                self.refused, self.refused_by = error, name
            raise
        except FrozenInstanceError as error:
            self._blame(name, f"tried to change its input: {error}", error)
        except RecursionError as error:
            self._blame(name, "recurses without end", error)
        except (MemoryError, TooManyLines) as error:
            self._exhaust(name, error)
        except (Exception, *ENDING) as error:
            self._blame(name, f"raised {told(error)}", error)

    def _call_symbolically(self, name: str, rule: Rule, arguments: tuple[object, ...]) -> object:
        try:
            return self._followed(rule, arguments)
        except ENDING as error:
            self._blame(name, f"raised {told(error)}", error)
        except TooManyLines as error:
            self._exhaust(name, error)

    def _followed(self, rule: Rule, arguments: tuple[object, ...]) -> object:
        return rule(*arguments) if self.reach is None else self.reach.call(rule, arguments)

    def _exhaust(self, name: str, error: BaseException) -> NoReturn:
        """Give up a rule that runs for too long or uses too much memory."""
        what = str(error) if isinstance(error, TooManyLines) else "ran out of memory"
        self.exhausted.setdefault(name, f"{self.path}: rule `{name}` {what}")
        raise RuleMisbehaved(self.exhausted[name]) from None

    def _blame(self, name: str, what: str, error: BaseException | None = None) -> NoReturn:
        place = "" if error is None else at_line(error.__traceback__, self.files or (self.path,))
        message = f"{self.path}{place}: rule `{name}` {what}"
        if message not in self.misbehaved:
            self.misbehaved.append(message)
        raise RuleMisbehaved(message) from None


class Question:
    """Hold the arguments of a call, to be made again with the same outcomes of its draws."""

    def __init__(self, arguments: tuple[object, ...], draws: bool) -> None:
        self.arguments = arguments
        self.draws = draws
        self.tape: list[object] = []
        self.prints = fingerprint(arguments)

    def recording(self) -> tuple[object, ...]:
        """Return the arguments, with a draw that notes the outcomes if there is one."""
        if not self.draws:
            return self.arguments
        draw = cast(Callable[[object], object], self.arguments[-1])
        return (*self.arguments[:-1], _Recorder(draw, self.tape))

    def replaying(self) -> tuple[object, ...]:
        """Return the arguments, with a draw that gives the noted outcomes if there is one."""
        if not self.draws:
            return self.arguments
        return (*self.arguments[:-1], _Player(list(self.tape)))

    @property
    def is_changed(self) -> bool:
        """Tell whether an argument is not any more what it was."""
        return fingerprint(self.arguments) != self.prints


@dataclass(frozen=True, slots=True)
class _Recorder:
    """Draw, and remember what was drawn."""

    draw: Callable[[object], object]
    tape: list[object]

    def __call__(self, law: object, /) -> object:
        outcome = self.draw(law)
        if isinstance(law, Law):
            self.tape.append(outcome)
        return outcome


@dataclass(frozen=True, slots=True)
class _Player:
    """Draw what was drawn before."""

    tape: list[object]

    def __call__(self, law: object, /) -> object:
        if not isinstance(law, Law):
            return law
        if not self.tape:
            raise NotReplayable("it draws more often the second time")
        return self.tape.pop(0)


def names_strangers(arguments: tuple[object, ...], answer: object) -> bool:
    """Tell whether an order of attempts names a source that was not among the candidates."""
    candidates = list(cast(Sequence[object], arguments[1]))
    orders = answer.support() if isinstance(answer, Distribution) else (answer,)
    return any(each not in candidates for order in orders for each in cast(Sequence[object], order))


def fingerprint(arguments: tuple[object, ...]) -> list[object]:
    """Return something that changes if an argument is changed."""
    return [_print_of(argument) for argument in arguments]


def _print_of(argument: object) -> object:
    try:
        return hash(argument)
    except Exception:
        return safely(repr, argument)


def complaint(name: str, arguments: tuple[object, ...], answer: object) -> str:
    """Say what is wrong with an answer of the right type, if something is."""
    if name in SHOWN and (opaque := next(incomparable(shown_in(name, answer)), None)):
        return f"what the ad-tech sees must be comparable, and a {opaque} is equal to itself only"
    if name == "truth_probability" and (answer < 0 or answer > 1):  # type: ignore[operator]
        return "a probability lies between 0 and 1"
    if name == "event_attribute":
        at = cast(AtEventTrigger, arguments[0])
        if at.rules.register_event_trigger is PAPER.register_event_trigger:
            known = {record.source.source_id for record in at.client.records}
            ways = answer.support() if isinstance(answer, Distribution) else (answer,)
            if not all(known.issuperset(cast(tuple[Hashable, ...], units)) for units in ways):
                return "only registered sources can be credited"
    if name == "attempt_order" and names_strangers(arguments, answer):
        return "only candidates can be attempted"
    return ""


def shown_in(name: str, answer: object) -> object:
    """Return what the ad-tech sees of a rule's answer."""
    if name == "serve":
        return cast(tuple[object, object], answer)[1]
    if name == "send":
        ways = answer.support() if isinstance(answer, Distribution) else (answer,)
        return tuple(each.shown for sent in ways for each in cast(tuple[Sent, ...], sent))
    return answer


def incomparable(value: object) -> Iterator[str]:
    """Name the types in a value, also inside of tuples and laws, that compare by identity."""
    if isinstance(value, tuple | frozenset):
        for part in value:
            yield from incomparable(part)
    elif isinstance(value, Distribution):
        for part, _ in value.items():
            yield from incomparable(part)
    elif type(value).__eq__ is object.__eq__ and not isinstance(value, NoneType | Enum | Law):
        yield type(value).__name__


def differ(one: object, other: object) -> bool:
    """Tell whether two answers certainly differ; what compares by identity may be equal."""
    if type(one) is not type(other):
        return True
    if isinstance(one, tuple | list) and isinstance(other, tuple | list):
        return len(one) != len(other) or any(map(differ, one, other))
    if type(one).__eq__ is object.__eq__:
        return False
    if isinstance(one, Law) and one == other:
        return False
    if is_dataclass(one) and not isinstance(one, type) and not isinstance(one, Distribution):
        return any(differ(getattr(one, f.name), getattr(other, f.name)) for f in fields(one))
    return bool(one != other)


@functools.cache
def answers() -> dict[str, object]:
    """Return the type of every rule's answer, as `Rules` states it."""
    modules = (
        spec.aggregation_service,
        spec.attribution_client,
        spec.contributions,
        spec.distributions,
        spec.event_client,
        spec.event_outputs,
        spec.noise,
        spec.numbers,
        spec.private_aggregation_client,
        spec.reports,
    )
    names: dict[str, object] = {}
    for module in modules:
        names.update(vars(module))
    hints = get_type_hints(Rules, localns=names)
    return {name: get_args(hints[name])[1] for name in rule_names()}


def conforms(annotation: object) -> Conforms:
    """Return the test whether a value is of a type, as far as that is quickly told."""
    if annotation is None or annotation is NoneType:
        return lambda value: value is None
    if isinstance(annotation, TypeVar | str):
        return lambda _: True
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in (Union, UnionType):
        options = [conforms(each) for each in arguments]
        return lambda value: any(option(value) for option in options)
    if origin is tuple and arguments[-1] is Ellipsis:
        each = conforms(arguments[0])
        return lambda value: isinstance(value, tuple) and all(map(each, value))
    if origin is tuple:
        parts = [conforms(each) for each in arguments]
        return lambda value: (
            isinstance(value, tuple)
            and len(value) == len(parts)
            and all(part(element) for part, element in zip(parts, value, strict=True))
        )
    kind = origin or annotation
    if kind is Fraction:
        return lambda value: isinstance(value, Fraction | int)
    if kind is Hashable or isinstance(kind, type):
        return lambda value: isinstance(value, kind)
    return lambda _: True


def readable(annotation: object) -> str:
    """Write a type without the names of modules."""
    return re.sub(r"\b(?:\w+\.)+", "", inspect.formatannotation(annotation))
