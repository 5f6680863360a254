from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest

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
    Contribution,
    Credit,
    DeviceWindow,
    Distribution,
    Draw,
    EventClient,
    EventReport,
    EventSource,
    EventTrigger,
    Move,
    Observation,
    PassTime,
    Relation,
    Rules,
    Sent,
    Source,
    Storage,
    System,
    SystemMechanism,
    TriggerSpecification,
    Unit,
    coin,
    explore,
    indistinguishable,
    replace,
)
from spec.attribution_client import DEVICE
from spec.neighbours import RelationUndefined, Worlds
from spec.neighbours.relation import SharedDraws
from tests.small import CERTAIN, NOISELESS, event, play, query, seen, small_rules, source, trigger

if TYPE_CHECKING:
    from spec.rules import AtContribution, AtEvent, AtEventTrigger, AtTrigger, AtWindows

TOP = PAPER.limits.contribution_budget
DROPPING = replace(PAPER, attempt_order=lambda at, matching: matching[:1])
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
    left = without(PAPER, NEVER_MATCHES, "x", chain(1)).attribution["device"]
    assert [each.source_id for each in left.sources] == ["x", "z1"]
    left = without(PAPER, NEVER_REGISTERED, "x", chain(1)).attribution["device"]
    assert [each.source_id for each in left.sources] == ["z1"]


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
def test_every_relation_removes_what_a_unit_gives(relation: Relation) -> None:
    assert change(PAPER, relation, [source("x", "a", key=1), trigger(1, TOP)]) >= TOP
    if relation not in (NEVER_MATCHES, NEVER_REGISTERED, MOVED_TO_DUMMY):
        assert change(PAPER, relation, VIEWS, MIDDLE) >= TOP


@pytest.mark.parametrize("relation", RELATIONS, ids=lambda relation: relation.name)
def test_removing_a_unit_that_does_nothing_changes_nothing(relation: Relation) -> None:
    views: list[Move] = [event(n, first_view) for n in (50, 51)]
    moves = [*chain(2), PassTime(until=600), *views]
    assert without(PAPER, relation, "nobody", moves) == play(PAPER, moves)[0]


def test_before_and_after_admission_agree_for_the_paper_and_not_for_shared_budgets() -> None:
    day = replace(PAPER, budget_unit=lambda at: at.cause.device)
    assert change(PAPER, NULLED_AFTER_ADMISSION, VIEWS, MIDDLE) == TOP
    assert change(PAPER, NULL_STORE, VIEWS, MIDDLE) == TOP
    first = DeviceWindow(device="d", window=0)
    assert change(day, NULL_STORE, VIEWS, first) == 2 * TOP
    assert change(day, NULLED_AFTER_ADMISSION, VIEWS, first) == TOP


def test_a_credit_to_nobody_who_is_registered_has_no_fixed_attribution() -> None:
    def credit_a_stranger(
        at: AtTrigger, draw: Draw
    ) -> tuple[AttributionClient, tuple[Credit, ...]]:
        client, credits = PAPER.attribute(at, draw)
        return client, tuple(replace(each, unit="stranger") for each in credits)

    rules = replace(PAPER, attribute=credit_a_stranger)
    for relation in (ATTRIBUTION_FIXED, NULLED_AFTER_ADMISSION, MOVED_TO_DUMMY):
        with pytest.raises(RelationUndefined, match="'stranger'"):
            without(rules, relation, "x", [source("x"), trigger(1)])


def test_what_a_client_keeps_of_deciding_is_that_of_the_run_on_the_database() -> None:
    def forget_older_sources(
        at: AtTrigger, draw: Draw
    ) -> tuple[AttributionClient, tuple[Credit, ...]]:
        client = replace(at.client, sources=at.client.sources[:1])
        return PAPER.attribute(replace(at, client=client), draw)

    rules = replace(PAPER, attribute=forget_older_sources)
    moves: list[Move] = [source("x"), source("z", filters="z"), trigger(1)]
    real = play(rules, moves)[0]
    assert real.reports[1].is_null
    assert [x.source_id for x in real.attribution[DEVICE].sources] == ["z"]
    assert without(rules, ATTRIBUTION_FIXED, "z", moves) == real


