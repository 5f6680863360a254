"""Attacks get simple numbers, as far as these still make the attack."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from properties.play import Promise, attack_by, smallest_attack
from properties.script_attack import ScriptAttack
from properties.scripts import ContributeTo
from properties.searches.directed_worlds import BROKEN
from properties.simpler import simplest
from spec import PAPER, Query, Rules
from spec.attribution_client import Source, Trigger
from spec.contributions import Unit
from spec.neighbours import ATTRIBUTION_FIXED, NULL_STORE
from spec.private_aggregation_client import DeviceWindow, Event, Storage
from spec.system import Move, PassTime

PROMISED: Promise = (PAPER.limits.epsilon, PAPER.limits.delta)
NIGHT = BROKEN["real reports are late at night"]
FREE_KEYS = BROKEN["some keys are free"]
FREE = 0xBEEF << 96 | 77


def late(moment: int) -> tuple[Move, ...]:
    """Return moves that attack at a moment, with numbers that nobody needs."""
    x = frozenset({"x"})
    return (
        Source(source_id="x", destination="shop", expiry=2 * 10**10, filters=x, key=0),
        PassTime(until=moment),
        Trigger(report_id=7001, destination="shop", filters=x, key=2**100 + 5, value=40123),
    )


def test_identifiers_keys_times_and_values_become_small() -> None:
    attack = smallest_attack(NIGHT, ATTRIBUTION_FIXED, "x", late(83_111), PROMISED)
    assert attack is not None
    source, passed, trigger = attack.made
    assert isinstance(source, Source)
    assert isinstance(trigger, Trigger)
    assert (trigger.report_id, trigger.key, trigger.value) == (0, 1, 1)
    assert source.expiry == 86_400
    assert passed == PassTime(until=83_111)


def test_what_the_attack_needs_stays() -> None:
    program = ContributeTo(FREE, 98_305)
    unit = DeviceWindow(device="phone", window=3)
    moves = (
        PassTime(until=3 * PAPER.limits.window_length + 5),
        Event(report_id=9, device="phone", program=program),
        Query(epsilon=PAPER.limits.epsilon, report_ids=(9,), keys=(FREE,)),
    )
    attack = smallest_attack(FREE_KEYS, NULL_STORE, unit, moves, PROMISED)
    assert attack is not None
    assert attack.unit_value == replace(unit, window=0)
    event, query = attack.made
    assert event == replace(moves[1], report_id=0, program=ContributeTo(FREE, 131_072))
    assert query == replace(moves[2], report_ids=(0,))


def test_an_attack_never_becomes_weak_and_the_number_of_trials_is_kept() -> None:
    strong = attack_by(NIGHT, ATTRIBUTION_FIXED, "x", late(83_111), PROMISED)
    assert strong is not None
    weak = replace(strong, probability=Fraction(1, 3), other=Fraction(0))
    played: list[tuple[Move, ...]] = []

    def play(unit: Unit, moves: tuple[Move, ...]) -> ScriptAttack | None:
        played.append(moves)
        return replace(weak, made=moves)

    assert simplest(strong, PAPER.limits, play, 3) == strong
    assert len(played) == 3


def test_equal_queries_replace_different_ones() -> None:
    rules: Rules = replace(PAPER, charge=lambda at, spent, report: spent)
    x = frozenset({"x"})
    moves = (
        Source(source_id="x", destination="shop", expiry=10, filters=x, key=0),
        Trigger(report_id=0, destination="shop", filters=x, key=0, value=65_536),
        Query(epsilon=Fraction(123, 4567), report_ids=(0,), keys=(0,)),
        Query(epsilon=Fraction(64), report_ids=(0,), keys=(0,)),
        Query(epsilon=Fraction(64), report_ids=(0,), keys=(0,)),
    )
    attack = smallest_attack(rules, ATTRIBUTION_FIXED, "x", moves, PROMISED)
    assert attack is not None
    asked = {move.epsilon for move in attack.made if isinstance(move, Query)}
    assert asked == {Fraction(64)}


def test_needless_keys_filters_and_programs_are_left_out() -> None:
    def by_turns(storage: Storage) -> tuple[Storage, int, int]:
        return storage, 5, PAPER.limits.contribution_budget

    rules: Rules = replace(PAPER, charge=lambda at, spent, report: spent)
    limits = PAPER.limits
    query = Query(epsilon=limits.epsilon, report_ids=(0,), keys=(4, 5, 6))
    event = Event(report_id=0, device="phone", program=by_turns)
    unit = DeviceWindow(device="phone", window=0)
    attack = smallest_attack(rules, NULL_STORE, unit, (event, query, query), PROMISED)
    assert attack is not None
    plain = ContributeTo(0, limits.contribution_budget)
    asked = replace(query, keys=(0,))
    assert attack.made == (replace(event, program=plain), asked, asked)
    both = frozenset({"x", "y"})
    source = Source(source_id="x", destination="shop", expiry=86_400, filters=both, key=0)
    trigger = Trigger(report_id=0, destination="shop", filters=both, key=1, value=1)
    late_moves = (source, PassTime(until=83_111), trigger)
    found = smallest_attack(NIGHT, ATTRIBUTION_FIXED, "x", late_moves, PROMISED)
    assert found is not None
    filters = [m.filters for m in found.made if isinstance(m, Source | Trigger)]
    assert filters == [{"y"}, {"y"}]
