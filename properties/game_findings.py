"""What the solution of a small universe means for a guarantee."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from time import perf_counter_ns
from typing import TYPE_CHECKING

from properties.attack import DoesNotReplay
from properties.closed_forms.event_level import STEPS as EVENT_STEPS
from properties.closed_forms.event_level import sizes_of, truth_fits
from properties.closed_forms.event_sources import papers_truth
from properties.lump import Inexact
from properties.numerals import decimal
from properties.solve import LARGEST_FACTOR, Solution, solve
from properties.universes import (
    narrow,
    sharp,
)
from spec.attribution_client import Trigger
from spec.contributions import Budget
from spec.neighbours import (
    Relation,
    RelationUndefined,
)
from spec.numbers import SpecError
from spec.paper import PAPER
from spec.private_aggregation_client import Event
from spec.reports import Contribution
from spec.rules import OnDevice, Rules
from spec.universe import Universe
from spec.verdicts import (
    VERDICTS,
    Evidence,
    Finding,
    Reason,
    Shape,
    Verdict,
)

if TYPE_CHECKING:
    from spec.rules import AtContribution


CUT = 5
"""What share of the steps there is where noise must be cut."""

LARGER = 4
"""How many times as many steps the next universe takes, at least."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """Say how far a game is solved, in moves and in steps, which are counted and never timed.

    `ladder` is the lengths of scripts that repeat something.
    """

    name: str
    moves: int
    steps: int
    ladder: tuple[int, ...]
    fewest: int = 4


STEPS = 300_000
"""The steps of a quick game; in a standard game the paper's own rules take a tenth of them."""

EFFORTS = {
    "quick": Effort(name="quick", moves=5, steps=STEPS, ladder=(128,)),
    "standard": Effort(name="standard", moves=7, steps=2 * STEPS, ladder=(4, 16, 128)),
    "deep": Effort(name="deep", moves=9, steps=30 * STEPS, ladder=(4, 16, 64, 256, 1024)),
}


ENDED = (Reason.OUT_OF_STEPS, Reason.OUT_OF_ROOM)
"""Why a game is not solved whole, so that a smaller one is tried."""


def game_finding(
    claim: str,
    rules: Rules,
    relation: Relation,
    universe: Universe,
    effort: Effort,
    named: bool = False,
) -> Finding:
    """Solve a universe and say what that means for a guarantee.

    A universe that a proposal names says itself how many moves it takes. Where noise must be cut,
    because the rules look at noisy sums or keep them, there are many more answers. Then, or if
    the steps did not do, smaller universes are solved, and the largest that is has the last word.
    """
    thorough = replace(effort, fewest=effort.moves)
    stages = [(sharp(universe), thorough), (narrow(universe), thorough), (universe, effort)]
    with suppress(Inexact):
        exact, _ = played(claim, rules, relation, universe, effort, named, named)
        if named or universe.promise == "event" or exact.reason not in ENDED:
            return exact
        stages.pop()
    left = effort.steps // CUT
    found: Finding | None = None
    took = 0
    for smaller, wanted in stages:
        if found is not None and left < LARGER * took:
            break
        bounded = replace(wanted, steps=max(left, 1))
        result, took = played(claim, rules, relation, smaller, bounded)
        left -= took
        if result.evidence is Evidence.ATTACK or result.is_alarm:
            return result
        if found is None or result.evidence is Evidence.EXACT_IN_UNIVERSE:
            found = result
    assert found is not None
    return found


def played(
    claim: str,
    rules: Rules,
    relation: Relation,
    universe: Universe,
    effort: Effort,
    named: bool = False,
    cut: bool = True,
) -> tuple[Finding, int]:
    """Solve a universe as it is; return what was found and how many steps it took.

    Noise that has to be cut is an error if it may not be.
    """
    start = perf_counter_ns()
    found = Finding(
        claim=claim,
        check=f"game: {universe.name}, {relation.name}",
        shape=Shape.SMALL_UNIVERSE,
        method="worst adversary, solved exactly",
        assumes=f"neighbours: {relation.name}",
    )
    steps = 0
    try:
        moves = None if named else effort.moves
        fitting, replaced = fitted(rules, universe)
        solution = solve(fitting, relation, universe, effort.steps, moves, cut=cut)
        steps = solution.steps
        found = noted(judged(found, solution, effort), rules, universe, replaced)
    except RelationUndefined as reason:
        found = alarm(found, Reason.RELATION_UNDEFINED, str(reason))
    except DoesNotReplay as reason:
        found = alarm(found, Reason.DOES_NOT_REPLAY, str(reason))
    except SpecError as reason:
        if isinstance(reason, Inexact) and not cut:
            raise
        detail = f"the game cannot be played: {reason}"
        found = replace(found, reason=Reason.CANNOT_FOLLOW, detail=detail)
    seconds = Fraction(perf_counter_ns() - start, 10**9)
    return replace(found, seconds=decimal(seconds, 2)), steps


def alarm(found: Finding, reason: Reason, detail: str) -> Finding:
    """Return a finding that is an alarm."""
    return replace(
        found, evidence=Evidence.ALARM, reason=reason, detail=f"{reason.value}: {detail}"
    )


