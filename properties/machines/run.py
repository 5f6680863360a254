"""Run a machine: profiles, findings, smallest failing runs, replays.

Hypothesis searches and shrinks. What it finds is shortened once more by leaving out every move that
can be left out, and is then played again on a fresh machine, without Hypothesis, before anyone sees
it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from time import perf_counter_ns

from hypothesis import HealthCheck, Phase, Verbosity, seed, settings
from hypothesis.errors import HypothesisException
from hypothesis.stateful import run_state_machine_as_test

from properties.machines._machine import Machine, Played, Stopped, Violated, machine_for
from properties.numerals import decimal
from spec.aggregation_service import Query
from spec.neighbours import Relation, RelationUndefined
from spec.numbers import SpecError
from spec.rules import Rules
from spec.verdicts import Evidence, Finding, Reason, Shape


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """Say how many runs a machine makes and how long they are."""

    name: str
    examples: int
    steps: int
    shrinks: bool = True


PROFILES = {
    "quick": Profile(name="quick", examples=40, steps=25, shrinks=False),
    "standard": Profile(name="standard", examples=120, steps=30),
    "controls": Profile(name="controls", examples=300, steps=25, shrinks=False),
    "deep": Profile(name="deep", examples=1000, steps=50),
}


PHASES = (Phase.generate, Phase.shrink)


def run_machine(machine: type[Machine], profile: Profile, number: int) -> None:
    """Run a machine; a violated claim, or whatever went wrong, is raised.

    Nothing is remembered from run to run: what is found depends on the seed alone.
    """
    run_state_machine_as_test(
        seed(number)(machine),
        settings=settings(
            max_examples=profile.examples // machine.cost,
            stateful_step_count=profile.steps,
            database=None,
            phases=PHASES if profile.shrinks else PHASES[:-1],
            suppress_health_check=tuple(HealthCheck),
            deadline=None,
            derandomize=False,
            print_blob=False,
            report_multiple_bugs=False,
            verbosity=Verbosity.quiet,
        ),
    )


def replayed(machine: type[Machine], moves: tuple[Played, ...]) -> Violated | None:
    """Play the moves on a fresh machine; return what is violated first."""
    fresh = machine()
    for move, choice in moves:
        try:
            fresh.play(move, choice)
            fresh.examine()
        except Violated as violated:
            return violated
        except Stopped:
            return None
    return None


def shortened(machine: type[Machine], violated: Violated) -> Violated:
    """Leave out moves, and simplify them, as long as the same claim is violated."""
    for moves in simpler(violated.moves):
        again = replayed(machine, moves)
        if again is not None and again.claim == violated.claim:
            return shortened(machine, again)
    return violated


def simpler(moves: tuple[Played, ...]) -> Iterator[tuple[Played, ...]]:
    """List runs with a move less, then runs with a simpler move."""
    for place in reversed(range(len(moves))):
        yield moves[:place] + moves[place + 1 :]
    for place, (move, choice) in enumerate(moves):
        if choice:
            yield (*moves[:place], (move, 0), *moves[place + 1 :])
        if isinstance(move, Query):
            for left_out in range(len(move.report_ids)):
                fewer = move.report_ids[:left_out] + move.report_ids[left_out + 1 :]
                asked = replace(move, report_ids=fewer)
                yield (*moves[:place], (asked, choice), *moves[place + 1 :])


def machine_finding(
    machine: type[Machine],
    claim: str,
    rules: Rules,
    effort: str = "quick",
    number: int = 0,
    relation: Relation | None = None,
) -> Finding:
    """Run a machine on given rules and say what that means for a claim."""
    start = perf_counter_ns()
    profile = PROFILES[effort]
    examples = profile.examples // machine.cost
    made = machine_for(machine, rules, relation, frozenset({claim}))
    found = Finding(
        claim=claim,
        check=check_name(machine),
        reason=Reason.NO_CONCLUSION,
        shape=Shape.RANDOM_RUNS,
        method=f"{check_name(machine)}, random interleavings of moves, each invariant examined "
        "after every move",
        bound=f"{examples} examples of {profile.steps} moves, seed {number}",
        assumes="" if relation is None else f"neighbours: {relation.name}",
    )
    try:
        run_machine(made, profile, number)
        found = judged(found, made)
    except Violated as violated:
        found = refuted(found, made, violated)
    except Stopped as reason:
        found = stopped(found, reason)
    except HypothesisException as reason:
        found = replace(found, detail=f"Hypothesis gave up: {type(reason).__name__}: {reason}")
    seconds = Fraction(perf_counter_ns() - start, 10**9)
    return replace(found, seconds=decimal(seconds, 2))


def stopped(found: Finding, reason: Stopped) -> Finding:
    """Say what a run that was stopped by an error means: the specification refuses on purpose."""
    match reason.__cause__:
        case RelationUndefined():
            evidence, why = Evidence.ALARM, Reason.RELATION_UNDEFINED
        case SpecError():
            evidence, why = Evidence.NONE, Reason.CANNOT_FOLLOW
        case _:
            evidence, why = Evidence.ALARM, Reason.RAISED
    return replace(found, evidence=evidence, reason=why, detail=str(reason))


def check_name(machine: type[Machine]) -> str:
    """Return the name of the checks that a machine makes."""
    return f"machine: {machine.title}"


def judged(found: Finding, machine: type[Machine]) -> Finding:
    """Say that a claim holds, unless there was no occasion for it to fail."""
    never = [each for each in machine.needs.get(found.claim, ()) if not machine.counts[each]]
    if never:
        detail = f"this never happened: {'; '.join(never)}"
        return replace(found, reason=Reason.VACUOUS, detail=detail)
    opened = [each for each in machine.leaves_open.get(found.claim, ()) if machine.counts[each]]
    if opened:
        return replace(found, detail="; ".join(opened))
    seen = sorted(machine.counts.items())
    return replace(
        found,
        evidence=Evidence.RANDOM_RUNS,
        reason=Reason.NONE,
        detail="; ".join(f"{happening}: {times}" for happening, times in seen),
    )


def refuted(found: Finding, machine: type[Machine], violated: Violated) -> Finding:
    """Shorten a failing run, play it again with every noisy value apart, and write it down."""
    least = shortened(machine, violated)
    machine.lumps = False
    again = replayed(machine, least.moves)
    if again is None or again.claim != found.claim:
        detail = "a failing run does not fail when it is played again"
        return replace(found, evidence=Evidence.ALARM, reason=Reason.DOES_NOT_REPLAY, detail=detail)
    teller = machine()
    lines = [f"{teller.tell(move)}{chosen(choice)}" for move, choice in again.moves]
    return replace(
        found,
        evidence=Evidence.ATTACK,
        reason=Reason.NONE,
        detail=f"after {len(lines)} moves: {again.complaint}",
        counterexample={
            **{str(number): line for number, line in enumerate(lines, 1)},
            "violated": again.complaint,
        },
    )


def chosen(choice: int) -> str:
    """Say which outcome was drawn, if it is not the first."""
    return f" (Outcome {choice} is drawn.)" if choice else ""
