"""Runs on numbers find what symbols do not get through to, and are clean for the paper's rules."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from properties.improvised import relisted
from properties.laws import answered_twice, listed_otherwise, moving_too_much, times_listed
from properties.listings import Listing, enough
from properties.noise_told import first_of, true_sum
from properties.parts import ListedTwice, parts_of
from properties.play import attack_by
from properties.script_attack import ScriptAttack
from properties.searches import on_numbers
from properties.searches.on_numbers import BROKEN, SIZES, Made, Size, numbers_finding
from properties.vocabulary import NO_WORDS, Vocabulary
from properties.worlds import BothWorlds, Draws
from sandproof.about import Request
from sandproof.proposal import load
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
from spec.aggregation_service import Answer, Outcome, Query
from spec.contributions import Budgets
from spec.neighbours import Relation
from spec.private_aggregation_client import DeviceWindow
from spec.verdicts import Evidence, Reason, Shape
from tests.small import CERTAIN

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

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


UNSOUND = Path(__file__).parent / "unsound"
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


def keys_as_they_come(at: AtService, batch: tuple[Report, ...]) -> tuple[int, ...]:
    if not at.query.discovers_keys:
        return PAPER.keys(at, batch)
    return tuple(dict.fromkeys(part.key for report in batch for part in report.contributions))


def fullest_first(at: AtService, batch: tuple[Report, ...]) -> tuple[int, ...]:
    sums = PAPER.totals(at, batch)
    return tuple(sorted(PAPER.keys(at, batch), key=lambda key: -(sums.get(key, 0) // 10**6)))


def turned_round_from_500(at: AtService, batch: tuple[Report, ...]) -> tuple[int, ...]:
    full = sum(not report.is_null for report in batch)
    return tuple(sorted(PAPER.keys(at, batch), reverse=full >= 500))


def each_key_twice(at: AtService, batch: tuple[Report, ...]) -> tuple[int, ...]:
    return tuple(key for key in PAPER.keys(at, batch) for _ in range(2))


def lower_bits_as_they_come(at: AtService, batch: tuple[Report, ...]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(key & 0xFF for key in PAPER.keys(at, batch)))


def sums_of_lower_bits(at: AtService, batch: tuple[Report, ...]) -> dict[int, int]:
    sums: dict[int, int] = {}
    for key, total in PAPER.totals(at, batch).items():
        sums[key & 0xFF] = sums.get(key & 0xFF, 0) + total
    return sums


LISTED = Listing(count=3, given=65_536, own=1, value=1)


@pytest.mark.parametrize(
    ("rules", "mentioned"),
    [
        (replace(PAPER, keys=keys_as_they_come), ()),
        (replace(PAPER, keys=fullest_first), (10**6,)),
        (replace(PAPER, keys=turned_round_from_500), (500,)),
        (replace(PAPER, keys=lower_bits_as_they_come, totals=sums_of_lower_bits), ()),
    ],
)
def test_an_order_that_the_unit_turns_is_an_attack(
    rules: Rules, mentioned: tuple[int, ...]
) -> None:
    words = Vocabulary(numbers=mentioned)
    (listing, told), *_ = listed_otherwise(rules, words)
    assert "with x" in told
    run = BothWorlds(rules, NULL_STORE, UNIT, lambda: Draws(true_sum, first_of))
    listing.make(run, devices=True)
    attack = attack_by(rules, NULL_STORE, UNIT, run.moves, PROMISED)
    assert attack is not None
    assert "released in this order" in attack.event
    assert attack.probability == 1
    assert attack.other == 0


@pytest.mark.parametrize(
    "keys",
    [
        PAPER.keys,
        lambda at, batch: tuple(reversed(PAPER.keys(at, batch))),
        lambda at, batch: tuple(sorted(PAPER.keys(at, batch), key=lambda key: key % 16)),
        lambda at, batch: tuple(sorted(PAPER.keys(at, batch), reverse=len(batch) % 2 == 0)),
    ],
)
def test_an_order_by_what_is_public_keeps_the_law(keys: Any) -> None:
    assert listed_otherwise(replace(PAPER, keys=keys), NO_WORDS) == []


def test_an_order_that_is_not_shown_is_left_alone() -> None:
    def sort(at: AtService, batch: tuple[Report, ...], outcome: Outcome) -> Hashable:
        return tuple(sorted(outcome.released)) if isinstance(outcome, Answer) else outcome

    assert listed_otherwise(replace(PAPER, keys=keys_as_they_come, reveal=sort), NO_WORDS) == []


def test_a_law_that_no_run_breaks_leaves_the_guarantee_open() -> None:
    """Clients that contribute nothing never make the batch of which the order is another."""
    rules = replace(PAPER, keys=keys_as_they_come, contributions=lambda at, source: ())
    found = numbers_finding("a claim", rules, ATTRIBUTION_FIXED, NO_WORDS, FEW)
    assert found.evidence is not Evidence.RANDOM_RUNS
    assert found.reason is Reason.WORLDS_DIFFER
    assert "1, 0 with x, 0, 1 without x" in found.detail


def test_a_key_that_is_answered_for_twice_is_played_by_what_is_seen() -> None:
    rules = replace(PAPER, keys=each_key_twice)
    run = BothWorlds(rules, NULL_STORE, UNIT, lambda: Draws(true_sum, first_of))
    replace(LISTED, keys=(0,), own=0, value=65_536).make(run, devices=True)
    with pytest.raises(ListedTwice):
        parts_of(rules, NULL_STORE, UNIT, run.moves)
    attack = attack_by(rules, NULL_STORE, UNIT, run.moves, PROMISED)
    assert attack is not None
    assert "something like what is shown" in attack.event


def as_listed(at: AtService, batch: tuple[Report, ...]) -> tuple[int, ...]:
    return at.query.keys or PAPER.keys(at, batch)


def many_as_listed(at: AtService, batch: tuple[Report, ...]) -> tuple[int, ...]:
    return at.query.keys if len(at.query.keys) > 30 else PAPER.keys(at, batch)


def crowded_twice(at: AtService, batch: tuple[Report, ...]) -> tuple[int, ...]:
    return PAPER.keys(at, batch) * (2 if len(batch) > 100 else 1)


@pytest.mark.parametrize("keys", [each_key_twice, as_listed, many_as_listed, crowded_twice])
@pytest.mark.parametrize("devices", [False, True])
def test_a_key_is_answered_once_for_a_charge(keys: Any, devices: bool) -> None:
    rules = replace(PAPER, keys=keys)
    listing, *_ = answered_twice(rules, NO_WORDS)
    assert min(times_listed(rules, listing)) == 2
    relation, unit = (NULL_STORE, UNIT) if devices else (ATTRIBUTION_FIXED, "x")
    run = BothWorlds(rules, relation, unit, lambda: Draws(listing.noisy, first_of))
    listing.make(run, devices)
    assert attack_by(rules, relation, unit, run.moves, PROMISED) is not None


def test_keys_that_are_listed_once_keep_the_law() -> None:
    assert answered_twice(PAPER, NO_WORDS) == []
    reverse = replace(PAPER, keys=lambda at, batch: PAPER.keys(at, batch)[::-1])
    assert answered_twice(reverse, NO_WORDS) == []


def test_queries_list_keys_and_reports_in_other_ways() -> None:
    query = Query(epsilon=PAPER.limits.epsilon, report_ids=(1, 2), keys=(3, 4))
    found = [relisted(query, Random(number)) for number in range(100)]
    keys, ids = {each.keys for each in found}, {each.report_ids for each in found}
    assert {(3, 4), (4, 3), (3, 4, 3, 4), (3,), (4,)} < keys
    assert any(set(each) > {3, 4} for each in keys)
    assert ids == {(1, 2), (2, 1), (1, 2, 1), (1,)}
    discovering = replace(query, keys=(), delta=PAPER.limits.delta)
    assert all(relisted(discovering, Random(number)).keys == () for number in range(9))


@pytest.mark.parametrize("relation", [ATTRIBUTION_FIXED, NULL_STORE])
@pytest.mark.parametrize("kind", ["asked for lists", "by chance"])
def test_lists_that_overlap_are_asked_for(
    relation: Relation, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    proposal = load(Request(path=UNSOUND / "further_keys_for_free.py"))
    all_runs = on_numbers.runs_of

    def of_a_kind(*given: Any) -> Iterator[Made]:
        return (made for made in all_runs(*given) if made.kind == kind)

    monkeypatch.setattr(on_numbers, "runs_of", of_a_kind)
    found = numbers_finding("a claim", proposal.rules, relation, proposal.words, SIZES["quick"])
    assert found.evidence is Evidence.ATTACK
    assert kind in found.detail


def test_a_batch_and_its_moves_hold_the_same_reports() -> None:
    assert enough(PAPER) == LISTED.count
    for listing in (LISTED, replace(LISTED, first=False, turns=True, rest=7, more=2)):
        for relation, unit, devices in ((ATTRIBUTION_FIXED, "x", False), (NULL_STORE, UNIT, True)):
            run = BothWorlds(PAPER, relation, unit, lambda: Draws(true_sum, first_of))
            listing.make(run, devices)
            for world, batch in zip((run.there, run.gone), listing.batches(), strict=True):
                assert batch == tuple(world.reports[each] for each in sorted(world.reports))