def fitted(rules: Rules, universe: Universe) -> tuple[Rules, tuple[str, ...]]:
    """Return the rules to play with in a universe, and which of them are the paper's instead.

    The limits of a universe are scaled down. A changed rule that is made for the real ones, such as
    a table of truth probabilities or a cap that is written as a number, cannot be judged there.
    Where it keeps what the paper's rule keeps at the real limits but not at those of the universe,
    the paper's rule takes its place. What breaks a promise at the real limits is played as it is.
    """
    real, small = rules.limits, universe.limits
    replaced: list[str] = []
    if rules.admit is not PAPER.admit and admits_as_usual(rules, universe):
        scaled = replace(rules, limits=small)
        replaced += ["admit"] * (not admits_as_usual(scaled, universe))
    if universe.event_sources and not papers_truth(rules):
        sizes = sizes_of(rules, universe.event_sources)
        if truth_fits(rules, real, sizes) and not truth_fits(rules, small, sizes):
            replaced.append("truth_probability")
    papers = {name: getattr(PAPER, name) for name in replaced}
    return replace(rules, **papers) if papers else rules, tuple(replaced)


def admits_as_usual(rules: Rules, universe: Universe) -> bool:
    """Tell whether the rules admit what the paper's do, as far as tried, around their limits."""
    usual = replace(rules, admit=PAPER.admit)
    limits, (unit, *_) = rules.limits, universe.units
    causes: tuple[Trigger | Event, ...] = (*universe.triggers[:1], *universe.events[:1])
    values = [limits.contribution_budget + step for step in (-1, 0, 1)]
    counts = [limits.sparsity_budget + step for step in (-1, 0)]
    for cause, spent, count, value in product(causes, (0, 1, *values), (0, *counts), (1, *values)):
        start = rules.initial
        client = start.attribution if isinstance(cause, Trigger) else start.aggregation
        at: AtContribution = OnDevice(rules=rules, now=0, client=client, cause=cause)
        budget, wanted = Budget(value=spent, count=count), Contribution(key=1, value=value)
        admitted = rules.admit(at, unit, budget, wanted)
        if admitted != PAPER.admit(replace(at, rules=usual), unit, budget, wanted):
            return False
    return True


def note_on(replaced: tuple[str, ...]) -> str:
    """Say which rules were replaced by the paper's, if any were."""
    if not replaced:
        return ""
    return f"the paper's {' and '.join(replaced)} in place of one that fits the real limits only"


def noted(found: Finding, rules: Rules, universe: Universe, replaced: tuple[str, ...]) -> Finding:
    """Return a finding that says that limits are scaled, and which rules were put in place."""
    note = note_on(replaced)
    if universe.limits != rules.limits:
        scaled = f"limits scaled down{note and ', ' + note}"
        found = replace(found, bound=f"{found.bound}; {scaled}")
        if found.evidence is Evidence.ATTACK:
            found = replace(found, detail=f"{found.detail}; {scaled}")
    found = unless_admit_was_replaced(found, replaced)
    stepped = [name for name in EVENT_STEPS if getattr(rules, name) is not getattr(PAPER, name)]
    kept = found.evidence is Evidence.EXACT_IN_UNIVERSE
    if "truth_probability" in replaced and stepped and kept:
        why = f"{note}, and a step that uses it changed ({stepped[0]})"
        return replace(found, evidence=Evidence.NONE, reason=Reason.CANNOT_FOLLOW, detail=why)
    return found


def unless_admit_was_replaced(found: Finding, replaced: tuple[str, ...]) -> Finding:
    """Return the finding; that it holds with the paper's `admit` in place says nothing of another.

    That the other is like it at the real limits was tried, and not shown.
    """
    if "admit" in replaced and VERDICTS[found.evidence] is Verdict.SEARCHED:
        why = f"{note_on(replaced)}, as far as tried"
        return replace(found, evidence=Evidence.NONE, reason=Reason.CANNOT_FOLLOW, detail=why)
    return found


def judged(found: Finding, solution: Solution, effort: Effort) -> Finding:
    """Turn a solution into a finding."""
    found = replace(found, bound=solution.searched)
    promise = f"delta {solution.delta} at epsilon {solution.epsilon}"
    if solution.attack is not None:
        factor = "none" if solution.factor is None else str(solution.factor)
        if not solution.measured:
            factor, holds = "", "the steps did not do to find the factor"
        elif solution.factor is None:
            holds = f"no multiple of epsilon up to {LARGEST_FACTOR} keeps delta"
        else:
            holds = f"up to {solution.measured} moves it holds with {factor} epsilon"
        return replace(
            found,
            evidence=Evidence.ATTACK,
            detail=f"{delta_text(solution)} where {promise} is promised; {holds}",
            attack=solution.attack,
            counterexample={
                "delta": str(solution.worst),
                "promised": str(solution.delta),
                "factor": factor,
                "inequality": solution.attack.inequality(),
            },
        )
    if solution.vacuous:
        detail = "the neighbour relation never made a difference here"
        return replace(found, reason=Reason.VACUOUS, detail=detail)
    if solution.worst - solution.slack > solution.delta:
        return alarm(
            found, Reason.NOT_WRITTEN, f"{delta_text(solution)} where {promise} is promised"
        )
    if solution.unanswered:
        detail = "no query is ever answered here: name a UNIVERSE in which one is"
        return replace(found, reason=Reason.VACUOUS, detail=detail)
    if solution.open:
        detail = "cutting infinite noise leaves the answer open here"
        return replace(found, reason=Reason.NOISE_OPEN, detail=detail)
    if solution.solved < min(effort.fewest, solution.universe.moves):
        detail = f"only {solution.solved} moves were solved: {solution.stopped.value}"
        return replace(found, reason=solution.stopped, detail=detail)
    return replace(
        found,
        evidence=Evidence.EXACT_IN_UNIVERSE,
        detail=f"{delta_text(solution, 'worst ')}, promised {promise}",
    )


def delta_text(solution: Solution, which: str = "") -> str:
    """Tell the delta that was found, and whether it is exact."""
    if solution.slack == 0:
        return f"exact {which}delta {solution.worst}"
    return f"{which}delta {decimal(solution.worst, 9)}, give or take {decimal(solution.slack, 9)}"
