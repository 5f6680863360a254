r"""The checks of this package: games in small universes, production parameters, state machines.

Each check is about one claim and runs on the rules it is given. How long it may take, which
universes it searches and which neighbour relation it uses are fixed when it is made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import product
from time import perf_counter_ns
from typing import TYPE_CHECKING

from properties.attack import DoesNotReplay
from properties.broken import (
    ALWAYS_TRUTHFUL,
    HALF_THE_NOISE,
    REAL_REPORTS_CHARGED,
    REPEATS_COUNT,
    SILENT_WHEN_EXHAUSTED,
)
from properties.event_parameters import STEPS as EVENT_STEPS
from properties.event_parameters import (
    event_parameters_check,
    papers_truth,
    sizes_of,
    truth_fits,
)
from properties.lump import Inexact
from properties.machines.checks import machine_checks
from properties.numerals import decimal
from properties.production import admitted_spreads, production_finding
from properties.scripts import Script, aggregation_scripts, attribution_scripts
from properties.searches.directed_worlds import directed_check
from properties.searches.on_numbers import numbers_check
from properties.solve import LARGEST_FACTOR, Solution, solve
from properties.universe import (
    aggregation_universe,
    attribution_universe,
    combined_universe,
    event_data_universe,
    event_four_data_universe,
    event_later_universe,
    event_reports_universe,
    event_universe,
    event_windows_universe,
    event_words,
    narrow,
    sharp,
)
from properties.vocabulary import NO_WORDS, Vocabulary
from spec.attribution_client import Trigger
from spec.contributions import Budget
from spec.neighbours import (
    ATTRIBUTION_FIXED,
    EMPTY_STORE,
    MOVED_TO_DUMMY,
    NULL_STORE,
    RELATIONS,
    Relation,
    RelationUndefined,
)
from spec.noise import Noise
from spec.numbers import SpecError
from spec.paper import PAPER
from spec.private_aggregation_client import Event
from spec.reports import REPORT_ID_BITS, Contribution, Report
from spec.rules import AtService, OnDevice, Rules
from spec.universe import Universe
from spec.verdicts import (
    VERDICTS,
    Check,
    Control,
    Evidence,
    Finding,
    Reason,
    Shape,
    Verdict,
)

if TYPE_CHECKING:
    from spec.rules import AtContribution

ATTRIBUTION = "attribution_summaries_are_private"
AGGREGATION = "aggregation_summaries_are_private"
EVENT_LEVEL = "event_level_reports_are_private"
TOGETHER = "summary_and_event_reports_compose"
LEDGER = "the_ledger_never_passes_the_caps"
MANY = (1000, 10_000)
SIDES = 10
"""What share of the steps a further universe gets."""

CUT = 5
"""What share of the steps there is where noise must be cut."""

LARGER = 4
"""How many times as many steps the next universe takes, at least."""

PRIVACY = (ATTRIBUTION, AGGREGATION, EVENT_LEVEL, TOGETHER)
SCRIPTS: Mapping[str, Callable[[tuple[int, ...]], tuple[Script, ...]]] = {
    ATTRIBUTION: attribution_scripts,
    AGGREGATION: aggregation_scripts,
}
LONGEST_SCRIPT = 300
"""The longest script that is made because a proposal mentions its length."""


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


def universe_for(claim: str) -> Universe:
    """Return the default universe of a guarantee."""
    made: dict[str, Callable[[], Universe]] = {
        ATTRIBUTION: attribution_universe,
        AGGREGATION: aggregation_universe,
        EVENT_LEVEL: event_universe,
        TOGETHER: combined_universe,
    }
    return made[claim]()


def concerns(universe: Universe, claim: str) -> bool:
    """Tell whether a universe that a proposal names is about a guarantee."""
    about = {
        ATTRIBUTION: universe.promise == "summary" and bool(universe.sources),
        AGGREGATION: universe.promise == "summary" and bool(universe.events),
        EVENT_LEVEL: universe.promise == "event",
        TOGETHER: universe.promise == "both",
    }
    return about[claim]


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
        exact = played_finding(claim, rules, relation, universe, effort, named, cut=named)
        if named or universe.promise == "event" or exact.reason is not Reason.OUT_OF_STEPS:
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


def played_finding(
    claim: str,
    rules: Rules,
    relation: Relation,
    universe: Universe,
    effort: Effort,
    named: bool = False,
    cut: bool = True,
) -> Finding:
    """Solve a universe as it is; noise that has to be cut may be an error."""
    return played(claim, rules, relation, universe, effort, named, cut)[0]


def played(
    claim: str,
    rules: Rules,
    relation: Relation,
    universe: Universe,
    effort: Effort,
    named: bool = False,
    cut: bool = True,
) -> tuple[Finding, int]:
    """Solve a universe as it is; return what was found and how many steps it took."""
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
        detail = f"only {solution.solved} moves were solved with the steps allowed"
        return replace(found, reason=Reason.OUT_OF_STEPS, detail=detail)
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


def as_named(found: Finding) -> Finding:
    """Return a finding that says in its bound that the proposal names the universe."""
    bound = f"{found.bound}; " if found.bound else ""
    return replace(found, bound=f"{bound}in a universe that the proposal names")


def game_check(
    claim: str, relation: Relation, universe: Universe, effort: Effort, named: bool = False
) -> Check:
    """Return the check that solves a universe for a guarantee."""

    def run(rules: Rules) -> Finding:
        found = game_finding(claim, rules, relation, universe, effort, named)
        return as_named(found) if named else found

    def control(name: str, broken: Rules, other: Relation = relation) -> Control:
        return Control(
            name=name,
            run=lambda: game_finding(claim, broken, other, universe, EFFORTS["quick"]),
            rules=broken if other is relation else None,
        )

    controls = {
        ATTRIBUTION: (
            control("only real reports are charged", REAL_REPORTS_CHARGED),
            control("a repeated report counts twice", REPEATS_COUNT),
            control("no report when the budget is used up", SILENT_WHEN_EXHAUSTED),
            control("the dummy contributes", PAPER, MOVED_TO_DUMMY),
        ),
        AGGREGATION: (
            control("only real reports are charged", REAL_REPORTS_CHARGED),
            control("the neighbour's store is empty", PAPER, EMPTY_STORE),
        ),
        EVENT_LEVEL: (control("always truthful", ALWAYS_TRUTHFUL),),
        TOGETHER: (control("always truthful", ALWAYS_TRUTHFUL),),
    }
    return Check(
        claim=claim,
        name=f"game: {universe.name}, {relation.name}",
        run=run,
        controls=controls[claim],
        shape=Shape.SMALL_UNIVERSE,
        relation=relation,
        spare=claim in SCRIPTS and not named,
        named=named,
    )


def side_check(
    claim: str,
    relation: Relation,
    universe: Universe,
    effort: Effort,
    broken: Mapping[str, Rules],
) -> Check:
    """Return the check that solves one more universe, which shows a part of the guarantee.

    It may refute. What it runs of a proposal's code has been searched.
    """

    def finding(rules: Rules) -> Finding:
        return side_finding(claim, rules, relation, universe, effort)

    def control(name: str, rules: Rules) -> Control:
        return Control(name=name, run=lambda: finding(rules), rules=rules)

    return Check(
        claim=claim,
        name=f"game: {universe.name}, {relation.name}",
        run=finding,
        controls=tuple(control(name, rules) for name, rules in broken.items()),
        shape=Shape.FURTHER_UNIVERSE,
        relation=relation,
        spare=True,
    )


def side_finding(
    claim: str, rules: Rules, relation: Relation, universe: Universe, effort: Effort
) -> Finding:
    """Solve all moves of a universe that shows a part of a guarantee, with a part of the steps."""
    whole = replace(effort, moves=universe.moves, steps=effort.steps // SIDES)
    found = played_finding(claim, rules, relation, universe, whole)
    return replace(found, shape=Shape.FURTHER_UNIVERSE)


def event_side_checks(relation: Relation, effort: Effort, words: Vocabulary) -> list[Check]:
    """Return the checks that solve more universes for event-level reports."""
    universes = (
        event_data_universe(),
        event_windows_universe(),
        event_reports_universe(words),
        event_four_data_universe(),
        *((event_later_universe(),) if effort.name != "quick" else ()),
        *((event_words(words),) if words else ()),
    )
    untrue = {"always truthful": ALWAYS_TRUTHFUL}
    return [side_check(EVENT_LEVEL, relation, each, effort, untrue) for each in universes]


@cache
def null_reports(count: int) -> tuple[Report, ...]:
    """Return many null reports."""
    return tuple(Report(report_id=2**REPORT_ID_BITS - 1 - place) for place in range(count))


def beside_many(rules: Rules, count: int) -> Rules:
    """Return the rules as they are in a batch with many null reports of others."""
    nulls = null_reports(count)

    def crowded_threshold(at: AtService, batch: tuple[Report, ...]) -> int | None:
        return rules.threshold(at, (*batch, *nulls))

    def crowded_noise(at: AtService, batch: tuple[Report, ...], threshold: int | None) -> Noise:
        return rules.noise(at, (*batch, *nulls), threshold)

    return replace(rules, threshold=crowded_threshold, noise=crowded_noise)


def in_any_batch(rules: Rules, claim: str) -> Finding:
    """Decide one query at production parameters, alone and, if noise changed, in a large batch."""
    if rules.noise is PAPER.noise and rules.threshold is PAPER.threshold:
        return production_finding(rules, claim)
    try:
        spreads = admitted_spreads(rules, claim)
    except SpecError:
        return production_finding(rules, claim)
    found = production_finding(rules, claim, spreads)
    if found.evidence is Evidence.ATTACK:
        return found
    for count in MANY:
        crowded = production_finding(beside_many(rules, count), claim, spreads)
        if crowded.evidence is Evidence.ATTACK:
            batch = f"{count} null reports of others besides"
            numbers = {**(crowded.counterexample or {}), "batch": batch}
            return replace(crowded, counterexample=numbers)
    return found


def production_check(claim: str) -> Check:
    """Return the check that decides one query at production parameters."""
    return Check(
        claim=claim,
        name="production parameters",
        run=lambda rules: in_any_batch(rules, claim),
        controls=(
            Control(
                name="noise at half the scale",
                run=lambda: production_finding(HALF_THE_NOISE, claim),
                rules=HALF_THE_NOISE,
            ),
        ),
        shape=Shape.REAL_PARAMETERS,
        spare=True,
    )


def property_checks(
    effort: str = "standard",
    seed: int = 0,
    relation: Relation | None = None,
    universes: tuple[Universe, ...] = (),
    words: Vocabulary = NO_WORDS,
) -> tuple[Check, ...]:
    """Return the checks for a proposal, cheapest and most telling first.

    Universes that a proposal names are searched besides those that are searched anyway; a quick
    run then leaves out the further searches, which no verdict needs.
    """
    chosen = EFFORTS[effort]
    checks: list[Check] = []
    for claim in PRIVACY:
        usual = NULL_STORE if claim == AGGREGATION else ATTRIBUTION_FIXED
        meant = relation is not None and applies(relation, claim)
        wanted = relation if relation is not None and meant else usual
        named = tuple(universe for universe in universes if concerns(universe, claim))
        if claim in SCRIPTS and wanted in RELATIONS:
            checks.append(scripts_check(claim, wanted, chosen, words, seed))
            checks.append(numbers_check(claim, wanted, words, effort, seed))
        searched = [*((universe, True) for universe in named), (universe_for(claim), False)]
        for universe, own in searched:
            checks.append(game_check(claim, wanted, universe, chosen, own))
        if claim in SCRIPTS:
            checks.append(production_check(claim))
        if claim == EVENT_LEVEL and wanted is usual:
            checks.append(event_parameters_check())
            if not named or effort != "quick":
                checks += event_side_checks(wanted, chosen, words)
    runs = random_runs(effort, seed)
    checks += [run for run in runs if relation is None or run.claim == LEDGER]
    return tuple(checks)


def scripts_check(
    claim: str, relation: Relation, effort: Effort, words: Vocabulary, seed: int
) -> Check:
    """Return the check that follows scripts with holes, as long as the effort allows."""
    mentioned = {count for count in words.around if 0 < count <= LONGEST_SCRIPT}
    ladder = tuple(sorted({*effort.ladder, *mentioned}))
    return directed_check(claim, relation, SCRIPTS[claim](ladder), words.around, seed)


def random_runs(effort: str, seed: int) -> list[Check]:
    """Return the state machines' checks; they know the paper's relations and types only.

    What they say of a guarantee of privacy is about a part of it: they follow single runs. The
    ledger knows no neighbours, and is searched whatever relation and types a proposal names.
    """
    found = machine_checks("deep" if effort == "deep" else "quick", seed)
    if effort == "quick":
        found = tuple(check for check in found if check.claim == LEDGER)
    return [
        with_fitted(check) if check.claim in PRIVACY else replace(check, spare=True)
        for check in found
    ]


def with_fitted(check: Check) -> Check:
    """Return the check on rules that fit small limits; the machines have limits of their own."""

    def run(rules: Rules) -> Finding:
        fitting, replaced = fitted(rules, universe_for(check.claim))
        found, note = check.run(fitting), note_on(replaced)
        if note:
            found = replace(found, bound=f"{found.bound}, {note}")
        return unless_admit_was_replaced(found, replaced)

    return replace(check, run=run)


def applies(relation: Relation, claim: str) -> bool:
    """Tell whether a neighbour relation that a proposal names is meant for a guarantee.

    It is if it is about the units and the reports that the guarantee is about.
    """
    about = {
        ATTRIBUTION: ("sources", "summary"),
        AGGREGATION: ("devices", "summary"),
        EVENT_LEVEL: ("sources", "event"),
        TOGETHER: ("sources", "any"),
    }
    if claim not in about:
        return False
    units, reports = about[claim]
    return relation.units in (units, "any") and relation.reports in (reports, "any")
