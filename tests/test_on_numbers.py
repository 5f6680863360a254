"""Runs on numbers find what symbols do not get through to, and are clean for the paper's rules."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from properties.script_attack import ScriptAttack
from properties.searches.on_numbers import BROKEN, SIZES, Size, numbers_finding
from properties.vocabulary import NO_WORDS, Vocabulary
from spec import ATTRIBUTION_FIXED, NULL_STORE, PAPER, Budget, Contribution, Unit
from spec.neighbours import Relation
from spec.verdicts import Evidence, Shape

if TYPE_CHECKING:
    from spec.rules import AtContribution

FEW = Size(runs=30, ladder=(1, 10, 100))


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
