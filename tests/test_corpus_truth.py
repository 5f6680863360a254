"""Unsound files of the corpus break their promise in the way that they say: the worlds compared.

A script of moves is played with x and without x. Where sums change it is played without noise, and
the sums differ by more than the budget that the noise hides. Where something is seen beside the
sums, what is seen differs. At the event level the exact divergence is above zero at epsilon.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from spec import (
    ATTRIBUTION_FIXED,
    NULL_STORE,
    PAPER,
    SMALL_LIMITS,
    Answer,
    AtService,
    DeviceWindow,
    DiscreteLaplace,
    Event,
    EventSource,
    EventTrigger,
    Move,
    PassTime,
    Program,
    Query,
    Rules,
    Service,
    Source,
    SystemMechanism,
    Trigger,
    TriggerSpecification,
    Unit,
    hockey_stick,
    replace,
)
from tests.corpus import HERE
from tests.scripts import loaded
from tests.small import NOISELESS, seen

BUDGET = PAPER.limits.contribution_budget
ALL = Fraction(64)
ASKED = Query(epsilon=ALL, delta=PAPER.limits.delta)
X = Source(source_id="x", destination="d", expiry=10**9, filters=frozenset("x"), key=0)
E = EventSource(
    source_id="x",
    destination="d",
    expiry=100,
    filters=frozenset("x"),
    maximum_reports=1,
    specifications=(TriggerSpecification(data=0, windows=(10,), buckets=(1,)),),
)
OLDER = replace(E, source_id="z", filters=frozenset("xz"))
RICH = replace(
    E,
    maximum_reports=20,
    specifications=tuple(
        TriggerSpecification(data=data, windows=(10,), buckets=(1, 2, 3, 4)) for data in range(3)
    ),
)
BOUGHT = EventTrigger(trigger_id="t", destination="d", filters=frozenset("x"), data=0, value=1)
TEN = PassTime(until=10)


def rules_of(name: str) -> Rules:
    rules: Rules = loaded(HERE / "unsound" / f"{name}.py").RULES
    return rules


def trigger(report: int, value: int = BUDGET, key: int = 1, of: str = "x") -> Trigger:
    return Trigger(report_id=report, destination="d", filters=frozenset({of}), key=key, value=value)


def source(name: str) -> Source:
    return replace(X, source_id=name, filters=frozenset({name}))


def gives(key: int, value: int) -> Program:
    return lambda storage: (storage, key, value)


def event(report: int, key: int, ad_tech: str = "ad-tech") -> Event:
    return Event(report_id=report, device="p", program=gives(key, BUDGET), ad_tech=ad_tech)


def ask(*reports: int, keys: tuple[int, ...] = (1,)) -> Query:
    return Query(epsilon=ALL, keys=keys, report_ids=reports)


def twice(key: int) -> list[Move]:
    return [X, trigger(1, key=key), trigger(2, key=key), ask(1, 2, keys=(key,))]


def crowd(count: int) -> list[Move]:
    """Let so many others give the budget to key 1, and x give one."""
    others = [f"z{number}" for number in range(count)]
    return [
        X,
        *map(source, others),
        *(trigger(number, of=name) for number, name in enumerate(others)),
        trigger(count, value=1),
        ask(*range(count + 1)),
    ]


SUMS: dict[str, list[Move]] = {
    "keys_in_a_table_are_free": twice(0x5EED),
    "house_keys_are_free": twice(0xBEEF << 112),
    "the_fifth_prefix_is_free": twice(7 << 20),
    "one_reserved_key_is_free": twice(4096),
    "rates_in_another_file": twice(0xBEEF << 96),
    "a_refusal_is_caught": twice(65_537),
    "keys_by_their_digits": twice(99_999),
    "exact_type_of_a_value": [
        X,
        *(trigger(number, value=20_500) for number in range(8)),
        ask(*range(8)),
    ],
    "a_full_source_ends_it": [
        *(replace(source(name), filters=frozenset("a")) for name in ("z1", "z2", "z3")),
        replace(X, filters=frozenset("ax")),
        trigger(1),
        trigger(2, of="a"),
        ask(1, 2),
    ],
    "clamped_for_nothing": [X, trigger(1, 10**6), trigger(2, 10**6), ask(1, 2)],
    "counts_are_free": [
        X,
        *(trigger(number) for number in range(2)),
        ask(0, 1, keys=(1, 1 | 1 << 127)),
    ],
    "all_credits_or_none": [
        replace(X, filters=frozenset("xy")),
        replace(source("z"), key=2, filters=frozenset("x")),
        trigger(1, BUDGET // 2 + 1, key=0),
        trigger(2, of="y"),
        ask(1, 2, keys=(0, 1, 2)),
    ],
    "registering_again_refills": [X, trigger(1), X, trigger(2), ask(1, 2)],
    "a_source_has_a_budget_a_day": [
        X,
        trigger(1),
        PassTime(until=90_000),
        trigger(2),
        ask(1, 2),
    ],
    "unused_budget_is_inherited": [
        replace(X, source_id="o", expiry=1),
        PassTime(until=2),
        X,
        trigger(1, 2 * BUDGET),
        ask(1),
    ],
    "campaign_totals": [X, trigger(1), ask(1, keys=(1, 2**64 - 1))],
    "sums_in_steps_before_the_noise": [
        X,
        source("z"),
        trigger(1, 1, key=1),
        trigger(2, 65_521, key=2),
        trigger(3, 15, key=1, of="z"),
        trigger(4, 15, key=2, of="z"),
        ask(1, 2, 3, 4, keys=(1, 2)),
    ],
}


def windows(count: int) -> list[Move]:
    """Let a device give the budget to a key of its own in each of so many windows, and ask."""
    moves: list[Move] = []
    for number in range(count):
        moves += [PassTime(until=600 * number), event(number, number)]
    return [*moves, ask(*range(count), keys=tuple(range(count)))]


FIRST = DeviceWindow(device="p", window=0)
DEVICES: dict[str, tuple[DeviceWindow, list[Move]]] = {
    "ad_techs_share_a_budget": (
        replace(FIRST, ad_tech="a"),
        [event(1, 1, "a"), event(2, 2, "b"), ask(1, 2, keys=(1, 2))],
    ),
    "a_day_cap_on_top": (FIRST, windows(17)),
    "a_hundred_and_forty_four_windows": (FIRST, windows(145)),
}
AMPLIFIED = {"trim_one_percent": crowd(99), "the_smallest_report_is_left_out": crowd(2)}
EVENT_LEVEL: dict[str, list[Move]] = {
    "random_sources_are_passed_over": [OLDER, E, BOUGHT, TEN],
    "random_sources_do_not_match": [OLDER, E, replace(BOUGHT, trigger_id="pilot"), TEN],
    "trigger_identifiers_count_once": [
        OLDER,
        E,
        BOUGHT,
        replace(BOUGHT, filters=frozenset("z")),
        TEN,
    ],
    "event_reports_are_numbered": [E, BOUGHT, TEN],
    "event_reports_show_the_value": [E, BOUGHT, TEN],
    "expired_sources_tell_the_truth": [replace(E, expiry=5), BOUGHT, TEN],
    "output_sets_count_to_a_hundred": [RICH, BOUGHT, TEN],
}
LATE: list[Move] = [PassTime(until=23 * 3600 + 7), X, trigger(1, 30_000)]
SEEN: dict[str, list[Move]] = {
    "named_universe_hides_a_delay": LATE,
    "values_in_a_band_wait": LATE,
    "reports_after_eleven_at_night": LATE,
    "the_size_of_a_report_shows": LATE,
    "reports_name_their_source": LATE,
    "real_reports_are_counted": [*LATE, ask(1)],
    "at_least_ten_real_reports": [
        X,
        *(source(f"z{number}") for number in range(9)),
        *(trigger(number, of=f"z{number}") for number in range(9)),
        trigger(9),
        ask(*range(10)),
    ],
    "registered_keys_are_always_released": [
        X,
        trigger(1, 1, key=0xCAFE),
        Query(epsilon=ALL, delta=Fraction(1, 10**9), report_ids=(1,)),
    ],
    "five_destinations_are_too_many": [
        *(replace(source(name), destination=name) for name in "xabcd"),
        *(replace(trigger(ord(name), of=name), destination=name) for name in "xabcd"),
        trigger(1),
    ],
    "the_ten_largest_true_sums": [
        X,
        source("z"),
        *(trigger(key, 5, key=key, of="z") for key in range(1, 11)),
        trigger(11, 9, key=11),
        ask(*range(1, 12), keys=tuple(range(1, 12))),
    ],
}


def discovered(own: int, *keys: int, first: bool = True, others: int = 3) -> list[Move]:
    """Let others give much to each of some keys, and x one to its own, before or after them."""
    gives = [(f"z{place} {key}", BUDGET, key) for key in keys for place in range(others)]
    gives.insert(0 if first else len(gives), ("x", 1, own))
    moves: list[Move] = []
    for number, (name, value, key) in enumerate(gives):
        moves += [source(name), trigger(number, value, key, of=name)]
    ids = tuple(range(len(gives)))
    return [*moves, Query(epsilon=ALL, delta=PAPER.limits.delta, report_ids=ids)]


LISTED: dict[str, list[Move]] = {
    "discovered_keys_as_they_come": discovered(2, 1, 2),
    "the_largest_true_sums_come_first": discovered(2, 1, 2),
    "keys_of_most_reports_come_first": discovered(2, 1, 2),
    "keys_named_last_come_first": discovered(1, 1, 2, first=False),
    "answers_in_the_order_of_the_reports": discovered(2, 1, 2),
    "sums_in_the_order_of_their_table": discovered(2, 1, 2),
    "colliding_keys_keep_their_order": discovered(1, 99, 195),
    "the_ten_largest_discovered_keys": discovered(11, *range(1, 12)),
    "crowded_keys_are_listed_twice": discovered(1, 1, others=12),
}


def without_noise(name: str, moves: list[Move], unit: Unit = "x") -> list[list[object]]:
    """Return what is seen with the unit and without it, where noise is left out."""
    rules = rules_of(name)
    relation = NULL_STORE if isinstance(unit, DeviceWindow) else ATTRIBUTION_FIXED
    there, gone = SystemMechanism(rules=rules), relation.without(rules, unit)
    return [played(there.initial, there.step, moves), played(gone.initial, gone.step, moves)]


def played(
    state: object, step: Callable[..., tuple[object, object]], moves: list[Move]
) -> list[object]:
    told = []
    for move in moves:
        state, shown = step(state, move, NOISELESS)
        told.append(shown)
    return told


def change(worlds: list[list[object]]) -> int:
    """Return by how much the sums of the last answer differ between the worlds."""
    there, gone = (dict(answered(told[-1])) for told in worlds)
    return sum(abs(there.get(key, 0) - gone.get(key, 0)) for key in there | gone)


def answered(shown: object) -> tuple[tuple[int, int], ...]:
    assert isinstance(shown, tuple)
    assert isinstance(shown[0], Answer)
    return shown[0].released


@pytest.mark.parametrize("name", SUMS)
def test_a_source_changes_the_sums_by_more_than_its_budget(name: str) -> None:
    assert change(without_noise(name, SUMS[name])) > BUDGET
    honest = ATTRIBUTION_FIXED.without(PAPER, "x")
    if "registering" not in name:
        there = SystemMechanism(rules=PAPER)
        worlds = [
            played(there.initial, there.step, SUMS[name]),
            played(honest.initial, honest.step, SUMS[name]),
        ]
        assert change(worlds) <= BUDGET


@pytest.mark.parametrize("name", DEVICES)
def test_a_device_changes_the_sums_by_more_than_its_budget(name: str) -> None:
    unit, moves = DEVICES[name]
    assert change(without_noise(name, moves, unit)) == 2 * BUDGET


@pytest.mark.parametrize("name", AMPLIFIED)
def test_a_value_of_one_changes_a_sum_by_a_budget(name: str) -> None:
    assert change(without_noise(name, AMPLIFIED[name])) == BUDGET


@pytest.mark.parametrize("name", SEEN)
def test_what_is_seen_beside_the_sums_differs(name: str) -> None:
    there, gone = without_noise(name, SEEN[name])
    assert there != gone


@pytest.mark.parametrize("name", LISTED)
def test_keys_that_are_certainly_released_differ(name: str) -> None:
    """Others give so much to each key that no noise keeps its sum below the threshold."""
    there, gone = (answered(told[-1]) for told in without_noise(name, LISTED[name]))
    assert [key for key, _ in there] != [key for key, _ in gone]
    threshold = PAPER.threshold(AtService(rules=PAPER, now=0, service=Service(), query=ASKED), ())
    assert threshold is not None
    assert all(total > 2 * threshold for _, total in (*there, *gone))


@pytest.mark.parametrize("name", EVENT_LEVEL)
def test_the_exact_divergence_of_event_level_reports_is_above_zero(name: str) -> None:
    rules = replace(rules_of(name), limits=SMALL_LIMITS)
    there = seen(SystemMechanism(rules=rules), EVENT_LEVEL[name])
    gone = seen(ATTRIBUTION_FIXED.without(rules, "x"), EVENT_LEVEL[name])
    power = Fraction(2) ** int(SMALL_LIMITS.event_epsilon)
    assert max(hockey_stick(there, gone, power), hockey_stick(gone, there, power)) > 0


def test_a_threshold_for_the_delta_of_the_cap_leaks_more_than_the_cap() -> None:
    queries, rules = 100, rules_of("threshold_for_the_delta_of_the_cap")
    query = Query(epsilon=ALL / queries, delta=Fraction(1, 10**10))
    at = AtService(rules=rules, now=0, service=Service(), query=query)
    threshold = rules.threshold(at, ())
    assert threshold is not None
    noise = rules.noise(at, (), threshold)
    assert isinstance(noise, DiscreteLaplace)
    leak = float(noise.tail(threshold - BUDGET))
    assert queries * query.delta <= rules.limits.delta
    assert 1 - (1 - leak) ** queries > 1.1 * float(rules.limits.delta)