def test_programs_of_others_run_as_the_client_runs_them() -> None:
    def empty_store_first(at: AtEvent, draw: Draw) -> tuple[AggregationClient, tuple[Credit, ...]]:
        emptied = replace(at.client, storage=EMPTY_STORAGE)
        return PAPER.propose(replace(at, client=emptied), draw)

    def once(storage: Storage) -> tuple[Storage, int, int]:
        return storage.set("seen", True), 1, 0 if "seen" in storage else 1

    rules = replace(PAPER, propose=empty_store_first)
    moves: list[Move] = [event(50, once), event(51, once)]
    real = play(rules, moves)[0]
    assert [real.reports[n].is_null for n in (50, 51)] == [False, False]
    assert without(rules, NULL_STORE, DeviceWindow(device="d", window=9), moves) == real


def test_a_credit_of_an_event_is_the_devices_whatever_unit_it_names() -> None:
    def credit_the_device(at: AtEvent, draw: Draw) -> tuple[AggregationClient, tuple[Credit, ...]]:
        client, credits = PAPER.propose(at, draw)
        return client, tuple(replace(each, unit=at.cause.device) for each in credits)

    def view(storage: Storage) -> tuple[Storage, int, int]:
        return storage, 1, 1

    rules = replace(PAPER, propose=credit_the_device)
    unit = DeviceWindow(device="d", window=0)
    moves: list[Move] = [event(1, view), PassTime(until=PAPER.limits.window_length), event(2, view)]
    own = without(rules, NULL_STORE, unit, moves)
    assert own.reports[1].is_null
    assert own.reports[2] == play(rules, moves)[0].reports[2]


def test_a_credit_may_name_several_units_and_loses_one() -> None:
    def credit_everybody(at: AtTrigger, draw: Draw) -> tuple[AttributionClient, tuple[Credit, ...]]:
        matching = [each for each in at.client.sources if at.rules.matches(at, each)]
        credits = tuple(
            Credit(unit=each.source_id, contributions=at.rules.contributions(at, each))
            for each in matching
        )
        return at.client, credits

    rules = replace(PAPER, attribute=credit_everybody)
    moves: list[Move] = [source("z", key=2), source("x", key=1), trigger(1)]
    for relation in (ATTRIBUTION_FIXED, NULLED_AFTER_ADMISSION):
        left = without(rules, relation, "x", moves)
        assert left.reports[1].contributions == (Contribution(key=2, value=1),)


# Random attribution: what is drawn on D decides in both worlds.


def either(at: AtTrigger, matching: tuple[Source, ...]) -> Distribution[Sequence[Source]]:
    """Try the newest source first, or the oldest."""
    return Distribution.uniform(dict.fromkeys((matching, matching[::-1])))


def show_everything(at: AtContribution, granted: tuple[Credit, ...]) -> tuple[Sent, ...]:
    """Show what a report holds."""
    (sent,) = PAPER.send(at, granted)  # type: ignore[misc]
    keys = tuple(part.key for part in sent.report.contributions)
    return (replace(sent, shown=keys),)


SHOWN = replace(small_rules(contribution_budget=2), send=show_everything)
AT_RANDOM = replace(SHOWN, attempt_order=either)
TWO_TRIGGERS: list[Move] = [source("z", key=2), source("x", key=1), trigger(1), trigger(2)]


def shown_by(
    rules: Rules, relation: Relation | None, unit: Unit, moves: list[Move]
) -> Distribution[tuple[Observation, ...]]:
    """Return the law of what is seen, in the system or in the world without the unit."""
    if relation is None:
        return seen(SystemMechanism(rules=rules), moves)
    return seen(relation.without(rules, unit), moves)


def keys_of(law: Distribution[tuple[Observation, ...]]) -> Distribution[object]:
    """Keep what the two triggers show."""
    return law.map(lambda told: tuple(each for (each,) in told[2:]))


