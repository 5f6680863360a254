"""Runs on numbers find what symbols do not get through to, and are clean for the paper's rules."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from properties.laws import moving_too_much
from properties.noise_told import first_of, true_sum
from properties.play import attack_by
from properties.script_attack import ScriptAttack
from properties.searches.on_numbers import BROKEN, SIZES, Size, numbers_finding
from properties.vocabulary import NO_WORDS, Vocabulary
from properties.worlds import BothWorlds, Draws
from spec import (
    ATTRIBUTION_FIXED,
    NULL_STORE,
    PAPER,
    Budget,
    Contribution,
    Credit,
    Report,
    Rules,
    Sent,
    Unit,
)
from spec.aggregation_service import Outcome
from spec.contributions import Budgets
from spec.neighbours import Relation
from spec.private_aggregation_client import DeviceWindow
from spec.verdicts import Evidence, Shape
from tests.small import CERTAIN

if TYPE_CHECKING:
    from collections.abc import Hashable

    from spec.rules import AtContribution, AtService


def trim_one_percent(at: AtService, batch: tuple[Report, ...]) -> dict[int, int]:
    values: dict[int, list[int]] = {}
    for report in batch:
        for key, value in PAPER.totals(at, (report,)).items():
            values.setdefault(key, []).append(value)
    cut = {key: len(found) // 100 for key, found in values.items()}
    return {
        key: sum(sorted(found)[cut[key] : len(found) - cut[key]]) for key, found in values.items()
    }


FEW = Size(runs=30, ladder=(1, 10, 100))
UNIT = DeviceWindow(device="phone", window=0)
PROMISED = PAPER.limits.epsilon, PAPER.limits.delta


def admit_reserved(
    at: AtContribution, unit: Unit, spent: Budget, contribution: Contribution
) -> tuple[Budget, bool]:
    if str(contribution.key) == "12345":
        return spent, True
    return PAPER.admit(at, unit, spent, contribution)


@pytest.mark.parametrize("relation", [ATTRIBUTION_FIXED, NULL_STORE])
@pytest.mark.parametrize("name", BROKEN)
def test_broken_rules_are_refuted(name: str, relation: Relation) -> None:
    found = numbers_finding("a claim", BROKEN[name], relation, NO_WORDS, SIZES["quick"])
    assert found.evidence is Evidence.ATTACK, found.detail
    assert isinstance(found.attack, ScriptAttack)


@pytest.mark.parametrize("relation", [ATTRIBUTION_FIXED, NULL_STORE])
def test_the_papers_rules_are_clean(relation: Relation) -> None:
    found = numbers_finding("a claim", PAPER, relation, NO_WORDS, FEW)
    assert found.evidence is Evidence.RANDOM_RUNS, found.detail
    assert found.shape is Shape.REAL_SIZES


def show_many_nulls(at: AtService, batch: tuple[Report, ...], outcome: Outcome) -> Hashable:
    count = sum(report.is_null for report in batch)
    return (outcome, count) if count >= 50 else outcome


def show_777_nulls(at: AtService, batch: tuple[Report, ...], outcome: Outcome) -> Hashable:
    return outcome, sum(report.is_null for report in batch) * (len(batch) == 777)


def show_the_size(at: AtService, batch: tuple[Report, ...], outcome: Outcome) -> Hashable:
    return outcome, len(batch)


def show_top_byte(at: AtContribution, granted: tuple[Credit, ...]) -> tuple[Sent, ...]:
    (sent,) = CERTAIN(PAPER.send(at, granted))
    shown = any(each.key >> 120 for each in sent.report.contributions)
    return (replace(sent, shown=(sent.report.report_id, shown)),)


def contribute_freely_later(
    at: AtContribution, credits: tuple[Credit, ...]
) -> tuple[Budgets, tuple[Credit, ...]]:
    """Forget all budgets once twenty units have used theirs."""
    spent = at.client.budgets
    if sum(budget != Budget() for budget in spent.values()) >= 20:
        client: Any = at.client
        fresh = spent.update({unit: Budget() for unit in spent})
        at = replace(at, client=replace(client, budgets=fresh))
    return PAPER.contribute(at, credits)


def keys_of_forty(at: AtService, batch: tuple[Report, ...]) -> tuple[int, ...]:
    held = [part.key for report in batch for part in report.contributions]
    found = PAPER.keys(at, batch)
    return tuple(key for key in found if not at.query.discovers_keys or held.count(key) >= 40)


@pytest.mark.parametrize("relation", [ATTRIBUTION_FIXED, NULL_STORE])
@pytest.mark.parametrize(
    ("rules", "mentioned"),
    [
        (replace(PAPER, reveal=show_many_nulls), ()),
        (replace(PAPER, reveal=show_777_nulls), (777,)),
        (replace(PAPER, send=show_top_byte), ()),
        (replace(PAPER, contribute=contribute_freely_later), ()),
        (replace(PAPER, keys=keys_of_forty), (40,)),
    ],
)
def test_counts_and_sizes_are_found(
    rules: Rules, mentioned: tuple[int, ...], relation: Relation
) -> None:
    words = Vocabulary(numbers=mentioned)
    found = numbers_finding("a claim", rules, relation, words, SIZES["quick"])
    assert found.evidence is Evidence.ATTACK, found.detail


def test_what_is_public_may_show() -> None:
    rules = replace(PAPER, reveal=show_the_size)
    found = numbers_finding("a claim", rules, ATTRIBUTION_FIXED, NO_WORDS, FEW)
    assert found.evidence is Evidence.RANDOM_RUNS, found.detail


@pytest.mark.parametrize("relation", [ATTRIBUTION_FIXED, NULL_STORE])
def test_what_a_proposal_mentions_is_tried(relation: Relation) -> None:
    rules = replace(PAPER, admit=admit_reserved)
    words = Vocabulary(numbers=(12345,))
    found = numbers_finding("a claim", rules, relation, words, FEW)
    assert found.evidence is Evidence.ATTACK
    assert found == numbers_finding("a claim", rules, relation, words, FEW)


def test_a_law_that_is_broken_at_size_is_made_into_a_run() -> None:
    rules = replace(PAPER, totals=trim_one_percent)
    crowds = moving_too_much(rules, NO_WORDS)
    assert crowds
    assert min(crowd.others for crowd in crowds) == 99
    run = BothWorlds(rules, NULL_STORE, UNIT, lambda: Draws(true_sum, first_of))
    crowds[0].make(run, devices=True)
    assert attack_by(rules, NULL_STORE, UNIT, run.moves, PROMISED) is not None


def test_the_papers_totals_and_a_lower_sum_keep_the_law() -> None:
    def at_most_a_thousand(at: AtService, batch: tuple[Report, ...]) -> dict[int, int]:
        return {key: min(total, 1000) for key, total in PAPER.totals(at, batch).items()}

    assert moving_too_much(PAPER, NO_WORDS) == []
    assert moving_too_much(replace(PAPER, totals=at_most_a_thousand), NO_WORDS) == []
