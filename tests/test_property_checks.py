"""The games: what they depend on, what they leave open, and what they must not miss."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest

from proofs import CHECKS
from properties import checks, game_findings
from properties.broken import REAL_REPORTS_CHARGED
from properties.checks import AGGREGATION, ATTRIBUTION, LEDGER, property_checks, universe_for
from properties.game_findings import EFFORTS
from properties.lump import Inexact
from properties.searches.on_numbers import Size, numbers_finding
from properties.vocabulary import NO_WORDS
from spec import (
    ATTRIBUTION_FIXED,
    PAPER,
    Answer,
    AtService,
    Draw,
    Key,
    Noise,
    Report,
    Rules,
    Sent,
    Source,
    Unit,
    Universe,
    replace,
)
from spec.aggregation_service import Ledger
from spec.attribution_client import AttributionClient
from spec.claims import CLAIMS
from spec.contributions import Budget, Credit
from spec.distributions import Distribution, Random
from spec.event_client import EventClient, EventReport, EventSource, SourceRecord
from spec.neighbours import NULL_STORE
from spec.reports import Contribution
from spec.verdicts import Check, Evidence, Finding, Reason, Shape, Verdict
from tests.small import CERTAIN

if TYPE_CHECKING:
    from spec.rules import AtContribution, AtEventSource, AtSource, AtTrigger, AtWindows

GAMES = [check for check in property_checks("quick") if not check.name.startswith("machine")]


@pytest.mark.parametrize("check", GAMES, ids=lambda check: f"{check.claim}: {check.name}")
def test_a_game_calls_no_rule_that_its_claim_does_not_name(check: Check) -> None:
    """A claim is called unaffected by a change of rules that it does not name.

    The rule `pass_windows` is called when time passes, but it is given the event-level client alone
    and its reports only: where there are no event-level sources it can tell nothing.
    """
    called: list[str] = []

    def poisoned(name: str) -> Any:
        return lambda *_: called.append(name)

    named = {*CLAIMS[check.claim].rules, "limits", "pass_windows"}
    others = {field.name for field in fields(Rules)} - named
    found = check.run(replace(PAPER, **{name: poisoned(name) for name in others}))
    assert (found.verdict, called) == (Verdict.SEARCHED, [])


def check_named(claim: str, name: str) -> Check:
    (found,) = [each for each in GAMES if (each.claim, each.name) == (claim, name)]
    return found


def budget_per_campaign(at: AtTrigger, draw: Draw) -> tuple[AttributionClient, tuple[Credit, ...]]:
    """Credit as the paper does, but under a name for each source and key piece."""
    client, credits = PAPER.attribute(at, draw)
    return client, tuple(replace(credit, unit=(credit.unit, at.cause.key)) for credit in credits)


def test_a_credit_that_names_no_source_leaves_the_guarantee_unknown() -> None:
    renamed = replace(PAPER, attribute=budget_per_campaign)
    found = check_named(ATTRIBUTION, "game: ARA, attribution fixed").run(renamed)
    assert found.verdict is Verdict.UNKNOWN
    assert "which is no registered source" in found.detail
    (proof,) = [each for each in CHECKS if each.claim == ATTRIBUTION]
    detail = proof.run(renamed).detail
    assert detail.startswith("the paper's proof no longer applies: attribute changed")


def refuse_everything(
    at: AtService, batch: tuple[Report, ...]
) -> tuple[Ledger, tuple[Report, ...] | None]:
    return at.service.ledger, None


def test_a_game_without_an_answer_decides_nothing() -> None:
    found = check_named(ATTRIBUTION, "game: ARA, attribution fixed").run(
        replace(PAPER, settle=refuse_everything)
    )
    assert found.verdict is Verdict.UNKNOWN
    assert "no query is ever answered here" in found.detail


def exact_above_threshold(at: AtService, batch: tuple[Report, ...], draw: Draw) -> Answer:
    """Show the true sums of the keys that are discovered."""
    answer = PAPER.answer(at, batch, draw)
    if not at.query.discovers_keys:
        return answer
    sums = at.rules.totals(at, batch)
    return Answer(released=tuple((key, sums[key]) for key, _ in answer.released))


def keys_of_several_reports(at: AtService, batch: tuple[Report, ...]) -> tuple[Key, ...]:
    """Discover keys of at least two reports only."""
    holders = Counter(each.key for report in batch for each in report.contributions)
    found = PAPER.keys(at, batch)
    return tuple(key for key in found if not at.query.discovers_keys or holders[key] > 1)


def every_key_if_none_is_listed(at: AtService, batch: tuple[Report, ...]) -> tuple[Key, ...]:
    """Answer for the keys that are there if the query lists none."""
    present = {each.key for report in batch for each in report.contributions}
    return PAPER.keys(at, batch) or tuple(sorted(present))


@pytest.mark.parametrize(
    "rules",
    [
        replace(PAPER, answer=exact_above_threshold),
        replace(PAPER, keys=keys_of_several_reports),
        replace(PAPER, keys=every_key_if_none_is_listed),
    ],
)
def test_what_shows_with_key_discovery_is_refuted(rules: Rules) -> None:
    found = check_named(AGGREGATION, "runs on numbers, null store").run(rules)
    assert found.verdict is Verdict.REFUTED
    (lemma,) = [
        each for each in CHECKS if each.claim == "summary_mechanism_is_individually_private"
    ]
    assert lemma.run(rules).verdict is not Verdict.PROVED


def less_noise_in_large_batches(
    at: AtService, batch: tuple[Report, ...], threshold: int | None
) -> Noise:
    """Add half the noise if there are a thousand reports."""
    if len(batch) >= 1000:
        half = replace(at.limits, contribution_budget=at.limits.contribution_budget // 2)
        at = replace(at, rules=replace(at.rules, limits=half))
    return PAPER.noise(at, batch, threshold)


def test_noise_is_also_decided_in_a_large_batch() -> None:
    check = check_named(ATTRIBUTION, "production parameters")
    found = check.run(replace(PAPER, noise=less_noise_in_large_batches))
    assert found.verdict is Verdict.REFUTED
    assert found.counterexample is not None
    assert found.counterexample["batch"] == "1000 null reports of others besides"


def start_over(at: AtSource, source: Source) -> AttributionClient:
    """Let a source that is registered again start with a fresh budget."""
    if any(source.source_id == each.source_id for each in at.client.sources):
        fresh = at.client.budgets.set(source.source_id, Budget())
        return replace(at.client, budgets=fresh)
    return PAPER.register_source(at, source)


def refuse_twice(at: AtSource, source: Source) -> AttributionClient:
    """Register a source as the paper does."""
    return PAPER.register_source(at, source)


def test_a_source_is_registered_again_where_the_rules_allow_it() -> None:
    check = check_named(ATTRIBUTION, "game: ARA, attribution fixed")
    assert check.run(replace(PAPER, register_source=start_over)).verdict is Verdict.REFUTED
    assert check.run(replace(PAPER, register_source=refuse_twice)).verdict is Verdict.SEARCHED


def threshold_by_present_keys(at: AtService, batch: tuple[Report, ...]) -> int | None:
    """Let the threshold pay for the keys that are there."""
    present = {part.key for report in batch for part in report.contributions}
    fewer = max(1, min(at.limits.sparsity_budget, len(present)))
    limits = replace(at.limits, sparsity_budget=fewer)
    return PAPER.threshold(replace(at, rules=replace(at.rules, limits=limits)), batch)


def noisy_bit(at: AtContribution, granted: tuple[Credit, ...]) -> Random[tuple[Sent, ...]]:
    """Show a bit that says a little more often than not whether the report is null."""
    (sent,) = CERTAIN(PAPER.send(at, granted))
    often = Fraction(499 if granted else 501, 1000)
    likely, unlikely = ((replace(sent, shown=bit),) for bit in (True, False))
    return Distribution.of({likely: often, unlikely: 1 - often})


@pytest.mark.parametrize(
    "rules",
    [replace(PAPER, threshold=threshold_by_present_keys), replace(PAPER, send=noisy_bit)],
    ids=["threshold by the keys", "a noisy bit"],
)
def test_what_tells_a_little_beside_the_sums_is_not_called_searched(rules: Rules) -> None:
    few = Size(runs=5, ladder=(1,))
    found = numbers_finding(AGGREGATION, rules, NULL_STORE, NO_WORDS, few)
    assert (found.verdict, found.reason) == (Verdict.UNKNOWN, Reason.WORLDS_DIFFER)


def table_for_14(_: object, size: int) -> Fraction:
    """Tell the truth as often as an epsilon of 14 allows, whatever the epsilon is."""
    return Fraction(1202603, 1202603 + size)


def too_often_for_14(_: object, size: int) -> Fraction:
    """Tell the truth a little more often than an epsilon of 14 allows."""
    return Fraction(1202604, 1202604 + size)


def silent_step(at: AtEventSource, source: EventSource, draw: Draw) -> EventClient:
    """Register a source as the paper does."""
    return PAPER.register_event_source(at, source, draw)


EVENT_GAME = next(check for check in GAMES if check.claim == "event_level_reports_are_private")
ATTRIBUTION_GAME = next(
    check
    for check in GAMES
    if check.claim == "attribution_summaries_are_private" and check.shape is Shape.SMALL_UNIVERSE
)


def test_a_truth_probability_that_fits_the_real_limits_is_not_judged_at_others() -> None:
    finding = EVENT_GAME.run(replace(PAPER, truth_probability=table_for_14))
    assert finding.verdict is Verdict.SEARCHED
    assert finding.bound.endswith(
        "limits scaled down, the paper's truth_probability in place of one that fits the real "
        "limits only"
    )
    stepped = replace(PAPER, truth_probability=table_for_14, register_event_source=silent_step)
    assert EVENT_GAME.run(stepped).verdict is Verdict.UNKNOWN


def test_a_truth_probability_that_does_not_fit_the_real_limits_is_refuted_with_an_attack() -> None:
    finding = EVENT_GAME.run(replace(PAPER, truth_probability=too_often_for_14))
    assert finding.verdict is Verdict.REFUTED
    assert finding.attack is not None
    assert finding.detail.endswith("limits scaled down")


def capped_at(value: int) -> Rules:
    """Return rules that compare what a unit contributes with a number."""

    def admit(
        at: AtContribution, unit: Unit, spent: Budget, contribution: Contribution
    ) -> tuple[Budget, bool]:
        limits = replace(at.limits, contribution_budget=value, sparsity_budget=20)
        return PAPER.admit(
            replace(at, rules=replace(at.rules, limits=limits)), unit, spent, contribution
        )

    return replace(PAPER, admit=admit)


def test_a_cap_written_as_a_number_is_judged_at_the_real_limits() -> None:
    found = ATTRIBUTION_GAME.run(capped_at(2**16))
    assert found.verdict is Verdict.UNKNOWN
    assert found.detail == (
        "the paper's admit in place of one that fits the real limits only, as far as tried"
    )
    assert ATTRIBUTION_GAME.run(capped_at(2**16 + 1)).verdict is Verdict.REFUTED
    broken = replace(capped_at(2**16), charge=REAL_REPORTS_CHARGED.charge)
    assert ATTRIBUTION_GAME.run(broken).verdict is Verdict.REFUTED


def filled_up(at: AtContribution, granted: tuple[Credit, ...]) -> tuple[Sent, ...]:
    """Fill a report up to the same total with key 7."""
    (sent,) = CERTAIN(PAPER.send(at, granted))
    parts = sent.report.contributions
    filling = Contribution(key=7, value=2**16 - sum(part.value for part in parts))
    report = replace(sent.report, contributions=(*parts, filling))
    return (replace(sent, report=report),)


FILLED = replace(PAPER, send=filled_up)
TOO_LARGE = ("are too many to be told apart", "a report holds more than was granted")
"""Why machines leave these reports open: whichever they meet first."""


@pytest.mark.parametrize("claim", [ATTRIBUTION, AGGREGATION])
def test_sums_that_are_too_large_to_be_played_end_a_check_at_once(claim: str) -> None:
    checks = [check for check in property_checks("quick") if check.claim == claim]
    (directed,) = (check for check in checks if check.shape is Shape.SCRIPTS)
    assert directed.run(FILLED).verdict is Verdict.REFUTED
    for machine in property_checks("standard"):
        if machine.claim == claim and machine.name.startswith("machine"):
            found = machine.run(FILLED)
            assert found.verdict is Verdict.UNKNOWN
            assert any(reason in found.detail for reason in TOO_LARGE), found.detail


@pytest.mark.parametrize(
    ("claim", "verdict"), [(ATTRIBUTION, Verdict.UNKNOWN), (LEDGER, Verdict.SEARCHED)]
)
def test_machines_do_not_refute_a_cap_that_is_written_as_a_number(
    claim: str, verdict: Verdict
) -> None:
    checks = [check for check in property_checks("standard") if check.claim == claim]
    found = [check.run(capped_at(2**16)) for check in checks if check.name.startswith("machine")]
    assert found
    assert all(finding.verdict is verdict for finding in found)


@pytest.mark.parametrize(
    ("solved", "verdict", "asked"),
    [
        ("", Verdict.UNKNOWN, ["ARA", "ARA, one key, little noise", "ARA, one key"]),
        ("little noise", Verdict.SEARCHED, ["ARA", "ARA, one key, little noise", "ARA, one key"]),
        ("ARA", Verdict.SEARCHED, ["ARA"]),
    ],
)
def test_where_there_is_no_time_for_a_universe_smaller_ones_are_solved(
    solved: str, verdict: Verdict, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    names: list[str] = []

    def play(*given: object) -> tuple[Finding, int]:
        universe = given[3]
        assert isinstance(universe, Universe)
        names.append(universe.name)
        found = Finding(claim=ATTRIBUTION, check="game", evidence=Evidence.NONE)
        if solved and universe.name.endswith(solved):
            return replace(found, evidence=Evidence.EXACT_IN_UNIVERSE), 0
        return replace(found, reason=Reason.OUT_OF_STEPS), 0

    monkeypatch.setattr(game_findings, "played", play)
    effort = EFFORTS["standard"]
    universe = universe_for(ATTRIBUTION)
    found = game_findings.game_finding(ATTRIBUTION, PAPER, ATTRIBUTION_FIXED, universe, effort)
    assert found.verdict is verdict
    assert names == asked


def test_a_larger_universe_is_left_out_where_the_steps_would_not_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    effort, names = EFFORTS["standard"], list[str]()

    def play(*given: object) -> tuple[Finding, int]:
        universe, cut = given[3], given[-1]
        assert isinstance(universe, Universe)
        if cut is False:
            raise Inexact("noise must be cut")
        names.append(universe.name)
        found = Finding(claim=ATTRIBUTION, check="game", evidence=Evidence.EXACT_IN_UNIVERSE)
        return found, effort.steps // game_findings.CUT // game_findings.LARGER

    monkeypatch.setattr(game_findings, "played", play)
    universe = universe_for(ATTRIBUTION)
    game_findings.game_finding(ATTRIBUTION, PAPER, ATTRIBUTION_FIXED, universe, effort)
    assert names == ["ARA, one key, little noise"]


@pytest.mark.parametrize("reason", [Reason.NOT_WRITTEN, Reason.DOES_NOT_REPLAY])
def test_a_smaller_universe_does_not_hide_an_attack_that_could_not_be_shown(
    reason: Reason, monkeypatch: pytest.MonkeyPatch
) -> None:
    def play(*given: object) -> tuple[Finding, int]:
        universe, cut = given[3], given[-1]
        assert isinstance(universe, Universe)
        if cut is False:
            raise Inexact("noise must be cut")
        found = Finding(claim=ATTRIBUTION, check="game", evidence=Evidence.EXACT_IN_UNIVERSE)
        if universe.name.endswith("one key"):
            return replace(found, evidence=Evidence.ALARM, reason=reason), 0
        return found, 0

    monkeypatch.setattr(game_findings, "played", play)
    universe = universe_for(ATTRIBUTION)
    effort = EFFORTS["standard"]
    found = game_findings.game_finding(ATTRIBUTION, PAPER, ATTRIBUTION_FIXED, universe, effort)
    assert (found.verdict, found.reason) == (Verdict.UNKNOWN, reason)


def record_of(at: AtWindows, report: EventReport) -> SourceRecord:
    """Return the record of the source that sends a report."""
    (found,) = [x for x in at.client.records if x.source.source_id == report.source_id]
    return found


def show_many(at: AtWindows, report: EventReport) -> Hashable:
    """Show with a report whether its source has truly had three."""
    return report, record_of(at, report).sent >= 3


def show_data(at: AtWindows, report: EventReport) -> Hashable:
    """Show how many data truly occurred, for sources with four of them."""
    record = record_of(at, report)
    return report, len(record.values) if len(record.source.specifications) >= 4 else 0


def pass_a_few(
    at: AtWindows, since: int, draw: Draw
) -> tuple[EventClient, tuple[EventReport, ...]]:
    """Send at most twelve reports in all, counted as they truly are."""
    before = sum(record.sent for record in at.client.records)
    client, reports = PAPER.pass_windows(at, since, draw)
    return client, reports[: max(0, 12 - before)]


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("many reports", replace(PAPER, event_visible=show_many)),
        ("four data", replace(PAPER, event_visible=show_data)),
        ("after many reports", replace(PAPER, pass_windows=pass_a_few)),
    ],
)
def test_event_level_rules_that_look_at_true_counts_are_refuted(name: str, rules: Rules) -> None:
    (found,) = [
        check
        for check in property_checks("standard")
        if check.name == f"game: event level, {name}, attribution fixed"
    ]
    assert found.run(rules).verdict is Verdict.REFUTED
    main = check_named(checks.EVENT_LEVEL, "game: event level, attribution fixed")
    assert main.run(rules).verdict is Verdict.SEARCHED


def threshold_of_large_batches(at: AtService, batch: tuple[Report, ...]) -> int | None:
    """Lower the threshold where many reports are in a batch."""
    found = PAPER.threshold(at, batch)
    return None if found is None else found // (1 + len(batch) // 2048)


def test_thresholds_are_tried_in_very_large_batches() -> None:
    rules = replace(PAPER, threshold=threshold_of_large_batches)
    found = check_named(AGGREGATION, "production parameters").run(rules)
    assert found.verdict is Verdict.REFUTED
    assert found.counterexample is not None
    assert found.counterexample["batch"] == "10000 null reports of others besides"