def test_a_random_attribution_is_drawn_once_for_both_worlds() -> None:
    quarter = Fraction(1, 4)
    real = keys_of(shown_by(AT_RANDOM, None, "x", TWO_TRIGGERS))
    assert real == Distribution.of({((a,), (b,)): quarter for a in (1, 2) for b in (1, 2)})
    for relation in (ATTRIBUTION_FIXED, NULLED_AFTER_ADMISSION):
        left = keys_of(shown_by(AT_RANDOM, relation, "x", TWO_TRIGGERS))
        options = ((), (2,))
        assert left == Distribution.of({(a, b): quarter for a in options for b in options})
    moved = keys_of(shown_by(AT_RANDOM, MOVED_TO_DUMMY, "x", TWO_TRIGGERS))
    assert moved == Distribution.of({((a,), (b,)): quarter for a in (3, 2) for b in (3, 2)})


def test_a_random_attribution_that_runs_again_goes_to_the_others() -> None:
    for relation in (NEVER_MATCHES, NEVER_REGISTERED):
        left = shown_by(AT_RANDOM, relation, "x", TWO_TRIGGERS)
        assert {told[-2:] for told in left} == {(((2,),), ((2,),))}


@dataclass(frozen=True, slots=True, kw_only=True)
class Loyal(AttributionClient):
    """Be a client that draws once whom it prefers."""

    prefers_newest: bool | None = None


def attribute_by_loyalty(at: AtTrigger, draw: Draw) -> tuple[AttributionClient, tuple[Credit, ...]]:
    """Draw at the first trigger whether the newest or the oldest source wins ever after."""
    assert isinstance(at.client, Loyal)
    newest = at.client.prefers_newest
    if newest is None:
        newest = draw(coin(Fraction(1, 2)))
    ordered = at.client.sources if newest else at.client.sources[::-1]
    parts = at.rules.contributions(at, ordered[0])
    kept = replace(at.client, prefers_newest=newest)
    return kept, (Credit(unit=ordered[0].source_id, contributions=parts),)


LOYAL = replace(
    SHOWN, attribute=attribute_by_loyalty, initial=replace(PAPER.initial, attribution=Loyal())
)


def test_what_a_client_keeps_of_its_draws_is_kept_in_both_worlds() -> None:
    half = Fraction(1, 2)
    real = keys_of(shown_by(LOYAL, None, "x", TWO_TRIGGERS))
    assert real == Distribution.of({((1,), (1,)): half, ((2,), (2,)): half})
    for relation in (ATTRIBUTION_FIXED, NULLED_AFTER_ADMISSION):
        left = keys_of(shown_by(LOYAL, relation, "x", TWO_TRIGGERS))
        assert left == Distribution.of({((), ()): half, ((2,), (2,)): half})


# Without a unit that never occurs nothing changes: the law of what is seen is the same.


def attribute_twice(at: AtTrigger, draw: Draw) -> tuple[AttributionClient, tuple[Credit, ...]]:
    """Ask who is credited, and ask again."""
    PAPER.attribute(at, draw)
    return PAPER.attribute(at, draw)


def propose_twice(at: AtEvent, draw: Draw) -> tuple[AggregationClient, tuple[Credit, ...]]:
    """Run the program twice, and with luck keep what it contributed first."""
    client, first = PAPER.propose(at, draw)
    client, second = PAPER.propose(replace(at, client=client), draw)
    return client, first if draw(coin(Fraction(1, 2))) else second


def send_with_a_coin(
    at: AtContribution, granted: tuple[Credit, ...]
) -> Distribution[tuple[Sent, ...]]:
    """Show the contents, beside a coin that has nothing to do with them."""
    (sent,) = show_everything(at, granted)
    return coin(Fraction(1, 2)).map(lambda heads: (replace(sent, shown=(heads, sent.shown)),))


def lose_some(at: AtWindows, since: int, draw: Draw) -> tuple[EventClient, tuple[EventReport, ...]]:
    """Lose event-level reports by chance."""
    client, reports = PAPER.pass_windows(at, since, draw)
    return client, tuple(each for each in reports if draw(coin(Fraction(1, 3))))


def credit_some(at: AtEventTrigger) -> Distribution[tuple[Unit, ...]]:
    """Credit the source of an event-level trigger by chance."""
    credited: tuple[Unit, ...] = PAPER.event_attribute(at)  # type: ignore[assignment]
    return coin(Fraction(1, 2)).map(lambda heads: credited if heads else ())


