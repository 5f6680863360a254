"""The vocabulary of a proof file: statements over symbolic numbers, a subject, and controls.

A statement is an ordinary function that returns a `bool`. Its first argument is the subject: the
rules, or a function, that the proof is about. The others are numbers, `int`, `Fraction` or `bool`
by their annotation. The same function is run symbolically to be proved, and on exact numbers to
replay what a solver found:

    @for_all("an admitted contribution keeps the sum of values within the cap")
    def preserved(rules: Rules, most: int, spent: int, value: int) -> bool:
        assume(0 <= spent, spent <= most, 0 <= value)
        after = rules.admit(..., spent, value)
        return after is None or after.value <= most

An exception that the statement does not catch counts as its being false. Conditions joined by
`and` and `or` fork the path; joined by `&` and `|` they stay one condition.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path as FilePath
from time import perf_counter_ns
from typing import Concatenate, Generic, Literal, NamedTuple, ParamSpec, TypeAlias, TypeVar

import z3

from proofs._followed import followed
from proofs._solvers import (
    Decision,
    Exact,
    Model,
    Obligation,
    decide,
    obligation,
    write_obligations,
)
from proofs._symbolic import (
    Discarded,
    Exploration,
    NotSymbolic,
    Path,
    assume,
    boolean,
    explore,
    integer,
    rational,
    replaying,
    term_of,
)

__all__ = [
    "Calculation",
    "Proof",
    "ProofResult",
    "Statement",
    "Step",
    "StepResult",
    "assume",
    "calculation",
    "exists",
    "for_all",
]

S = TypeVar("S")
P = ParamSpec("P")

Verdict: TypeAlias = Literal["PROVED", "REFUTED", "UNKNOWN"]

ALL_VALUES = "all values"

_SYMBOLS: Mapping[str, Callable[[str], Exact]] = {
    "int": integer,
    "Fraction": rational,
    "bool": boolean,
}
VIOLATED = "violated"
Told: TypeAlias = Mapping[str, str]
"""A run that refutes: its lines under their numbers, and in the end what is violated."""

_KINDS: Mapping[str, Callable[[Exact], Exact]] = {
    "int": int,
    "Fraction": Fraction,
    "bool": bool,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StepResult:
    """Hold what became of one step of a proof.

    `example` is the counterexample of a refuted step, or the witness of a step that shows that
    something exists; both have been replayed. `disproved` marks a step that is false without a
    counterexample to the claim: there is no witness, or an induction does not go through. `alarm`
    marks what must never happen: solvers that contradict each other, or a model that does not
    replay. A step that is a `witness` shows that the proof is not about nothing. `over` is the
    range that a step ran through; a step without one is about all values.
    """

    name: str
    verdict: Verdict
    by: tuple[str, ...]
    seconds: Fraction
    reason: str = ""
    over: str = ""
    decisions: tuple[Decision, ...] = ()
    example: Model | Told | None = None
    disproved: bool = False
    alarm: bool = False
    witness: bool = False

    @property
    def fails(self) -> bool:
        """Tell whether the step is known to be false, and not only left open."""
        return self.verdict == "REFUTED" or self.disproved

    def __str__(self) -> str:
        numbers = "" if self.example is None else f" [{_shown(self.example)}]"
        reason = f": {self.reason}" if self.reason else ""
        return f"{self.verdict} {self.name}{reason}{numbers}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofResult:
    """Hold what became of a proof: its verdict is refuted if a step is, else unknown if one is.

    `bound` says of which values the proof is.
    """

    claim: str
    steps: tuple[StepResult, ...]
    bound: str = ALL_VALUES

    @property
    def verdict(self) -> Verdict:
        """Combine the verdicts of the steps."""
        verdicts = {step.verdict for step in self.steps}
        if "REFUTED" in verdicts:
            return "REFUTED"
        return "UNKNOWN" if "UNKNOWN" in verdicts or not verdicts else "PROVED"

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """Return what the solvers said, obligation by obligation."""
        return tuple(decision for step in self.steps for decision in step.decisions)

    @property
    def solvers(self) -> tuple[str, ...]:
        """Name who decided every step that was theirs to decide."""
        named = dict.fromkeys(name for step in self.steps for name in step.by)
        undecided = {
            *("z3" for decision in self.decisions if decision.z3 == "unknown"),
            *("cvc5" for decision in self.decisions if decision.cvc5 == "unknown"),
        }
        return tuple(name for name in named if name not in undecided)

    @property
    def seconds(self) -> Fraction:
        """Add up the time of the steps."""
        return sum((step.seconds for step in self.steps), Fraction(0))

    @property
    def counterexample(self) -> Model | Told | None:
        """Return the numbers of the first refuted step, or the run that it tells."""
        refuted = (step.example for step in self.steps if step.verdict == "REFUTED")
        return next(refuted, None)

    @property
    def alarm(self) -> bool:
        """Tell whether solvers contradicted each other or a model did not replay."""
        return any(step.alarm for step in self.steps)

    @property
    def text(self) -> str:
        """Return one line per step that matters: all of them if proved, else those that failed."""
        told = [step for step in self.steps if step.verdict == self.verdict]
        return "\n".join(dict.fromkeys(map(str, told)))

    def write_smt_lib(self, directory: FilePath) -> list[FilePath]:
        """Write every obligation into a directory as SMT-LIB."""
        return write_obligations(self.decisions, directory)


class Step(ABC, Generic[S]):
    """Be one step of a proof about a subject."""

    name: str

    @abstractmethod
    def decide(self, subject: S) -> StepResult:
        """Decide the step for a subject."""


@dataclass(frozen=True, kw_only=True)
class Statement(Step[S]):
    """State that something is true of all numbers, or of some, and let both solvers decide."""

    name: str
    holds: Callable[..., bool]
    existential: bool = False

    def decide(self, subject: S) -> StepResult:
        """Run the statement symbolically, decide every path, and replay what is found."""
        start = perf_counter_ns()
        decisions: list[Decision] = []
        outcome = self._verdict(subject, decisions)
        return StepResult(
            name=self.name,
            by=("z3", "cvc5"),
            seconds=Fraction(perf_counter_ns() - start, 10**9),
            decisions=tuple(decisions),
            verdict=outcome.verdict,
            reason=outcome.reason,
            example=outcome.example,
            disproved=outcome.disproved,
            alarm=outcome.alarm,
            witness=self.existential,
        )

    def _verdict(self, subject: S, decisions: list[Decision]) -> _Outcome:
        try:
            found = explore(self.holds, followed(subject), *self._symbols())
        except NotSymbolic as refusal:
            return _Outcome("UNKNOWN", str(refusal))
        if not found.paths:
            reason = "no numbers satisfy the assumptions"
            return _Outcome("UNKNOWN", reason, disproved=self.existential)
        together = self._together(found)
        if together is not None:
            decisions.append(together)
            return _Outcome("PROVED")
        undecided: list[str] = []
        for stated, path in self._obligations(found):
            decision = decide(stated)
            decisions.append(decision)
            if decision.status == "disagreement":
                said = f"z3 says {decision.z3}, cvc5 says {decision.cvc5}"
                reason = f"the solvers disagree on {stated.name}: {said}"
                return _Outcome("UNKNOWN", reason, alarm=True)
            if decision.status == "refuted":
                return self._replayed(subject, decision, path)
            if decision.status == "unknown":
                undecided.append(stated.name)
        if undecided:
            return _Outcome("UNKNOWN", "undecided: " + ", ".join(undecided))
        if self.existential:
            return _Outcome("UNKNOWN", "no such numbers exist", disproved=True)
        return _Outcome("PROVED")

    def _together(self, found: Exploration) -> Decision | None:
        """Decide all paths and all branches left out at once, if both solvers prove that.

        It says as much as deciding one after the other, and takes a fraction of the time. Where
        one of the solvers does not follow, they are decided one by one.
        """
        if self.existential:
            return None
        failing = [
            z3.And(path.taken, z3.Not(_goal(path)))
            for path in found.paths
            if not z3.is_true(_goal(path))
        ]
        failing += found.impossible
        if len(failing) < 2:
            return None
        stated = obligation(f"{self.name}, all paths", (), z3.Not(z3.Or(*failing)))
        decision = decide(stated)
        return decision if decision.z3 == decision.cvc5 == "proved" else None

    def _obligations(self, found: Exploration) -> Iterator[tuple[Obligation, Path | None]]:
        for number, path in enumerate(found.paths, start=1):
            goal = _goal(path)
            if self.existential:
                goal = z3.Not(goal)
            if not z3.is_true(goal):
                yield obligation(f"{self.name}, path {number}", (path.taken,), goal), path
        if not self.existential:
            for number, branch in enumerate(found.impossible, start=1):
                name = f"{self.name}, branch {number} is impossible"
                yield obligation(name, (branch,), z3.BoolVal(False)), None

    def _replayed(self, subject: S, decision: Decision, path: Path | None) -> _Outcome:
        """Run the statement on the exact numbers of a model: only that makes it an example."""
        if path is None:
            reason = f"a branch left out is possible: {decision.obligation.name}"
            return _Outcome("UNKNOWN", reason, alarm=True)
        model = decision.model or {}
        example = self._completed(model)
        try:
            with replaying(model) as replay:
                holds = bool(self.holds(subject, *example.values()))
                example |= replay.used
            told = ""
        except Discarded:
            holds, told = not self.existential, "the assumptions do not hold"
        except NotSymbolic as refusal:
            return _Outcome("UNKNOWN", f"cannot be replayed: {refusal}")
        except Exception as error:
            holds, told = False, f"{type(error).__name__}: {error}"
            if replay.loose:
                return _Outcome("UNKNOWN", f"cannot be replayed: {told}")
        if holds == self.existential:
            return _Outcome("PROVED" if self.existential else "REFUTED", told, example)
        if path.raised is not None:
            told = f"{type(path.raised).__name__} only when run symbolically: {path.raised}"
            return _Outcome("UNKNOWN", told)
        if not decision.exact:
            told = f"the model is irrational and does not replay rounded to {_shown(example)}"
            return _Outcome("UNKNOWN", told)
        told = f"the model does not replay: {_shown(example)} {told}".strip()
        return _Outcome("UNKNOWN", told, alarm=not replay.loose)

    def _kinds(self) -> dict[str, str]:
        parameters = list(inspect.signature(self.holds).parameters.values())[1:]
        return {
            parameter.name: getattr(parameter.annotation, "__name__", parameter.annotation)
            for parameter in parameters
        }

    def _symbols(self) -> list[Exact]:
        return [_SYMBOLS[kind](name) for name, kind in self._kinds().items()]

    def _completed(self, model: Model) -> dict[str, Exact]:
        return {name: _KINDS[kind](model.get(name, 0)) for name, kind in self._kinds().items()}


def _goal(path: Path) -> z3.BoolRef:
    """Return what is to be shown on a path: nothing can be where the statement raised."""
    return z3.BoolVal(False) if path.raised else term_of(path.returned)


class _Outcome(NamedTuple):
    """Hold what a statement's result says beside its obligations."""

    verdict: Verdict
    reason: str = ""
    example: Model | None = None
    alarm: bool = False
    disproved: bool = False


