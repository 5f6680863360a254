from __future__ import annotations

from fractions import Fraction

import pytest
from spec.chronology import Chronology

from spec import (
    ATTRIBUTION_FIXED,
    EMPTY_STORAGE,
    EMPTY_STORE,
    MOVED_TO_DUMMY,
    NEVER_MATCHES,
    NEVER_REGISTERED,
    NULL_STORE,
    NULLED_AFTER_ADMISSION,
    PAPER,
    RELATIONS,
    AggregationClient,
    AttributionClient,
    Base,
    Budget,
    Contribution,
    Credit,
    DeviceWindow,
    Draw,
    Event,
    EventClient,
    EventSource,
    EventTrigger,
    Move,
    PassTime,
    Relation,
    Report,
    Rules,
    Storage,
    System,
    SystemMechanism,
    Trigger,
    TriggerSpecification,
    Unit,
    indistinguishable,
    replace,
)
from spec.attribution_client import Candidates
from spec.neighbours import RelationUndefined, Worlds
from tests.small import CERTAIN, NOISELESS, event, play, query, seen, small_rules, source, trigger

TOP = PAPER.limits.contribution_budget
DROPPING = replace(PAPER, attempt_order=lambda candidates, _: tuple(candidates)[:1])
"""Drop a trigger whose newest source has no budget left, as the text and the shipped API do."""


def without(rules: Rules, relation: Relation, unit: Unit, moves: list[Move]) -> System:
    """Return the world without the unit after the moves."""
    other = relation.without(rules, unit)
    worlds: Worlds = other.initial
    for move in moves:
        worlds, _ = other.step(worlds, move, NOISELESS)
    return worlds.own


def distance(one: System, other: System) -> int:
    """Return by how much the sums per report and key differ, in the L1 norm."""
    assert set(one.reports) == set(other.reports)

    def values(system: System, report_id: int) -> dict[int, int]:
        return {part.key: part.value for part in system.reports[report_id].contributions}

    total = 0
    for report_id in one.reports:
        here, there = values(one, report_id), values(other, report_id)
        total += sum(abs(here.get(key, 0) - there.get(key, 0)) for key in {*here, *there})
    return total


def change(rules: Rules, relation: Relation, moves: list[Move], unit: Unit = "x") -> int:
    return distance(play(rules, moves)[0], without(rules, relation, unit, moves))


def chain(count: int) -> list[Move]:
    """Let each trigger take the place of the next one, once x no longer takes the first."""
    older: list[Move] = [source(f"z{n}", f"{n}{n - 1}", key=2**n) for n in range(count, 0, -1)]
    newest = source("x", "0", key=1)
    return [*older, newest, *(trigger(n, TOP, str(n)) for n in range(count + 1))]


def over_budget(count: int) -> list[Move]:
    """Let x take the first of several triggers and drop the rest, then fill the older sources."""
    filters = [str(n) for n in range(1, count + 1)]
    older: list[Move] = [source(f"z{n}", n, key=2 ** int(n)) for n in filters]
    newest = source("x", "".join(filters), key=1, expiry=10)
    shared = [trigger(int(n), TOP, n) for n in filters]
    own = [trigger(10 + int(n), TOP, n) for n in filters]
    return [*older, newest, *shared, PassTime(until=10), *own]


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_without_registration_triggers_are_routed_again_to_older_sources(count: int) -> None:
    bound = (2 * count + 1) * TOP
    assert change(PAPER, NEVER_REGISTERED, chain(count)) == bound
    assert change(DROPPING, NEVER_REGISTERED, over_budget(count)) == bound


@pytest.mark.parametrize("count", [1, 2, 3, 4])
@pytest.mark.parametrize("relation", [ATTRIBUTION_FIXED, NULLED_AFTER_ADMISSION])
def test_with_attribution_fixed_only_the_reports_of_x_change(
    relation: Relation, count: int
) -> None:
    assert change(PAPER, relation, chain(count)) == TOP
    assert change(DROPPING, relation, over_budget(count)) == TOP


