"""Long queues: counts over many units are found, and the paper's rules stand."""

from __future__ import annotations

import pytest

from properties.queues import AGAIN, SHORTEST, contribute_ten_times, keys_of_ten, queues
from properties.vocabulary import Vocabulary
from spec import ATTRIBUTION_FIXED, NULL_STORE, PAPER, Relation, Rules, replace
from spec.aggregation_service import Query
from spec.contributions import Budget, Budgets, Cause, Credit
from spec.reports import Contribution, Key, Report

STEPS = 60_000
BOTH = pytest.mark.parametrize("relation", [ATTRIBUTION_FIXED, NULL_STORE])


@BOTH
def test_the_papers_rules_stand_to_the_end(relation: Relation) -> None:
    found = queues(PAPER, relation, (), STEPS)
    assert found.attack is None
    assert found.reports == 1 + SHORTEST + AGAIN
    assert found.change == 2


@BOTH
@pytest.mark.parametrize(
    ("rules", "reports"),
    [
        (replace(PAPER, keys=keys_of_ten), 10),
        (replace(PAPER, contribute=contribute_ten_times), 11),
    ],
)
def test_counts_over_many_units_are_found(relation: Relation, rules: Rules, reports: int) -> None:
    found = queues(rules, relation, (), STEPS)
    assert found.attack is not None
    assert found.attack.gained > found.attack.allowed
    assert found.reports == reports
    assert "in the end" not in found.moves


def keys_of_forty(query: Query, batch: tuple[Report, ...]) -> tuple[Key, ...]:
    """Discover the keys of at least forty reports only."""
    held = [part.key for report in batch for part in report.contributions]
    found = PAPER.keys(query, batch)
    return tuple(key for key in found if query.delta == 0 or held.count(key) >= 40)


def test_a_count_that_a_proposal_mentions_is_tried() -> None:
    rules = replace(PAPER, keys=keys_of_forty)
    assert queues(rules, ATTRIBUTION_FIXED, (), STEPS).attack is None
    words = Vocabulary(numbers=(40,))
    found = queues(rules, ATTRIBUTION_FIXED, words.around, STEPS)
    assert found.attack is not None
    assert found.reports == 40


def contribute_freely_later(
    rules: Rules, budgets: Budgets, credits: tuple[Credit, ...], cause: Cause
) -> tuple[Budgets, tuple[Contribution, ...]]:
    """Forget all budgets once twenty units have used theirs."""
    if len(budgets) >= 20:
        budgets = budgets.update({unit: Budget() for unit in budgets})
    return PAPER.contribute(rules, budgets, credits, cause)


@BOTH
def test_the_first_unit_comes_again(relation: Relation) -> None:
    found = queues(replace(PAPER, contribute=contribute_freely_later), relation, (), STEPS)
    assert found.attack is not None
    assert "in the end" in found.moves
    assert found.change == 4


def test_a_queue_that_runs_out_of_steps_is_not_followed_to_its_end() -> None:
    found = queues(PAPER, ATTRIBUTION_FIXED, (), 0)
    assert found.attack is None
    assert not found.whole
    assert found.reports < queues(PAPER, ATTRIBUTION_FIXED, (), STEPS).reports
