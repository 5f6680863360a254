"""The system: what leaves a device, what it costs, what arrives when, and states of own types."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
from immutables import Map

from sandproof.sampling import Sampler, SeededEntropy
from spec import (
    PAPER,
    AggregationClient,
    Answer,
    AtService,
    AttributionClient,
    Budget,
    Contribution,
    Credit,
    DeviceWindow,
    Distribution,
    Draw,
    DuplicateReport,
    EventClient,
    EventReport,
    EventSource,
    EventTrigger,
    Move,
    Observation,
    PassTime,
    Program,
    Random,
    Report,
    Rules,
    Sent,
    Service,
    Source,
    SourceRecord,
    SpecError,
    Storage,
    System,
    SystemMechanism,
    TimeRunsBackwards,
    TriggerSpecification,
    Unit,
    UnknownReport,
    coin,
    replace,
    step,
)
from spec.contributions import send
from spec.numbers import NotWhole
from spec.reports import BadKey, BadReportId, BadValue
from spec.system import Decision, ForeignClient, admit, decide
from tests.small import CERTAIN, event, play, query, seen, small_rules, source, sums, trigger

if TYPE_CHECKING:
    from spec.rules import AtContribution, AtEvent, AtEventTrigger, AtSource, AtTrigger


def adds(value: int, key: int = 1) -> Program:
    return lambda storage: (storage, key, value)


BOTH: list[Move] = [source("x", key=1), trigger(1, 2), event(2, adds(2))]


# What leaves: one report, several, none, by chance, later.


def send_in_two(at: AtContribution, granted: tuple[Credit, ...]) -> tuple[Sent, ...]:
    """Split a report in two, the second one null."""
    (sent,) = send(at, granted)
    other = Report(report_id=sent.report.report_id + 100)
    return sent, Sent(report=other, shown=other.report_id, arrival=at.now)


def test_several_reports_may_be_sent_and_asked_for() -> None:
    rules = replace(PAPER, send=send_in_two)
    moves: list[Move] = [*BOTH, query(1, 2, 101, 102, keys=(1,))]
    system, told = play(rules, moves)
    assert told[1:3] == [(1, 101), (2, 102)]
    assert sums(told[3]) == {1: 4}
    assert set(system.service.ledger) == {1, 2, 101, 102}


def test_no_report_may_be_sent_and_then_there_is_none_to_ask_for() -> None:
    rules = replace(PAPER, send=lambda at, granted: ())
    system, told = play(rules, BOTH)
    assert told == [(), (), ()]
    assert not system.reports
    assert system.attribution["device"].budgets["x"] == Budget(value=2, count=1)
    with pytest.raises(UnknownReport, match="1"):
        step(rules, system, query(1), CERTAIN)


def test_an_identifier_is_used_up_even_if_no_report_is_sent() -> None:
    rules = replace(PAPER, send=lambda at, granted: ())
    system, _ = play(rules, BOTH)
    with pytest.raises(DuplicateReport, match="1"):
        step(rules, system, trigger(1), CERTAIN)


def test_what_is_sent_may_be_drawn() -> None:
    def sometimes(at: AtContribution, granted: tuple[Credit, ...]) -> Random[tuple[Sent, ...]]:
        sent = send(at, granted)
        return coin(Fraction(1, 3)).map(lambda heads: sent if heads else ())

    law = seen(SystemMechanism(rules=replace(PAPER, send=sometimes)), [trigger(1), trigger(2)])
    third = Fraction(1, 3)
    assert law == Distribution.of(
        {
            ((1,), (2,)): third * third,
            ((1,), ()): third * 2 * third,
            ((), (2,)): third * 2 * third,
            ((), ()): 4 * third * third,
        }
    )


@pytest.mark.parametrize("twin", [1, 101])
def test_two_reports_have_two_identifiers(twin: int) -> None:
    def twice(at: AtContribution, granted: tuple[Credit, ...]) -> tuple[Sent, ...]:
        (sent,) = send(at, granted)
        renamed = replace(sent, report=replace(sent.report, report_id=twin))
        return (sent, renamed) if twin == 1 else (renamed, renamed)

    with pytest.raises(DuplicateReport, match=str(twin)):
        play(replace(PAPER, send=twice), [trigger(1)])


def test_a_report_that_arrives_later_is_seen_and_asked_for_then() -> None:
    def later(at: AtContribution, granted: tuple[Credit, ...]) -> tuple[Sent, ...]:
        assert at.cause is not None
        wait = 10 - at.cause.report_id
        return tuple(replace(each, arrival=at.now + wait) for each in send(at, granted))

    rules = replace(PAPER, send=later)
    system, told = play(rules, [*BOTH, PassTime(until=7)])
    assert told == [(), (), (), ()]
    with pytest.raises(UnknownReport, match="2"):
        step(rules, system, query(2), CERTAIN)
    system, told = play(rules, [PassTime(until=9)], system=system)
    assert told == [(2, 1)], "in the order of their times"
    _, told = play(rules, [query(1, 2, keys=(1,))], system=system)
    assert sums(told[0]) == {1: 4}


def test_a_report_that_arrives_exactly_now_arrives_at_once() -> None:
    def in_time(at: AtContribution, granted: tuple[Credit, ...]) -> tuple[Sent, ...]:
        return tuple(replace(each, arrival=5) for each in send(at, granted))

    rules = replace(PAPER, send=in_time)
    assert play(rules, [trigger(1), PassTime(until=5)])[1] == [(), (1,)]
    assert play(rules, [PassTime(until=5), trigger(1)])[1] == [(), (1,)]


@pytest.mark.parametrize(
    ("report", "arrival", "error"),
    [
        (Report(report_id=2**128), 0, BadReportId),
        (Report(report_id=-1), 0, BadReportId),
        (Report(report_id=1, contributions=(Contribution(key=2**128, value=1),)), 0, BadKey),
        (Report(report_id=1, contributions=(Contribution(key=1, value=-1),)), 0, BadValue),
        (Report(report_id=1), -1, TimeRunsBackwards),
        (Report(report_id=1), Fraction(1, 2), NotWhole),
    ],
)
def test_what_a_changed_rule_sends_must_be_a_report(
    report: Report, arrival: int, error: type[SpecError]
) -> None:
    def sends(at: AtContribution, granted: tuple[Credit, ...]) -> tuple[Sent, ...]:
        return (Sent(report=report, shown=1, arrival=arrival),)

    with pytest.raises(error):
        play(replace(PAPER, send=sends), [trigger(1)])


def test_sending_sees_the_budgets_after_admission() -> None:
    def show_count(at: AtContribution, granted: tuple[Credit, ...]) -> tuple[Sent, ...]:
        count = sum(budget.count for budget in at.client.budgets.values())
        return tuple(replace(each, shown=count) for each in send(at, granted))

    _, told = play(replace(PAPER, send=show_count), [*BOTH, trigger(3)])
    assert told == [(), (1,), (1,), (2,)]


# Admission: a refusal may change a budget.


def fine_for_asking(
    at: AtContribution, unit: Unit, spent: Budget, contribution: Contribution
) -> tuple[Budget, bool]:
    """Refuse what does not fit, and count that it was asked for."""
    after, fits = PAPER.admit(at, unit, spent, contribution)
    return (after, True) if fits else (replace(after, count=after.count + 1), False)


def test_a_refusal_may_change_a_budget() -> None:
    rules = replace(small_rules(contribution_budget=2, sparsity_budget=2), admit=fine_for_asking)
    unit = DeviceWindow(device="d", window=0)
    system, _ = play(rules, [event(1, adds(3)), event(2, adds(1)), event(3, adds(1))])
    assert [system.reports[n].is_null for n in (1, 2, 3)] == [True, False, True]
    assert system.aggregation["d"].budgets[unit] == Budget(value=1, count=3)


def test_what_trying_a_source_would_cost_is_not_kept() -> None:
    """To decide asks what would be granted; only admission changes a budget."""
    rules = replace(small_rules(contribution_budget=2), admit=fine_for_asking)
    system, _ = play(rules, [source("old"), source("new"), trigger(1, 3)])
    assert set(system.attribution["device"].budgets.values()) == {Budget()}


def test_a_credit_is_admitted_part_by_part() -> None:
    parts = tuple(Contribution(key=key, value=1) for key in (1, 2, 3))
    rules = replace(small_rules(contribution_budget=2), contributions=lambda at, each: parts)
    system, _ = play(rules, [source("x"), trigger(1)])
    assert system.reports[1].contributions == parts[:2]
    assert system.attribution["device"].budgets["x"] == Budget(value=2, count=2)


# Every rule sees the rules, the time, its client and its cause.


def test_rules_on_a_device_see_the_time_the_client_and_the_cause() -> None:
    told: list[tuple[str, int, object, bool]] = []

    def note(name: str, at: AtContribution | AtSource | AtTrigger | AtEvent) -> None:
        told.append((name, at.now, at.cause, at.rules is rules and at.limits is rules.limits))

    def register_source(at: AtSource, given: Source) -> AttributionClient:
        note("register_source", at)
        return PAPER.register_source(at, given)

    def contributions(at: AtTrigger, each: Source) -> tuple[Contribution, ...]:
        note("contributions", at)
        return PAPER.contributions(at, each)

    def run_program(at: AtEvent) -> tuple[Storage, tuple[Contribution, ...]]:
        note("run_program", at)
        return PAPER.run_program(at)

    def noted_send(at: AtContribution, granted: tuple[Credit, ...]) -> tuple[Sent, ...]:
        note("send", at)
        return send(at, granted)

    rules = replace(
        PAPER,
        register_source=register_source,
        contributions=contributions,
        run_program=run_program,
        send=noted_send,
    )
    first, second, third = BOTH
    play(rules, [PassTime(until=3), first, second, third])
    assert told == [
        ("register_source", 3, first, True),
        ("contributions", 3, second, True),
        ("send", 3, second, True),
        ("run_program", 3, third, True),
        ("send", 3, third, True),
    ]


def test_the_service_sees_the_time() -> None:
    rules = replace(PAPER, reveal=lambda at, batch, outcome: at.now)
    assert play(rules, [PassTime(until=3), query()])[1][-1] == (3,)


# States of own types.


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked(AttributionClient):
    """Count the triggers."""

    triggers: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Busy(AggregationClient):
    """Count the programs."""

    programs: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Watchful(EventClient):
    """Count the event-level triggers."""

    triggers: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembering(Service):
    """Count the queries."""

    queries: int = 0


def count_triggers(at: AtTrigger, draw: Draw) -> tuple[AttributionClient, tuple[Credit, ...]]:
    assert isinstance(at.client, Ranked)
    client, credits = PAPER.attribute(at, draw)
    return replace(client, triggers=at.client.triggers + 1), credits  # type: ignore[call-arg]


def count_programs(at: AtEvent, draw: Draw) -> tuple[AggregationClient, tuple[Credit, ...]]:
    assert isinstance(at.client, Busy)
    client, credits = PAPER.propose(at, draw)
    return replace(client, programs=at.client.programs + 1), credits  # type: ignore[call-arg]


def count_event_triggers(at: AtEventTrigger, credited: tuple[Unit, ...]) -> EventClient:
    assert isinstance(at.client, Watchful)
    client = PAPER.register_event_trigger(at, credited)
    return replace(client, triggers=at.client.triggers + 1)  # type: ignore[call-arg]


def count_queries(
    at: AtService, reports: tuple[Report, ...], draw: Draw
) -> tuple[Service, Hashable]:
    assert isinstance(at.service, Remembering)
    service, shown = PAPER.serve(at, reports, draw)
    return replace(service, queries=at.service.queries + 1), shown  # type: ignore[call-arg]


OWN = replace(
    PAPER,
    initial=replace(
        PAPER.initial,
        attribution=Ranked(),
        aggregation=Busy(),
        events=Watchful(),
        service=Remembering(),
    ),
    attribute=count_triggers,
    propose=count_programs,
    register_event_trigger=count_event_triggers,
    serve=count_queries,
)
SHOES = EventSource(
    source_id="e",
    destination="shop",
    expiry=100,
    filters=frozenset("a"),
    maximum_reports=1,
    specifications=(TriggerSpecification(data=0, windows=(5,), buckets=(1,)),),
)
BOUGHT = EventTrigger(trigger_id="t", destination="shop", filters=frozenset("a"), data=0, value=1)


def test_clients_and_service_may_keep_more_than_the_papers() -> None:
    always = replace(OWN, truth_probability=lambda power, size: Fraction(1))
    moves: list[Move] = [*BOTH, trigger(3), event(4, adds(1)), SHOES, BOUGHT]
    moves += [PassTime(until=5), BOUGHT, query(1, 3, keys=(1,)), query()]
    system = SystemMechanism(rules=always).initial
    system, told = play(always, moves, Sampler(SeededEntropy(0)), system)
    assert system.attribution["device"] == Ranked(
        sources=system.attribution["device"].sources,
        budgets=system.attribution["device"].budgets,
        triggers=2,
    )
    assert isinstance(system.aggregation["d"], Busy)
    assert system.aggregation["d"].programs == 2
    assert isinstance(system.events["device"], Watchful)
    assert system.events["device"].triggers == 2
    assert isinstance(system.service, Remembering)
    assert system.service.queries == 2
    assert isinstance(told[-1][0], Answer)
    assert len(told[7]) == 1, "the window sends its report"


def test_a_device_begins_with_the_state_of_the_rules_when_it_first_does_something() -> None:
    system, _ = play(OWN, [replace(source("y"), device="tablet")])
    assert set(system.attribution) == {"tablet"}
    assert isinstance(system.attribution["tablet"], Ranked)


def test_a_rule_that_decides_returns_a_client_of_its_kind() -> None:
    other: Any = AggregationClient()
    with pytest.raises(ForeignClient, match="AttributionClient"):
        play(replace(PAPER, attribute=lambda at, draw: (other, ())), [trigger(1)])
    nobody: Any = None
    with pytest.raises(ForeignClient, match="AggregationClient"):
        play(replace(PAPER, propose=lambda at, draw: (nobody, ())), [event(1, adds(1))])


def test_a_decision_of_another_client_is_not_admitted() -> None:
    other = Decision(client=AggregationClient())
    with pytest.raises(ForeignClient, match="AttributionClient"):
        admit(PAPER, System(), trigger(1), other, CERTAIN)


def test_windows_pass_on_every_device_on_which_something_happened() -> None:
    begun = SourceRecord(source=SHOES, registered_at=0, values=Map({0: 1}))
    rules = replace(PAPER, initial=replace(PAPER.initial, events=EventClient(records=(begun,))))
    _, told = play(rules, [source("y"), PassTime(until=5)])
    assert told[1] == (EventReport(source_id="e", data=0, bucket=1),)
    _, told = play(rules, [event(1, adds(1)), PassTime(until=5)])
    assert len(told[1]) == 1


# A step is to decide, to admit, to send.


def observe(rules: Rules, system: System, move: Move) -> Observation:
    return step(rules, system, move, CERTAIN)[1]


def test_to_decide_changes_nothing() -> None:
    system, _ = play(PAPER, BOTH)
    first = decide(PAPER, system, trigger(7), CERTAIN)
    again = decide(PAPER, system, trigger(7), CERTAIN)
    assert first == again
    assert first.credits[0].unit == "x"
    assert observe(PAPER, system, trigger(7)) == (7,)


def test_queries_and_passing_time_credit_nobody() -> None:
    system, _ = play(PAPER, BOTH)
    for move in (query(1), PassTime(until=9), source("z"), SHOES):
        decision = decide(PAPER, system, move, CERTAIN)
        assert (decision.client, decision.credits, decision.credited) == (None, (), ())
