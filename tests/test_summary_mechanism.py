from __future__ import annotations

import random
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from immutables import Map

from spec import (
    ATTRIBUTION_FIXED,
    NULL_STORE,
    Aborted,
    Answer,
    AtService,
    Budget,
    Contribution,
    Credit,
    DeviceWindow,
    Distribution,
    Draw,
    Event,
    Law,
    Move,
    Program,
    Query,
    Record,
    Relation,
    Report,
    Rules,
    Service,
    SummaryMechanism,
    SummaryQuery,
    SummaryState,
    System,
    SystemMechanism,
    Trigger,
    Unit,
    UnknownReport,
    Without,
    explore,
    replace,
    step,
    without_source,
    without_storage,
)
from spec.contributions import Budgets
from spec.summary_mechanism import add_record
from spec.system import decide
from tests.small import (
    CERTAIN,
    NOISELESS,
    cut,
    event,
    play,
    query,
    seen,
    small_rules,
    source,
    trigger,
)

if TYPE_CHECKING:
    from spec.rules import AtContribution

RULES = small_rules(contribution_budget=3, sparsity_budget=2, epsilon=6, delta=Fraction(1, 2))


class Told:
    """Follow the clients and write down, per report, which unit is to contribute what."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.records: list[Record] = []
        self.contributions: dict[int, Contribution] = {}

    def note(self, system: System, move: Move) -> None:
        match move:
            case Trigger() | Event():
                credits = decide(self.rules, system, move, CERTAIN).credits
            case _:
                return
        named = [credit for credit in credits if credit.contributions]
        if named:
            (credit,) = named
            (self.contributions[move.report_id],) = credit.contributions
        self.records.append(Record(unit=named[0].unit if named else None, report_id=move.report_id))

    def steps(self, moves: Iterable[Move]) -> list[tuple[tuple[Record, ...], SummaryQuery]]:
        """Return the databases and queries of the mechanism that simulates the moves."""
        system, found = System(), []
        for move in moves:
            self.note(system, move)
            system, _ = step(self.rules, system, move, NOISELESS)
            if isinstance(move, Query):
                question = SummaryQuery(query=move, function=self.function)
                found.append((tuple(self.records), question))
                self.records = []
        return found

    def function(self, record: Record) -> Contribution:
        return self.contributions[record.report_id]


def constant(key: int, value: int) -> Program:
    return lambda storage: (storage, key, value)


def random_moves(seed: int) -> list[Move]:
    """Return a run of both clients that ends in queries; the values are small and may be zero."""
    chance = random.Random(seed)
    moves: list[Move] = []
    for number in range(12):
        kind = chance.choice(["source", "trigger", "trigger", "event", "query"])
        if kind == "source":
            filters = "".join(chance.sample("abc", 2))
            moves.append(source(f"s{number}", filters, key=chance.randrange(2)))
        elif kind == "trigger":
            moves.append(trigger(number, chance.randrange(5), chance.choice("abc")))
        elif kind == "event":
            moves.append(event(number, constant(0, chance.randrange(5)), chance.choice("de")))
        else:
            moves.append(random_query(chance, moves))
    return [*moves, random_query(chance, moves)]


def random_query(chance: random.Random, moves: list[Move]) -> Query:
    sent = [move.report_id for move in moves if isinstance(move, Trigger | Event)]
    delta = chance.choice([Fraction(0), Fraction(1, 4)])
    batch = chance.sample(sent, chance.randint(0, len(sent)))
    return query(*batch, epsilon=3, delta=delta, keys=(0,))


@pytest.mark.parametrize("seed", range(40))
def test_client_and_service_together_are_the_mechanism(seed: int) -> None:
    """They hold the same reports, the same ledger, and answer by the same law."""
    moves = random_moves(seed)
    mechanism, system, state = SummaryMechanism(rules=RULES), System(), SummaryState()
    told = Told(RULES)
    for move in moves:
        told.note(system, move)
        before = system
        system, _ = step(RULES, system, move, NOISELESS)
        if not isinstance(move, Query):
            continue
        action = (tuple(told.records), SummaryQuery(query=move, function=told.function))
        assert answers(mechanism, state, action) == system_answers(before, move)
        state, _ = mechanism.step(state, action, NOISELESS)
        told.records = []
        assert state.reports == system.reports
        assert state.service == system.service
        clients = (*system.attribution.values(), *system.aggregation.values())
        spent = {unit: b for client in clients for unit, b in client.budgets.items()}
        assert {**state.budgets} == {unit: b for unit, b in spent.items() if b != Budget()}


def widely(law: Law[object]) -> Iterable[tuple[object, Fraction]]:
    return cut(law, reach=40)


def answers(
    mechanism: SummaryMechanism,
    state: SummaryState,
    action: tuple[tuple[Record, ...], SummaryQuery],
) -> Distribution[Hashable]:
    return explore(lambda draw: mechanism.step(state, action, draw)[1], widely)


def system_answers(system: System, move: Query) -> Distribution[Hashable]:
    return explore(lambda draw: step(RULES, system, move, draw)[1][0], widely)


def test_the_random_runs_refuse_answer_and_discover() -> None:
    outcomes: set[str] = set()
    for seed in range(40):
        system = System()
        for move in random_moves(seed):
            system, seen_now = step(RULES, system, move, NOISELESS)
            if isinstance(move, Query):
                outcomes.add(f"{type(seen_now[0]).__name__} {bool(move.delta)}")
    assert outcomes == {"Answer False", "Answer True", "Aborted False", "Aborted True"}


TWO_TRIGGERS: list[Move] = [
    source("x", "ab", key=1),
    source("z", "b", key=2),
    trigger(1, 2, "a"),
    trigger(2, 3, "b"),
    query(1, 2, epsilon=3, keys=(1, 2)),
]
TWO_EVENTS: list[Move] = [
    event(1, constant(1, 2), "x"),
    event(2, constant(1, 1), "z"),
    query(1, 2, epsilon=3, keys=(1,)),
]


@pytest.mark.parametrize(
    ("moves", "relation", "unit"),
    [
        (TWO_TRIGGERS, ATTRIBUTION_FIXED, "x"),
        (TWO_TRIGGERS, ATTRIBUTION_FIXED, "z"),
        (TWO_EVENTS, NULL_STORE, DeviceWindow(device="x", window=0)),
    ],
)
def test_without_a_unit_they_are_the_mechanism_without_it(
    moves: list[Move], relation: Relation, unit: Unit
) -> None:
    steps = Told(RULES).steps(moves)
    mechanism = SummaryMechanism(rules=RULES)
    other = Without(mechanism=mechanism, neighbour=without_source, unit=unit)
    asked = [isinstance(move, Query) for move in moves]

    def only_answers(transcript: tuple[tuple[Hashable, ...], ...]) -> tuple[Hashable, ...]:
        return tuple(each[0] for each, was in zip(transcript, asked, strict=True) if was)

    assert seen(SystemMechanism(rules=RULES), moves).map(only_answers) == seen(mechanism, steps)
    assert seen(relation.without(RULES, unit), moves).map(only_answers) == seen(other, steps)
    assert seen(mechanism, steps) != seen(other, steps)


def one(record: Record) -> Contribution:
    return Contribution(key=record.report_id, value=1)


def run(rules: Rules, records: Iterable[Record], question: Query) -> tuple[SummaryState, Hashable]:
    action = (tuple(records), SummaryQuery(query=question, function=one))
    return SummaryMechanism(rules=rules).step(SummaryState(), action, NOISELESS)


def test_contributions_are_bounded_per_unit() -> None:
    records = [Record(unit=unit, report_id=n) for n, unit in enumerate("xxxz")]
    state, answer = run(RULES, records, query(0, 1, 2, 3, keys=(0, 1, 2, 3)))
    assert answer == Answer(released=((0, 1), (1, 1), (2, 0), (3, 1)))
    assert state.budgets == Map({"x": Budget(value=2, count=2), "z": Budget(value=1, count=1)})


def test_a_refused_query_keeps_the_new_records_and_charges_nothing() -> None:
    state, answer = run(RULES, [Record(unit="x", report_id=1)], query(1, epsilon=7))
    assert answer == Aborted()
    assert 1 in state.reports
    assert not state.service.ledger


def test_an_unknown_report_is_refused_as_in_the_system() -> None:
    records = [Record(unit="x", report_id=1)]
    for asked in (query(9, keys=(9,)), query(1, 9)):
        with pytest.raises(UnknownReport, match="9") as by_mechanism:
            run(RULES, records, asked)
        with pytest.raises(UnknownReport, match="9") as by_system:
            play(RULES, [trigger(1), asked])
        assert str(by_mechanism.value) == str(by_system.value)


@pytest.mark.parametrize(("key", "value"), [(2**128, 1), (-1, 1), (1, -1)])
def test_the_mechanism_stores_keys_of_128_bits_and_no_negative_values(key: int, value: int) -> None:
    part = Contribution(key=key, value=value)
    after = add_record(RULES, SummaryState(), Record(unit="x", report_id=1), lambda _: part)
    assert after.reports[1].is_null
    assert after.budgets == Map()


@dataclass(frozen=True, slots=True, kw_only=True)
class Counting(Service):
    """Be a service that counts its queries."""

    asked: int = 0


def test_the_mechanism_begins_with_the_service_of_the_rules() -> None:
    def serve(at: AtService, reports: tuple[Report, ...], draw: Draw) -> tuple[Service, Hashable]:
        assert isinstance(at.service, Counting)
        after = replace(at.service, asked=at.service.asked + 1)
        return after, after.asked

    own = replace(RULES, serve=serve, initial=replace(RULES.initial, service=Counting()))
    action = ((), SummaryQuery(query=query(), function=one))
    assert seen(SummaryMechanism(rules=own), [action] * 2) == Distribution.certain((1, 2))
    told = seen(SystemMechanism(rules=own), [query()] * 2)
    assert told == Distribution.certain(((1,), (2,)))


def test_dummy_records_contribute_nothing() -> None:
    records = (Record(unit="x", report_id=1), Record(unit="z", report_id=2))
    for neighbour in (without_source, without_storage):
        database = neighbour(records, "x")
        assert [record.is_dummy for record in database] == [True, False]
        state, _ = run(RULES, database, query())
        assert state.reports[1].is_null
        assert not state.reports[2].is_null


def test_both_neighbours_leave_the_same_mechanism() -> None:
    records = (Record(unit="x", report_id=1), Record(unit="z", report_id=2))
    states = [
        run(RULES, each(records, "x"), query(1)) for each in (without_source, without_storage)
    ]
    assert states[0] == states[1]


def test_the_mechanism_bounds_with_the_rules_of_the_clients() -> None:
    def nobody(
        at: AtContribution, credits: tuple[Credit, ...]
    ) -> tuple[Budgets, tuple[Credit, ...]]:
        return at.client.budgets, ()

    strict = replace(RULES, contribute=nobody)
    state = add_record(strict, SummaryState(), Record(unit="x", report_id=1), one)
    assert state.reports[1].is_null
