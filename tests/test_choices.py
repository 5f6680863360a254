"""Each choice that the paper's text leaves open, or contradicts, is pinned by a test."""

from __future__ import annotations

import ast
from collections.abc import Hashable
from fractions import Fraction
from pathlib import Path
from typing import TypeVar

import pytest
from immutables import Map

from proofs._summary_rollout import summary_rollout
from spec import (
    PAPER,
    Aborted,
    AggregationClient,
    Answer,
    AtService,
    AttributionClient,
    Budget,
    Contribution,
    Database,
    DeviceWindow,
    Law,
    Move,
    Noisy,
    OnDevice,
    Record,
    Service,
    Source,
    Spent,
    SummaryMechanism,
    SummaryQuery,
    SummaryState,
    System,
    Trigger,
    replace,
    without_source,
)
from spec.aggregation_service import BadQuery
from spec.attribution_client import matches
from tests.small import NOISELESS, event, play, query, small_rules, source, sums, trigger

T = TypeVar("T")

ELSEWHERE = {
    "B4": [
        "test_noise.py::test_a_threshold_that_is_an_integer_is_decided",
        "test_noise.py::test_the_tail_lemma_holds_at_the_floor_of_a_real_threshold",
        "test_noise.py::test_the_floor_uses_the_slack_of_the_tail_lemma_up",
    ],
    "B6": [
        "test_event_client.py::test_a_source_that_does_not_list_the_datum_is_passed_over",
        "test_event_client.py::"
        "test_the_example_marks_the_source_inactive_on_day_seven_and_not_before",
        "test_event_client.py::test_an_expired_source_is_passed_over_but_still_reports",
    ],
    "B7": [
        "test_event_mechanism.py::test_the_step_is_counted_and_the_response_is_drawn_once",
        "test_event_mechanism.py::"
        "test_without_counting_steps_the_coin_is_tossed_again_and_privacy_is_lost",
        "test_randomized_response.py::test_the_response_is_drawn_once_and_the_step_is_counted",
    ],
    "B12": ["test_event_client.py::test_no_common_filter_means_no_match_and_so_do_empty_filters"],
    "B13": ["test_noise.py::test_a_query_needs_a_positive_epsilon"],
}


@pytest.mark.parametrize("name", [name for names in ELSEWHERE.values() for name in names])
def test_choices_pinned_elsewhere_are_pinned_there(name: str) -> None:
    file, test = name.split("::")
    tree = ast.parse((Path(__file__).parent / file).read_text(encoding="utf-8"))
    assert test in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


# B1: the service looks at the batch, not at every report there is.


def test_an_exhausted_report_does_not_block_other_batches() -> None:
    rules = small_rules(epsilon=1)
    mechanism = SummaryMechanism(rules=rules)
    state = SummaryState()
    database: Database = (Record(unit="x", report_id=1), Record(unit="x", report_id=2))
    for reports, outcome in [((1,), Answer), ((1,), Aborted), ((2,), Answer), ((1, 2), Aborted)]:
        question = SummaryQuery(query=query(*reports), function=one)
        state, answer = mechanism.step(state, (database, question), NOISELESS)
        database = ()
        assert isinstance(answer, outcome)


# B2: a trigger falls through to an older source with budget; dropping it is one rule away.


def test_a_trigger_falls_through_to_an_older_source() -> None:
    moves: list[Move] = [
        source("old", key=1),
        source("new", key=2),
        trigger(1, 65536),
        trigger(2, 65536),
    ]
    system, _ = play(PAPER, [*moves, trigger(3, 1)])
    assert [part.key for n in (1, 2) for part in system.reports[n].contributions] == [2, 1]
    assert system.reports[3].is_null


def test_dropping_it_instead_is_one_rule() -> None:
    dropping = replace(PAPER, attempt_order=lambda at, matching: matching[:1])
    moves: list[Move] = [
        source("old", key=1),
        source("new", key=2),
        trigger(1, 65536),
        trigger(2, 65536),
    ]
    assert play(dropping, moves)[0].reports[2].is_null


# B3: the second tracker sums delta; queries are counted apart, and nothing bounds their number.


def test_delta_is_summed_and_queries_are_counted_apart() -> None:
    rules = small_rules(epsilon=100, delta=Fraction(1, 2))
    discover = [query(1, delta=Fraction(1, 8))] * 5
    system, seen = play(rules, [trigger(1), *discover, *[query(1)] * 9])
    answered = [not isinstance(told[0], Aborted) for told in seen[1:]]
    assert answered == [True] * 4 + [False] + [True] * 9
    assert system.service.ledger[1] == Spent(epsilon=Fraction(13), delta=Fraction(1, 2), queries=13)