def test_a_source_that_never_matches_is_like_one_that_was_not_registered() -> None:
    for moves in (chain(2), over_budget(2)):
        assert change(PAPER, NEVER_MATCHES, moves) == change(PAPER, NEVER_REGISTERED, moves)
    left = without(PAPER, NEVER_MATCHES, "x", chain(1))
    assert "x" in left.attribution.sources
    assert "x" not in without(PAPER, NEVER_REGISTERED, "x", chain(1)).attribution.sources


def test_attribution_follows_the_run_with_x_and_ledgers_the_run_without() -> None:
    moves: list[Move] = [source("z", "a", key=2), source("x", "a", key=1)]
    moves += [trigger(1, TOP), trigger(2, TOP), query(1, 2, epsilon=3)]
    left = without(PAPER, ATTRIBUTION_FIXED, "x", moves)
    assert left.reports[1].is_null
    assert left.reports[2].contributions == (Contribution(key=2, value=TOP),)
    assert left.service == play(PAPER, moves)[0].service


def first_view(storage: Storage) -> tuple[Storage, int, int]:
    return storage.set("seen", True), 2 if "seen" in storage else 1, TOP


VIEWS: list[Move] = [
    event(1, first_view),
    PassTime(until=600),
    event(2, first_view),
    PassTime(until=1200),
    event(3, first_view),
]
MIDDLE = DeviceWindow(device="d", window=1)


def test_a_null_store_removes_one_window_and_nothing_else() -> None:
    left = without(PAPER, NULL_STORE, MIDDLE, VIEWS)
    assert [left.reports[n].is_null for n in (1, 2, 3)] == [False, True, False]
    assert change(PAPER, NULL_STORE, VIEWS, MIDDLE) == TOP


def test_an_empty_store_that_runs_again_changes_twice_as_much() -> None:
    assert change(PAPER, EMPTY_STORE, VIEWS, MIDDLE) == 2 * TOP
    left = without(PAPER, EMPTY_STORE, MIDDLE, VIEWS)
    assert left.reports[2].contributions == (Contribution(key=1, value=TOP),)


def test_a_dummy_that_contributes_changes_twice_as_much() -> None:
    moves: list[Move] = [source("x", "a", key=1), trigger(1, TOP)]
    assert change(PAPER, MOVED_TO_DUMMY, moves) == 2 * TOP


@pytest.mark.parametrize("relation", RELATIONS, ids=lambda relation: relation.name)
def test_removing_a_unit_that_does_nothing_changes_nothing(relation: Relation) -> None:
    views: list[Move] = [event(n, first_view) for n in (50, 51)]
    moves = [*chain(2), PassTime(until=600), *views]
    assert without(PAPER, relation, "nobody", moves) == play(PAPER, moves)[0]


def test_before_and_after_admission_agree_for_the_paper_and_not_for_shared_budgets() -> None:
    day = replace(PAPER, budget_unit=lambda limits, each, now: each.device)
    assert change(PAPER, NULLED_AFTER_ADMISSION, VIEWS, MIDDLE) == TOP
    assert change(PAPER, NULL_STORE, VIEWS, MIDDLE) == TOP
    first = DeviceWindow(device="d", window=0)
    assert change(day, NULL_STORE, VIEWS, first) == 2 * TOP
    assert change(day, NULLED_AFTER_ADMISSION, VIEWS, first) == TOP


def credit_newest(
    rules: Rules, client: AttributionClient, given: Trigger, now: int, draw: Draw
) -> tuple[AttributionClient, tuple[Credit, ...], Report]:
    """Decide credits without asking anybody: the newest source, once."""
    for candidate in Candidates(rules=rules, client=client, trigger=given, now=now):
        spent = client.budgets[candidate.source_id]
        if spent.count == 0:
            part = Contribution(key=candidate.key, value=given.value)
            credit = Credit(unit=candidate.source_id, contributions=(part,))
            after = client.budgets.set(candidate.source_id, Budget(value=part.value, count=1))
            report = Report(report_id=given.report_id, contributions=(part,))
            return replace(client, budgets=after), (credit,), report
    return client, (), Report(report_id=given.report_id)


