r"""The checks of this package: games in small universes, production parameters, state machines.

Each check is about one claim and runs on the rules it is given. How long it may take, which
universes it searches and which neighbour relation it uses are fixed when it is made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from properties.broken import (
    ALWAYS_TRUTHFUL,
    HALF_THE_NOISE,
    REAL_REPORTS_CHARGED,
    REPEATS_COUNT,
    SILENT_WHEN_EXHAUSTED,
    controls,
)
from properties.closed_forms.event_level import event_parameters_check
from properties.closed_forms.one_query import production_finding
from properties.closed_forms.unit import admitted_spreads
from properties.device_scripts import aggregation_scripts
from properties.game_findings import (
    EFFORTS,
    Effort,
    fitted,
    game_finding,
    note_on,
    played,
    unless_admit_was_replaced,
)
from properties.machine_list import ROLLOUTS, planned_machines
from properties.scripts import Script, attribution_scripts
from properties.searches.directed_worlds import directed_check
from properties.searches.event_runs import event_runs_check
from properties.searches.on_numbers import numbers_check
from properties.universes import (
    aggregation_universe,
    attribution_universe,
    combined_universe,
    event_later_universe,
    event_universe,
    event_words,
    further_event_universes,
)
from properties.vocabulary import NO_WORDS, Vocabulary
from spec.neighbours import (
    ATTRIBUTION_FIXED,
    EMPTY_STORE,
    MOVED_TO_DUMMY,
    NULL_STORE,
    RELATIONS,
    Relation,
)
from spec.noise import Noise
from spec.numbers import SpecError
from spec.paper import PAPER
from spec.reports import REPORT_ID_BITS, Report
from spec.rules import AtService, Rules
from spec.universe import Universe
from spec.verdicts import (
    Check,
    Control,
    Evidence,
    Finding,
    Shape,
)

if TYPE_CHECKING:
    pass


ATTRIBUTION = "attribution_summaries_are_private"
AGGREGATION = "aggregation_summaries_are_private"
EVENT_LEVEL = "event_level_reports_are_private"
TOGETHER = "summary_and_event_reports_compose"
LEDGER = "the_ledger_never_passes_the_caps"
MANY = (1000, 10_000)
SIDES = 10
"""What share of the steps a further universe gets."""

PRIVACY = (ATTRIBUTION, AGGREGATION, EVENT_LEVEL, TOGETHER)
SCRIPTS: Mapping[str, Callable[[tuple[int, ...]], tuple[Script, ...]]] = {
    ATTRIBUTION: attribution_scripts,
    AGGREGATION: aggregation_scripts,
}
LONGEST_SCRIPT = 300
"""The longest script that is made because a proposal mentions its length."""


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

    refuted = {
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
        controls=refuted[claim],
        shape=Shape.SMALL_UNIVERSE,
        relation=relation,
        spare=claim in SCRIPTS and not named,
        named=named,
    )


def side_check(claim: str, relation: Relation, universe: Universe, effort: Effort) -> Check:
    """Return the check that solves one more universe, which shows a part of the guarantee.

    It may refute. What it runs of a proposal's code has been searched.
    """

    def finding(rules: Rules) -> Finding:
        return side_finding(claim, rules, relation, universe, effort)

    return Check(
        claim=claim,
        name=f"game: {universe.name}, {relation.name}",
        run=finding,
        controls=controls(finding, {"always truthful": ALWAYS_TRUTHFUL}),
        shape=Shape.FURTHER_UNIVERSE,
        relation=relation,
        spare=True,
    )


def side_finding(
    claim: str, rules: Rules, relation: Relation, universe: Universe, effort: Effort
) -> Finding:
    """Solve all moves of a universe that shows a part of a guarantee, with a part of the steps."""
    whole = replace(effort, moves=universe.moves, steps=effort.steps // SIDES)
    found, _ = played(claim, rules, relation, universe, whole)
    return replace(found, shape=Shape.FURTHER_UNIVERSE)


def event_side_checks(relation: Relation, effort: Effort, words: Vocabulary) -> list[Check]:
    """Return the checks that solve more universes for event-level reports."""
    universes = (
        *further_event_universes(words),
        *((event_later_universe(),) if effort.name != "quick" else ()),
        *((event_words(words),) if words else ()),
    )
    return [side_check(EVENT_LEVEL, relation, each, effort) for each in universes]


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
        controls=controls(
            lambda rules: production_finding(rules, claim),
            {"noise at half the scale": HALF_THE_NOISE},
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
            checks.append(event_runs_check(EVENT_LEVEL, wanted, words, effort, seed))
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
    ledger knows no neighbours, and is searched whatever relation and types a proposal names. What a
    lemma's proof makes needless can be spared, but for the sums of rollouts, which they are for.
    """
    found = planned_machines("deep" if effort == "deep" else "quick", seed)
    if effort == "quick":
        found = tuple(check for check in found if check.claim == LEDGER)
    return [
        with_fitted(check)
        if check.claim in PRIVACY
        else replace(check, spare=check.claim != ROLLOUTS)
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