# B4: the threshold is the floor of the paper's real number.


@pytest.mark.parametrize("value", range(4, 9))
def test_a_sum_exceeds_the_real_threshold_exactly_if_it_exceeds_its_floor(value: int) -> None:
    rules = small_rules(contribution_budget=2, sparsity_budget=3, epsilon=2)
    question = query(1, epsilon=2, delta=Fraction(1, 4))
    at = AtService(rules=rules, now=0, service=Service(), query=question)
    floor = rules.threshold(at, ())
    assert floor == 5
    above_the_real_one = value > 2 and 2 ** (value - 2) > 12
    assert rules.releases(at, 1, value, floor) == above_the_real_one


# B8: only the requested keys are computed.


class Counting:
    """Be a draw that counts noisy sums."""

    def __init__(self) -> None:
        self.sums = 0

    def __call__(self, law: T | Law[T], /) -> T:
        self.sums += isinstance(law, Noisy)
        return NOISELESS(law)


def test_only_requested_keys_are_computed() -> None:
    counting = Counting()
    moves: list[Move] = [source("x", key=7), trigger(1, 5), query(1, keys=(1, 2**128 - 1))]
    _, seen = play(PAPER, moves, counting)
    assert sums(seen[-1]) == {1: 0, 2**128 - 1: 0}
    assert counting.sums == 2


def test_leaving_a_key_out_of_the_request_leaves_it_out_of_the_answer_only() -> None:
    moves: list[Move] = [source("x", key=7), trigger(1, 5)]
    _, seen = play(PAPER, [*moves, query(1, keys=(1, 7)), query(1, keys=(1,))])
    assert sums(seen[2]) == {1: 0, 7: 5}
    assert sums(seen[3]) == {1: 0}


# B9: budgets of PAA are kept per device, window and ad-tech.


def test_budgets_are_kept_per_device_window_and_ad_tech() -> None:
    given = event(1, lambda s: (s, 1, 1), "d", "a")
    at = OnDevice(rules=PAPER, now=1799, client=AggregationClient(), cause=given)
    unit = PAPER.budget_unit(at)
    assert unit == DeviceWindow(device="d", window=2, ad_tech="a")
    events = [event(n, lambda s: (s, 1, 65536), *who) for n, who in enumerate(["da", "db", "ea"])]
    system, _ = play(PAPER, [*events, event(9, lambda s: (s, 1, 1), "d", "a")])
    assert [system.reports[n].is_null for n in (0, 1, 2, 9)] == [False, False, False, True]


# B11: a zero value counts for nothing in the clients, and for one contribution in the mechanism.


def one(record: Record) -> Contribution:
    return Contribution(key=1, value=1)


def zero(record: Record) -> Contribution:
    return Contribution(key=1, value=0)


def test_a_zero_value_makes_a_null_report_and_counts_for_nothing() -> None:
    moves: list[Move] = [
        source("x"),
        *(trigger(n, 0) for n in range(3)),
        event(9, lambda s: (s, 1, 0)),
    ]
    system, _ = play(PAPER, moves)
    assert all(each.is_null for each in system.reports.values())
    assert system.attribution["device"].budgets["x"] == Budget()
    assert not system.aggregation["d"].budgets


def test_the_mechanism_counts_a_zero_value() -> None:
    """So client and service are the mechanism for functions that are positive where attributed."""
    records = tuple(Record(unit="x", report_id=n) for n in range(3))
    rules = small_rules(sparsity_budget=2)
    question = SummaryQuery(query=query(), function=zero)
    state, _ = SummaryMechanism(rules=rules).step(SummaryState(), (records, question), NOISELESS)
    assert state.budgets["x"] == Budget(value=0, count=2)
    late = SummaryQuery(query=query(9, keys=(1,)), function=one)
    last = (Record(unit="x", report_id=9),)
    _, answer = SummaryMechanism(rules=rules).step(state, (last, late), NOISELESS)
    assert answer == Answer(released=((1, 0),))


# B12: an empty filter set matches nothing; the destination belongs to the trigger.


def matched(one: Source, given: Trigger) -> bool:
    return matches(OnDevice(rules=PAPER, now=0, client=AttributionClient(), cause=given), one)