def drop_at_random(at: AtTrigger, draw: Draw) -> tuple[AttributionClient, tuple[Credit, ...]]:
    """Drop a trigger by chance."""
    dropped = draw(coin(Fraction(1, 2)))
    return (at.client, ()) if dropped else PAPER.attribute(at, draw)


def look(storage: Storage) -> tuple[Storage, int, int]:
    return storage.set("seen", True), 2 if "seen" in storage else 1, 1


SOURCES: list[Move] = [source("y", key=2), source("z", key=1), trigger(1), trigger(2)]
PROGRAMS: list[Move] = [event(3, look), PassTime(until=10), event(4, look)]
ASKED: list[Move] = [source("z", key=1), trigger(1), query(1, epsilon=2, keys=(1,))]
NOBODY: list[Unit] = ["nobody", DeviceWindow(device="d", window=7)]


@pytest.mark.parametrize("unit", NOBODY, ids=str)
@pytest.mark.parametrize("relation", RELATIONS, ids=lambda relation: relation.name)
@pytest.mark.parametrize(
    ("rules", "moves"),
    [
        (replace(AT_RANDOM, attribute=attribute_twice), SOURCES),
        (replace(SHOWN, attribute=drop_at_random, send=send_with_a_coin), SOURCES),
        (LOYAL, SOURCES),
        (replace(SHOWN, propose=propose_twice, send=send_with_a_coin), PROGRAMS),
        (SHOWN, ASKED),
    ],
    ids=["twice", "coins", "loyal", "programs", "asked"],
)
def test_without_a_unit_that_never_occurs_the_same_is_seen(
    rules: Rules, moves: list[Move], relation: Relation, unit: Unit
) -> None:
    assert shown_by(rules, relation, unit, moves) == shown_by(rules, None, unit, moves)


def send_sometimes(
    at: AtContribution, granted: tuple[Credit, ...]
) -> Distribution[tuple[Sent, ...]]:
    """Send a null report or none, whatever was granted."""
    null: tuple[Sent, ...] = PAPER.send(at, ())  # type: ignore[assignment]
    return Distribution.uniform(dict.fromkeys((null, ())))


def attribute_by_the_same_law(
    at: AtTrigger, draw: Draw
) -> tuple[AttributionClient, tuple[Credit, ...]]:
    """Drop a trigger by a coin that has the law of what will be sent, and is another coin."""
    kept = draw(at.rules.send(at, ()))
    return PAPER.attribute(at, draw) if kept else (at.client, ())


def test_a_coin_that_decides_is_not_the_coin_that_sends() -> None:
    rules = replace(PAPER, attribute=attribute_by_the_same_law, send=send_sometimes)

    def run(draw: Draw) -> tuple[bool, Observation]:
        other = ATTRIBUTION_FIXED.without(rules, "nobody")
        worlds, _ = other.step(other.initial, source("z"), draw)
        worlds, told = other.step(worlds, trigger(1), draw)
        return worlds.own.attribution["device"].budgets["z"].count == 1, told

    pairs = [(credited, told) for credited in (True, False) for told in ((), (1,))]
    assert explore(run) == Distribution.uniform(dict.fromkeys(pairs))


def test_a_draw_is_used_again_once_and_only_from_the_same_law() -> None:
    tossed: list[object] = []

    def toss(law: object) -> object:
        tossed.append(law)
        return len(tossed)

    draws: Any = SharedDraws(toss)  # type: ignore[arg-type]
    half, third = coin(Fraction(1, 2)), coin(Fraction(1, 3))
    assert [draws.first(half), draws.first(third), draws.first(half)] == [1, 2, 3]
    assert [draws.again(half), draws.again(half), draws.again(half)] == [1, 3, 4]
    assert [draws.again(coin(Fraction(1, 4))), draws.again(third)] == [5, 2]


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


def credit_the_truthful(at: AtEventTrigger) -> tuple[Unit, ...]:
    """Credit the newest source that answers truthfully."""
    units = [each.source.source_id for each in at.client.records if each.response is None]
    return tuple(units[:1])


OTHER_SHOES = replace(SHOES, source_id="y")
WEEK: list[Move] = [OTHER_SHOES, SHOES, BOUGHT, PassTime(until=10)]


