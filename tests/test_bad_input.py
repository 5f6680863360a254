"""Bad input is refused by a named error that shows the offending value; the state is unchanged."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any, cast

import pytest

from sandproof.sampling import Sampler, SeededEntropy
from spec import (
    PAPER,
    AttributionClient,
    AtTrigger,
    Budget,
    Credit,
    Draw,
    DuplicateReport,
    DuplicateSource,
    Event,
    EventSource,
    EventTrigger,
    Limits,
    Move,
    OutputSet,
    PassTime,
    Power,
    Program,
    Query,
    Report,
    Sent,
    Source,
    SpecError,
    System,
    TimeRunsBackwards,
    Trigger,
    TriggerSpecification,
    UnknownReport,
    UnknownSource,
    explore,
    replace,
    step,
)
from spec.aggregation_service import BadQuery
from spec.numbers import Base, NotExact, NotWhole, OutOfRange
from spec.private_aggregation_client import BadProgram
from spec.randomized_response import RandomizedResponse
from spec.reports import BadKey, BadName, BadValue
from spec.rules import BadLimit
from spec.system import BudgetDecided, UnknownMove
from tests.small import CERTAIN, event, play, query, source, trigger

INEXACT = [0.5, float("nan"), float("inf"), Decimal("0.5"), "1/2", None, True]
WITH_KEY: list[Callable[[int], object]] = [
    lambda key: source(key=key),
    lambda key: trigger(1, key=key),
    lambda key: query(keys=(key,)),
]
NOT_WHOLE = [1.0, float("nan"), Fraction(1), "1", None, True]


def constant(key: object, value: object) -> Program:
    return lambda storage: (storage, key, value)  # type: ignore[return-value]


# A value above the contribution budget is not an error: it is not admitted.


def test_a_value_above_the_contribution_budget_makes_a_null_report() -> None:
    before, _ = play(PAPER, [source("x")])
    system, seen = play(PAPER, [trigger(1, 65537), event(2, constant(1, 65537))], system=before)
    assert seen == [(1,), (2,)]
    assert all(each.is_null for each in system.reports.values())
    assert system.attribution["device"].budgets["x"] == Budget()
    assert not system.aggregation["d"].budgets


# Inputs that cannot be made.


@pytest.mark.parametrize("value", INEXACT)
@pytest.mark.parametrize("field", ["epsilon", "delta"])
def test_the_parameters_of_a_query_are_exact(field: str, value: object) -> None:
    with pytest.raises(NotExact, match=field) as caught:
        replace(query(1), **{field: value})  # type: ignore[arg-type]
    assert repr(value) in str(caught.value)


@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(-1, 2), 0])
def test_the_epsilon_of_a_query_is_positive(epsilon: Fraction) -> None:
    with pytest.raises(BadQuery) as caught:
        replace(query(1), epsilon=epsilon)
    assert str(epsilon) in str(caught.value)


@pytest.mark.parametrize("delta", [Fraction(-1, 8), Fraction(9, 8), 2])
def test_the_delta_of_a_query_lies_between_zero_and_one(delta: Fraction) -> None:
    with pytest.raises(BadQuery) as caught:
        replace(query(1), delta=delta)
    assert str(delta) in str(caught.value)


@pytest.mark.parametrize("key", [-1, 2**128, 2**200])
@pytest.mark.parametrize("make", WITH_KEY)
def test_a_key_has_128_bits(make: Callable[[int], object], key: int) -> None:
    with pytest.raises(BadKey) as caught:
        make(key)
    assert str(key) in str(caught.value)
    make(2**128 - 1)


@pytest.mark.parametrize("key", [*NOT_WHOLE, b"key"])
@pytest.mark.parametrize("make", WITH_KEY)
def test_a_key_is_a_number(make: Callable[[object], object], key: object) -> None:
    with pytest.raises(NotWhole) as caught:
        make(key)
    assert repr(key) in str(caught.value)


@pytest.mark.parametrize("value", NOT_WHOLE)
def test_a_value_is_whole(value: object) -> None:
    with pytest.raises(NotWhole) as caught:
        trigger(1, value)  # type: ignore[arg-type]
    assert repr(value) in str(caught.value)


def test_a_value_is_not_negative() -> None:
    with pytest.raises(BadValue, match="-3"):
        trigger(1, -3)


@pytest.mark.parametrize("report_id", NOT_WHOLE)
def test_a_report_identifier_is_whole(report_id: object) -> None:
    makers: list[Callable[[], object]] = [
        lambda: trigger(report_id),  # type: ignore[arg-type]
        lambda: event(report_id, constant(1, 1)),  # type: ignore[arg-type]
        lambda: query(report_id),  # type: ignore[arg-type]
    ]
    for make in makers:
        with pytest.raises(NotWhole) as caught:
            make()
        assert repr(report_id) in str(caught.value)


@pytest.mark.parametrize("time", NOT_WHOLE)
def test_a_time_is_whole(time: object) -> None:
    with pytest.raises(NotWhole, match="expiry"):
        source(expiry=time)  # type: ignore[arg-type]
    with pytest.raises(NotWhole, match="until"):
        PassTime(until=time)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", INEXACT)
@pytest.mark.parametrize("field", ["epsilon", "delta", "event_epsilon"])
def test_limits_are_exact(field: str, value: object) -> None:
    with pytest.raises(NotExact, match=field) as caught:
        limits(**{field: value})
    assert repr(value) in str(caught.value)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("contribution_budget", 0),
        ("sparsity_budget", -1),
        ("window_length", 0),
        ("epsilon", Fraction(-1)),
        ("event_epsilon", Fraction(-1)),
        ("delta", Fraction(3, 2)),
        ("delta", Fraction(-1, 2)),
        ("maximum_reports", 0),
    ],
)
def test_limits_are_in_range(field: str, value: object) -> None:
    with pytest.raises(BadLimit, match=field) as caught:
        limits(**{field: value})
    assert str(value) in str(caught.value)


def limits(**fields: object) -> Limits:
    return replace(PAPER.limits, **fields)  # type: ignore[arg-type]


def test_a_limit_counts_in_whole_numbers() -> None:
    with pytest.raises(NotWhole, match="contribution_budget"):
        limits(contribution_budget=Fraction(1, 2))


# Moves that the system refuses; its state stays as it was.


SHOES = EventSource(
    source_id="e",
    destination="shop",
    expiry=100,
    filters=frozenset("a"),
    maximum_reports=1,
    specifications=(TriggerSpecification(data=0, windows=(50,), buckets=(1,)),),
)
BEFORE: list[Move] = [PassTime(until=5), source("x"), SHOES, trigger(1, 3), query(1)]

REFUSED: list[tuple[Move, type[SpecError], str]] = [
    (source("x", key=9), DuplicateSource, "'x'"),
    (SHOES, DuplicateSource, "'e'"),
    (trigger(1, 5), DuplicateReport, "1"),
    (event(1, constant(1, 1)), DuplicateReport, "1"),
    (query(1, 99), UnknownReport, "99"),
    (PassTime(until=4), TimeRunsBackwards, "4"),
    (PassTime(until=-1), TimeRunsBackwards, "-1"),
    (event(2, constant(2**128, 1)), BadKey, str(2**128)),
    (event(2, constant(2**128, 0)), BadKey, str(2**128)),
    (event(2, constant(1, -7)), BadValue, "-7"),
    (event(2, constant(1, 0.0)), NotWhole, "0.0"),
    (event(2, constant(1, 0.5)), NotWhole, "0.5"),
    (event(2, constant(1, float("nan"))), NotWhole, "nan"),
    (event(2, lambda storage: None), BadProgram, "None"),  # type: ignore[arg-type, return-value]
]


@pytest.mark.parametrize(("move", "error", "value"), REFUSED)
def test_a_refused_move_names_the_value_and_leaves_the_state(
    move: Move, error: type[SpecError], value: str
) -> None:
    draw = Sampler(SeededEntropy(0))
    system, _ = play(PAPER, BEFORE, draw)
    copy, _ = play(PAPER, BEFORE, Sampler(SeededEntropy(0)))
    with pytest.raises(error) as caught:
        step(PAPER, system, move, draw)
    assert value in str(caught.value)
    assert system == copy


def test_a_report_under_another_identifier_does_not_replace_one() -> None:
    seven = Sent(report=Report(report_id=7), shown=7, arrival=0)
    rules = replace(PAPER, send=lambda at, granted: (seven,))
    system, _ = play(rules, [trigger(1)], CERTAIN)
    with pytest.raises(DuplicateReport, match="7"):
        step(rules, system, trigger(2), CERTAIN)


def test_a_source_is_on_one_device_only() -> None:
    system, _ = play(PAPER, [source("x")])
    with pytest.raises(DuplicateSource, match="'x' is registered on another device"):
        step(PAPER, system, replace(source("x"), device="other"), CERTAIN)


def test_a_trigger_is_credited_to_sources_that_are_registered() -> None:
    rules = replace(PAPER, event_attribute=lambda at: ("later",))
    bought = EventTrigger(
        trigger_id="t", destination="shop", filters=frozenset("a"), data=0, value=1
    )
    with pytest.raises(UnknownSource, match="'later'"):
        step(rules, System(), bought, CERTAIN)


@pytest.mark.parametrize("until", NOT_WHOLE)
def test_a_moment_is_whole(until: Any) -> None:
    with pytest.raises(NotWhole) as caught:
        PassTime(until=until)
    assert repr(until) in str(caught.value)


def test_every_refusal_is_an_error_of_the_specification() -> None:
    for error in (BadKey, BadLimit, BadProgram, BadQuery, BadValue, NotExact, NotWhole, OutOfRange):
        assert issubclass(error, SpecError)
        assert issubclass(error, ValueError)


@pytest.mark.parametrize("filters", ["f", ["f"], {"f"}, None, frozenset({1})])
def test_filters_are_a_set_of_strings(filters: Any) -> None:
    with pytest.raises(BadName, match="filters must be a frozenset of strings"):
        Source(source_id="a", destination="d", expiry=1, filters=filters, key=1)
    with pytest.raises(BadName):
        EventTrigger(trigger_id="t", destination="d", filters=filters, data=0, value=1)


@pytest.mark.parametrize("name", [None, 5, ["d"]])
def test_names_are_strings(name: Any) -> None:
    with pytest.raises(BadName, match="destination must be a string"):
        Trigger(report_id=1, destination=name, filters=frozenset(), key=1, value=1)
    with pytest.raises(BadName, match="source_id must be a string"):
        Source(source_id=name, destination="d", expiry=1, filters=frozenset(), key=1)
    with pytest.raises(BadName, match="device must be a string"):
        Event(report_id=1, device=name, program=lambda storage: (storage, 1, 1))


def test_whole_numbers_of_a_query_become_fractions() -> None:
    query = Query(epsilon=cast(Fraction, 1))
    assert (query.epsilon / 65536) * 65536 == 1
    assert isinstance(query.epsilon / 65536, Fraction)
    with pytest.raises(BadQuery, match="report_ids must be a tuple"):
        Query(epsilon=Fraction(1), report_ids=cast(Any, 1))


def test_a_move_that_is_none_is_refused() -> None:
    with pytest.raises(UnknownMove, match="'foo' is not a move"):
        step(PAPER, System(), cast(Any, "foo"), Sampler(SeededEntropy(1)))


def test_a_rule_that_decides_does_not_change_budgets() -> None:
    def spend(at: AtTrigger, draw: Draw) -> tuple[AttributionClient, tuple[Credit, ...]]:
        return replace(at.client, budgets=at.client.budgets.set("x", Budget(value=1))), ()

    with pytest.raises(BudgetDecided, match="contribute"):
        step(replace(PAPER, attribute=spend), System(), trigger(1), CERTAIN)


def test_probabilities_are_not_negative() -> None:
    law = RandomizedResponse(
        outputs=OutputSet(maximum_reports=1, windows=(1,), buckets=(1,)),
        power=Power(Base(Fraction(2)), Fraction(1)),
        truth_probability=lambda power, size: Fraction(2),
    )
    with pytest.raises(OutOfRange):
        explore(lambda draw: draw(law))