def test_empty_filters_match_nothing() -> None:
    nothing = frozenset[str]()
    assert matched(source(filters="a"), trigger(1, filters="a"))
    assert not matched(source(filters=""), trigger(1, filters=""))
    assert not matched(source(filters="a"), replace(trigger(1), filters=nothing))


def test_the_destination_belongs_to_the_trigger() -> None:
    assert not matched(source(), replace(trigger(1), destination="elsewhere"))


# B13: a query needs a positive epsilon.


def test_an_epsilon_of_zero_is_no_query() -> None:
    with pytest.raises(BadQuery, match="epsilon must be positive, not 0"):
        query(1, epsilon=0)


# B14: a database is a sequence, and removal keeps its order.


def test_removal_keeps_the_order_of_the_records() -> None:
    database = tuple(Record(unit=unit, report_id=n) for n, unit in enumerate("zxzyx"))
    left = without_source(database, "x")
    assert [record.report_id for record in left] == [0, 1, 2, 3, 4]
    assert [record.unit for record in left] == ["z", None, "z", "y", None]


def test_another_order_would_change_another_unit_by_twice_its_budget() -> None:
    rules = small_rules(contribution_budget=3)
    first, second = Record(unit="z", report_id=1), Record(unit="z", report_id=2)

    def own_key(record: Record) -> Contribution:
        return Contribution(key=record.report_id, value=3)

    question = SummaryQuery(query=query(1, 2, keys=(1, 2)), function=own_key)
    mechanism = SummaryMechanism(rules=rules)
    orders: list[Database] = [(first, second), (second, first)]
    answers = [
        dict(released(mechanism.step(SummaryState(), (order, question), NOISELESS)[1]))
        for order in orders
    ]
    assert sum(abs(answers[0][key] - answers[1][key]) for key in (1, 2)) == 2 * 3


def released(answer: Hashable) -> tuple[tuple[int, int], ...]:
    assert isinstance(answer, Answer)
    return answer.released


# B15: a null report is ignored in the sum and charged in the ledger; one is always sent.


def test_a_null_report_is_sent_and_charged_and_adds_nothing() -> None:
    system, seen = play(PAPER, [trigger(1, 5), query(1, keys=(0,))])
    assert seen[0] == (1,)
    assert sums(seen[1]) == {0: 0}
    assert system.service.ledger == Map({1: Spent(epsilon=Fraction(1), queries=1)})


def test_a_report_is_sent_when_the_budget_of_a_window_is_used_up() -> None:
    full = event(1, lambda s: (s, 1, 65536))
    _, seen = play(PAPER, [full, event(2, lambda s: (s, 1, 1))])
    assert seen == [(1,), (2,)]


# B16: what the ad-tech sees of a report depends on the trigger alone.


def test_the_ad_tech_sees_the_same_whoever_is_attributed() -> None:
    for system in (System(), play(PAPER, [source("x")])[0]):
        assert play(PAPER, [trigger(1, 5), trigger(2, 0)], system=system)[1] == [(1,), (2,)]


# B17: the same trigger registered twice is one report that carries both contributions.


def test_a_report_registered_twice_carries_both_and_is_counted_twice() -> None:
    rules = small_rules(contribution_budget=2, sparsity_budget=2)
    twice = (Record(unit="x", report_id=1), Record(unit="x", report_id=1))
    question = SummaryQuery(query=query(1, keys=(1,), epsilon=2), function=one)
    _, answer = SummaryMechanism(rules=rules).step(SummaryState(), (twice, question), NOISELESS)
    assert answer == Answer(released=((1, 2),))
    (theta,) = summary_rollout(rules, [(twice, question)], "x")
    assert theta.epsilon == 2
    discovery = SummaryQuery(query=query(1, epsilon=2, delta=Fraction(1, 4)), function=one)
    (theta,) = summary_rollout(rules, [(twice, discovery)], "x")
    assert theta.delta == Fraction(1, 4)


def test_one_ledger_entry_pays_for_a_report_registered_twice() -> None:
    twice = (Record(unit="x", report_id=1), Record(unit="z", report_id=1))
    question = SummaryQuery(query=query(1), function=one)
    state, _ = SummaryMechanism(rules=small_rules()).step(
        SummaryState(), (twice, question), NOISELESS
    )
    assert state.service == Service(ledger=Map({1: Spent(epsilon=Fraction(1), queries=1)}))