@dataclass(frozen=True, kw_only=True)
class Calculation(Step[S]):
    """State something that exact arithmetic or algebra decides without a solver.

    What runs on chosen values names them in `over`; algebra is about all values and names none.
    """

    name: str
    holds: Callable[[S], bool]
    by: str
    over: str = ""

    def decide(self, subject: S) -> StepResult:
        """Run the calculation; false refutes, an exception leaves it unknown."""
        start = perf_counter_ns()
        verdict: Verdict
        reason = ""
        try:
            verdict = "PROVED" if self.holds(subject) is True else "REFUTED"
        except Exception as error:
            verdict, reason = "UNKNOWN", f"{type(error).__name__}: {error}"
        seconds = Fraction(perf_counter_ns() - start, 10**9)
        return StepResult(
            name=self.name,
            verdict=verdict,
            by=(self.by,),
            seconds=seconds,
            reason=reason,
            over=self.over,
        )


def for_all(name: str) -> Callable[[Callable[Concatenate[S, P], bool]], Statement[S]]:
    """Turn a function into the statement that it is true of all numbers."""
    return lambda holds: Statement(name=name, holds=holds)


def exists(name: str) -> Callable[[Callable[Concatenate[S, P], bool]], Statement[S]]:
    """Turn a function into the statement that it is true of some numbers, which are then shown."""
    return lambda holds: Statement(name=name, holds=holds, existential=True)