def test_a_drawn_response_is_the_same_in_both_worlds() -> None:
    """What is credited on D may depend on responses, which therefore must not be drawn again."""
    rules = replace(small_rules(), event_attribute=credit_the_truthful)

    def run(draw: Draw) -> bool:
        other = ATTRIBUTION_FIXED.without(rules, "x")
        worlds = other.initial
        for move in WEEK:
            worlds, _ = other.step(worlds, move, draw)
        real, own = worlds.real.events["device"], worlds.own.events["device"]
        for here, there in zip(real.records, own.records, strict=True):
            assert here.response == there.response
        return own.records[1].values != real.records[1].values

    assert explore(run) == Distribution.certain(False)


def test_an_event_level_source_that_is_not_registered_leaves_its_triggers_to_others() -> None:
    rules = replace(small_rules(), truth_probability=lambda power, size: Fraction(1))
    shown = [told[-1] for told in seen(NEVER_REGISTERED.without(rules, "x"), WEEK)]
    assert shown == [(EventReport(source_id="y", data=0, bucket=1),)]
    shown = [told[-1] for told in seen(NEVER_MATCHES.without(rules, "x"), WEEK)]
    assert shown == [(EventReport(source_id="y", data=0, bucket=1),)]
    shown = [told[-1] for told in seen(ATTRIBUTION_FIXED.without(rules, "x"), WEEK)]
    assert shown == [()]


@pytest.mark.parametrize("relation", RELATIONS, ids=lambda relation: relation.name)
@pytest.mark.parametrize(
    "changes",
    [
        {"event_attribute": credit_the_truthful},
        {"event_attribute": credit_some, "pass_windows": lose_some},
    ],
    ids=["truthful", "chance"],
)
def test_without_a_source_that_never_occurs_the_same_is_reported(
    changes: dict[str, Any], relation: Relation
) -> None:
    rules = replace(small_rules(), **changes)
    for unit in NOBODY:
        assert shown_by(rules, relation, unit, WEEK) == shown_by(rules, None, unit, WEEK)


def test_attribution_that_depends_on_the_drawn_response_is_fixed_with_it() -> None:
    def truthful_only(at: AtEventTrigger) -> tuple[Unit, ...]:
        truthful = {each.source.source_id for each in at.client.records if each.response is None}
        credited = NOISELESS(PAPER.event_attribute(at))
        return tuple(each for each in credited if each in truthful)

    rules = replace(small_rules(), event_attribute=truthful_only)
    moves: list[Move] = [SHOES, BOUGHT, PassTime(until=10)]
    with_x = seen(SystemMechanism(rules=rules), moves)
    assert with_x == seen(SystemMechanism(rules=small_rules()), moves)
    without_x = seen(ATTRIBUTION_FIXED.without(rules, "x"), moves)
    assert without_x == seen(ATTRIBUTION_FIXED.without(small_rules(), "x"), moves)


def test_every_relation_has_a_name_and_a_meaning() -> None:
    names = [relation.name for relation in RELATIONS]
    assert len(set(names)) == len(names) == 7
    assert all(relation.meaning for relation in RELATIONS)


def test_a_relation_draws_nothing_where_the_system_draws_nothing() -> None:
    other = ATTRIBUTION_FIXED.without(PAPER, "x")
    worlds, observed = other.step(other.initial, source("x"), CERTAIN)
    assert observed == ()
    assert worlds.own.attribution == worlds.real.attribution


def test_the_worlds_begin_with_the_states_of_the_rules() -> None:
    worlds = ATTRIBUTION_FIXED.without(LOYAL, "x").initial
    worlds, _ = ATTRIBUTION_FIXED.without(LOYAL, "x").step(worlds, source("x"), CERTAIN)
    assert isinstance(worlds.real.attribution["device"], Loyal)
    assert isinstance(worlds.own.attribution["device"], Loyal)


def test_a_unit_of_one_device_leaves_the_others_alone() -> None:
    moves: list[Move] = [source("x", key=1), trigger(1)]
    moves += [replace(source("y", key=2), device="tablet"), replace(trigger(2), device="tablet")]
    left = without(PAPER, ATTRIBUTION_FIXED, "x", moves)
    assert left.reports[1].is_null
    assert left.attribution["tablet"] == play(PAPER, moves)[0].attribution["tablet"]