def test_a_step_that_does_not_ask_who_is_credited_is_run_as_a_whole() -> None:
    rules = replace(PAPER, register_trigger=credit_newest)
    moves: list[Move] = [source("z", key=2), source("x", key=1), *(trigger(n) for n in (1, 2, 3))]
    real, own = play(rules, moves)[0], without(rules, ATTRIBUTION_FIXED, "x", moves)
    assert [real.reports[n].is_null for n in (1, 2, 3)] == [False, False, True]
    assert [own.reports[n].is_null for n in (1, 2, 3)] == [True, False, True]
    assert own.reports[2] == real.reports[2]
    assert own.attribution.budgets["x"] == Budget()
    assert own.attribution.budgets["z"] == real.attribution.budgets["z"]


def test_a_step_that_edits_the_client_before_it_asks_is_asked_itself_who_is_credited() -> None:
    def keep_newest_source(
        rules: Rules, client: AttributionClient, given: Trigger, now: int, draw: Draw
    ) -> tuple[AttributionClient, tuple[Credit, ...], Report]:
        newest = next(client.order.newest_first("shop"))
        alone = replace(client, order=Chronology().with_newest("shop", newest))
        return PAPER.register_trigger(rules, alone, given, now, draw)

    rules = replace(PAPER, register_trigger=keep_newest_source)
    other = source("z", filters="z")
    moves: list[Move] = [source("x"), other, trigger(1)]
    real = play(rules, moves)[0]
    assert real.reports[1].is_null
    assert without(rules, ATTRIBUTION_FIXED, "z", moves) == real


def test_a_step_for_events_that_edits_the_store_before_it_asks_is_asked_itself() -> None:
    def empty_store_first(
        rules: Rules, client: AggregationClient, given: Event, now: int, draw: Draw
    ) -> tuple[AggregationClient, tuple[Credit, ...], Report]:
        emptied = replace(client, storage=client.storage.set(given.device, EMPTY_STORAGE))
        return PAPER.register_event(rules, emptied, given, now, draw)

    def once(storage: Storage) -> tuple[Storage, int, int]:
        return storage.set("seen", True), 1, 0 if "seen" in storage else 1

    rules = replace(PAPER, register_event=empty_store_first)
    moves: list[Move] = [event(50, once), event(51, once)]
    real = play(rules, moves)[0]
    assert [real.reports[n].is_null for n in (50, 51)] == [False, False]
    assert without(rules, NULL_STORE, DeviceWindow(device="d", window=9), moves) == real


def test_a_step_that_asks_who_is_credited_and_does_not_listen_is_run_as_a_whole() -> None:
    def ask_in_vain(
        rules: Rules, client: AttributionClient, given: Trigger, now: int, draw: Draw
    ) -> tuple[AttributionClient, tuple[Credit, ...], Report]:
        rules.attribute(rules, client, given, now, draw)
        return credit_newest(rules, client, given, now, draw)

    moves: list[Move] = [source("x"), trigger(1)]
    own = without(replace(PAPER, register_trigger=ask_in_vain), ATTRIBUTION_FIXED, "x", moves)
    assert own.reports[1].is_null


def test_a_step_for_events_that_does_not_ask_is_run_as_a_whole() -> None:
    def register_event(
        rules: Rules, client: AggregationClient, given: Event, now: int, draw: Draw
    ) -> tuple[AggregationClient, tuple[Credit, ...], Report]:
        _, key, value = given.program(EMPTY_STORAGE)
        parts = (Contribution(key=key, value=value),) if value else ()
        credit = Credit(unit=given.device, contributions=parts)
        return client, (credit,), Report(report_id=given.report_id, contributions=parts)

    def view(storage: Storage) -> tuple[Storage, int, int]:
        return storage, 1, 1

    rules = replace(PAPER, register_event=register_event)
    unit = DeviceWindow(device="d", window=0)
    moves: list[Move] = [event(1, view), PassTime(until=PAPER.limits.window_length), event(2, view)]
    own = without(rules, NULL_STORE, unit, moves)
    assert own.reports[1].is_null
    assert own.reports[2] == play(rules, moves)[0].reports[2]


