"""A guard around the rules that a proposal changes: who misbehaves is named.

A rule answers with the type that `Rules` states, does not raise, gives the same answer to the same
question, and leaves its arguments as they were. What it shows to the ad-tech can be compared. The
guard watches every call of a changed rule in the child process, and notes in memory shared with the
parent which rule is running, so that a child that hangs or dies still tells. Rules of a published
version are not touched: proofs ask whether a rule is the published one by identity.

A rule that remembers earlier calls may well repeat itself when it is asked twice in a row. So some
questions are kept, and in the end they are asked again, last ones first, of rules that are loaded
afresh and remember nothing.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import FrozenInstanceError, dataclass, field, replace
from pathlib import Path
from typing import NoReturn, cast

from proofs import _symbolic
from properties.lump import Seal, sealing
from sandproof.answers import answers, conforms, differ, readable
from sandproof.calls import Calls
from sandproof.families import Family, Rules, family_of
from sandproof.problems import at_line, brief, safely, told
from sandproof.reach import Reach, TooManyLines
from spec.distributions import Law, NotADistribution, NotReplayable
from spec.numbers import SpecError

Rule = Callable[..., object]


ENDING = (SystemExit, KeyboardInterrupt, GeneratorExit)
"""What a rule raises that means to end the program."""


class RuleMisbehaved(BaseException):
    """Report in one line what a rule did that no rule may do; checks are not to handle it."""


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
    trace: Calls = field(default_factory=Calls)
    reach: Reach | None = None
    misbehaved: list[str] = field(default_factory=list)
    exhausted: dict[str, str] = field(default_factory=dict)
    asked: dict[str, list[tuple[Question, object]]] = field(default_factory=dict)
    refused: SpecError | None = None
    refused_by: str = ""
    sealed: bool = False

    def around(self, rules: Rules) -> Rules:
        """Return the rules with every changed one guarded."""
        family = family_of(rules)
        assert family is not None
        changed = {
            name: self._guarded(family, name, getattr(rules, name))
            for name in family.rule_names()
            if not family.publishes(name, getattr(rules, name))
        }
        return replace(rules, **changed)

    def _guarded(self, family: Family, name: str, rule: Rule) -> Rule:
        annotation = answers(family)[name]
        fits = conforms(annotation)
        draws = list(inspect.signature(getattr(family.own, name)).parameters)[-1] == "draw"
        calls = 0

        def checked(arguments: tuple[object, ...]) -> object:
            answer = self._call(name, rule, arguments)
            if not fits(answer):
                self._blame(
                    name, f"returned {brief(answer)}; it must return {readable(annotation)}"
                )
            if wrong := family.complaint(name, arguments, answer):
                self._blame(name, f"returned {brief(answer)}; {wrong}")
            return answer

        @functools.wraps(rule, updated=())
        def guarded(*arguments: object) -> object:
            nonlocal calls
            calls += 1
            symbolic = bool(_symbolic._runs)
            before, self.sealed = (self.trace.now[1], self.sealed), Seal.closed
            self.trace.enter(name, symbolic)
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
        guarded.guarding = functools.partial(self._guarded, family, name)  # type: ignore[attr-defined]
        return guarded

    def ask_again(self, rules: Rules) -> None:
        """Put the questions that were kept to rules that should answer them in the same way."""
        for name, questions in self.asked.items():
            self.trace.enter(name, False)
            for question, answer in reversed(questions):
                again = self._call(name, getattr(rules, name), question.replaying())
                self._compare(name, answer, again)
        self.trace.enter("", False)

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


def fingerprint(arguments: tuple[object, ...]) -> list[object]:
    """Return something that changes if an argument is changed."""
    return [_print_of(argument) for argument in arguments]


def _print_of(argument: object) -> object:
    try:
        return hash(argument)
    except Exception:
        return safely(repr, argument)
