"""Runs on numbers find what symbols do not get through to, and are clean for the paper's rules."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from properties.laws import moving_too_much
from properties.play import attack_by, first_of, true_sum
from properties.script_attack import ScriptAttack
from properties.searches.on_numbers import BROKEN, SIZES, Size, numbers_finding
from properties.vocabulary import NO_WORDS, Vocabulary
from properties.worlds import BothWorlds, Draws
from spec import ATTRIBUTION_FIXED, NULL_STORE, PAPER, Budget, Contribution, Report, Unit
from spec.neighbours import Relation
from spec.private_aggregation_client import DeviceWindow
from spec.verdicts import Evidence, Shape

if TYPE_CHECKING:
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
