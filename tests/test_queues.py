"""Long queues: counts over many units are found, and the paper's rules stand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from properties.queues import AGAIN, SHORTEST, contribute_less_after_ten, keys_of_ten, queues
from properties.vocabulary import Vocabulary
from spec import ATTRIBUTION_FIXED, NULL_STORE, PAPER, AtService, Relation, Rules, replace
from spec.contributions import Budget, Budgets, Credit
from spec.reports import Key, Report

if TYPE_CHECKING:
    from spec.rules import AtContribution

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
        (replace(PAPER, contribute=contribute_less_after_ten), 11),
    ],
)
def test_counts_over_many_units_are_found(relation: Relation, rules: Rules, reports: int) -> None:
    found = queues(rules, relation, (), STEPS)
    assert found.attack is not None
    assert found.attack.gained > found.attack.allowed
    assert found.reports == reports
    assert "in the end" not in found.moves


def keys_of_forty(at: AtService, batch: tuple[Report, ...]) -> tuple[Key, ...]:
    """Discover the keys of at least forty reports only."""
    held = [part.key for report in batch for part in report.contributions]
    found = PAPER.keys(at, batch)
    return tuple(key for key in found if not at.query.discovers_keys or held.count(key) >= 40)


def test_a_count_that_a_proposal_mentions_is_tried() -> None:
    rules = replace(PAPER, keys=keys_of_forty)
    assert queues(rules, ATTRIBUTION_FIXED, (), STEPS).attack is None
    words = Vocabulary(numbers=(40,))
    found = queues(rules, ATTRIBUTION_FIXED, words.around, STEPS)
    assert found.attack is not None
    assert found.reports == 40


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
