"""Large runs: a size that no small universe reaches must not show."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

import pytest

from properties.large_runs import large_run_check
from properties.vocabulary import Vocabulary
from spec import (
    ATTRIBUTION_FIXED,
    NULL_STORE,
    PAPER,
    AtService,
    Credit,
    Distribution,
    Random,
    Report,
    Rules,
    Sent,
    replace,
)
from spec.aggregation_service import Outcome
from spec.verdicts import Check, Shape, Verdict
from tests.small import CERTAIN

if TYPE_CHECKING:
    from spec.rules import AtContribution

ARA = large_run_check("attribution_summaries_are_private", ATTRIBUTION_FIXED)
PAA = large_run_check("aggregation_summaries_are_private", NULL_STORE)
both = pytest.mark.parametrize("check", [ARA, PAA], ids=["ARA", "PAA"])


@both
def test_nothing_shows_in_the_papers_rules(check: Check) -> None:
    found = check.run(PAPER)
    assert (found.verdict, found.shape) == (Verdict.SEARCHED, Shape.REAL_SIZES)
    assert found.bound == "20 runs that draw nothing"


@both
def test_every_control_is_refuted(check: Check) -> None:
    for control in check.controls:
        found = control.run()
        assert found.verdict is Verdict.REFUTED
        assert found.counterexample is not None
        assert found.counterexample["seen with x"] != found.counterexample["seen without x"]


def show_many_nulls(at: AtService, batch: tuple[Report, ...], outcome: Outcome) -> Hashable:
    """Show the number of null reports if there are fifty."""
    count = sum(report.is_null for report in batch)
    return (outcome, count) if count >= 50 else outcome


@both
def test_a_count_that_shows_in_large_batches_is_refuted(check: Check) -> None:
    found = check.run(replace(PAPER, reveal=show_many_nulls))
    assert found.verdict is Verdict.REFUTED
    assert found.counterexample is not None
    assert found.counterexample["last move"].startswith("The ad-tech asks for all ")


def show_the_size(at: AtService, batch: tuple[Report, ...], outcome: Outcome) -> Hashable:
    """Show how many reports there are."""
    return outcome, len(batch)


@both
def test_what_is_public_may_show(check: Check) -> None:
    assert check.run(replace(PAPER, reveal=show_the_size)).verdict is Verdict.SEARCHED


def show_top_byte(at: AtContribution, granted: tuple[Credit, ...]) -> tuple[Sent, ...]:
    """Show the first eight bits of the keys."""
    (sent,) = CERTAIN(PAPER.send(at, granted))
    report = sent.report
    shown = {each.key >> 120 for each in report.contributions} - {0} != set()
    return (replace(sent, shown=(report.report_id, shown)),)


@both
def test_the_first_bits_of_a_key_must_not_show(check: Check) -> None:
    assert check.run(replace(PAPER, send=show_top_byte)).verdict is Verdict.REFUTED


def show_777_nulls(at: AtService, batch: tuple[Report, ...], outcome: Outcome) -> Hashable:
    """Show the number of null reports if there are exactly 777 reports."""
    return outcome, sum(report.is_null for report in batch) * (len(batch) == 777)


def test_a_size_that_a_proposal_mentions_is_tried() -> None:
    rules = replace(PAPER, reveal=show_777_nulls)
    named = large_run_check(ARA.claim, ATTRIBUTION_FIXED, Vocabulary(numbers=(777,)))
    assert ARA.run(rules).verdict is Verdict.SEARCHED
    assert named.run(rules).verdict is Verdict.REFUTED


def drop_some(at: AtContribution, granted: tuple[Credit, ...]) -> Random[tuple[Sent, ...]]:
    """Send a report or not by the toss of a coin."""
    sent = CERTAIN(PAPER.send(at, granted))
    return Distribution.of({(): PAPER.limits.delta, sent: 1 - PAPER.limits.delta})


@both
def test_rules_that_draw_are_not_followed(check: Check) -> None:
    found = check.run(replace(PAPER, send=drop_some))
    assert found.verdict is Verdict.UNKNOWN
    assert "is drawn" in found.detail


def test_the_check_uses_the_rules_own_limits() -> None:
    small: Rules = replace(PAPER, limits=replace(PAPER.limits, contribution_budget=2))
    found = ARA.run(small)
    assert (found.verdict, found.bound) == (Verdict.SEARCHED, "10 runs that draw nothing")