def calculation(
    name: str, by: str, over: str = ""
) -> Callable[[Callable[[S], bool]], Calculation[S]]:
    """Turn a function of the subject alone into a step that is decided by running it."""
    return lambda holds: Calculation(name=name, holds=holds, by=by, over=over)


@dataclass(frozen=True, kw_only=True)
class Proof(Generic[S]):
    """Prove a claim about a subject by steps, and show with broken subjects that steps can fail.

    `bound` names the values that the proof is about. A proof in which a step that the claim needs
    only runs through a range says which.

    Every step has a control of its own: a broken subject for which this step fails and all others
    are proved. A proof on one of the `controls` comes out refuted. On one of those in
    `unproved_for` it stays open, because the step that fails is a witness or an induction, which
    have no counterexample.
    """

    claim: str
    subject: S
    steps: tuple[Step[S], ...]
    controls: Mapping[str, S] = field(default_factory=dict)
    unproved_for: Mapping[str, S] = field(default_factory=dict)
    bound: str = ALL_VALUES

    def run(self) -> ProofResult:
        """Decide every step for the proof's own subject."""
        return self.run_on(self.subject)

    def run_on(self, subject: S) -> ProofResult:
        """Decide every step for another subject, such as the rules of a proposal."""
        steps = tuple(step.decide(subject) for step in self.steps)
        return ProofResult(claim=self.claim, steps=steps, bound=self.bound)


def _shown(example: Model | Told) -> str:
    return str(example.get(VIOLATED) or ", ".join(f"{x} = {y}" for x, y in example.items()))