def test_a_step_that_hides_whom_it_credits_has_no_fixed_attribution() -> None:
    def credit_nobody(
        rules: Rules, client: AttributionClient, given: Trigger, now: int, draw: Draw
    ) -> tuple[AttributionClient, tuple[Credit, ...], Report]:
        client, _, report = credit_newest(rules, client, given, now, draw)
        return client, (), report

    def credit_two(
        rules: Rules, client: AttributionClient, given: Trigger, now: int, draw: Draw
    ) -> tuple[AttributionClient, tuple[Credit, ...], Report]:
        client, credits, report = credit_newest(rules, client, given, now, draw)
        return client, (*credits, Credit(unit="y", contributions=())), report

    for hiding in (credit_nobody, credit_two):
        rules = replace(PAPER, register_trigger=hiding)
        with pytest.raises(RelationUndefined, match="Trigger"):
            without(rules, ATTRIBUTION_FIXED, "x", [source("y"), source("x"), trigger(1)])


@pytest.mark.parametrize("relation", [NULLED_AFTER_ADMISSION, MOVED_TO_DUMMY])
def test_a_step_that_asks_nobody_has_no_other_relation(relation: Relation) -> None:
    rules = replace(PAPER, register_trigger=credit_newest)
    with pytest.raises(RelationUndefined, match="Trigger"):
        without(rules, relation, "x", [source("x"), trigger(1)])


SHOES = EventSource(
    source_id="x",
    destination="shop",
    expiry=100,
    filters=frozenset("a"),
    maximum_reports=1,
    specifications=(TriggerSpecification(data=0, windows=(10,), buckets=(1,)),),
)
BOUGHT = EventTrigger(trigger_id="t", destination="shop", filters=frozenset("a"), data=0, value=1)


def test_event_level_reports_of_a_source_are_private_under_fixed_attribution() -> None:
    rules = small_rules()
    power = Base(Fraction(2)).value
    assert power is not None
    moves: list[Move] = [SHOES, BOUGHT, PassTime(until=10)]
    with_x = seen(SystemMechanism(rules=rules), moves)
    for relation in (ATTRIBUTION_FIXED, NEVER_MATCHES, NULLED_AFTER_ADMISSION):
        without_x = seen(relation.without(rules, "x"), moves)
        assert indistinguishable(with_x, without_x, power, Fraction(0))
        assert not indistinguishable(with_x, without_x, Fraction(3, 2), Fraction(0))


def test_attribution_that_depends_on_the_drawn_response_cannot_be_fixed() -> None:
    def truthful_only(
        rules: Rules, client: EventClient, given: EventTrigger, now: int
    ) -> tuple[Unit, ...]:
        credited = PAPER.event_attribute(rules, client, given, now)
        return tuple(each for each in credited if client.records[str(each)].response is None)

    rules = replace(small_rules(), event_attribute=truthful_only)
    moves: list[Move] = [SHOES, BOUGHT]
    with pytest.raises(RelationUndefined, match="event-level response"):
        seen(ATTRIBUTION_FIXED.without(rules, "x"), moves)


def test_every_relation_has_a_name_and_a_meaning() -> None:
    names = [relation.name for relation in RELATIONS]
    assert len(set(names)) == len(names) == 7
    assert all(relation.meaning for relation in RELATIONS)


def test_a_relation_draws_nothing_where_the_system_draws_nothing() -> None:
    other = ATTRIBUTION_FIXED.without(PAPER, "x")
    worlds, observed = other.step(other.initial, source("x"), CERTAIN)
    assert observed == ()
    assert worlds.own.attribution == worlds.real[0].attribution
