from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from spec import (
    PAPER,
    AttributionClient,
    Budget,
    Contribution,
    Credit,
    Distribution,
    Draw,
    DuplicateSource,
    Move,
    OnDevice,
    PassTime,
    Report,
    Rules,
    Source,
    System,
    Trigger,
    explore,
    replace,
    step,
)
from spec.attribution_client import NotACandidate, register_source
from spec.reports import BadReportId
from spec.system import BudgetDecided, decide
from tests.small import CERTAIN, play, source, trigger

if TYPE_CHECKING:
    from spec.contributions import Budgets
    from spec.rules import AtContribution, AtTrigger


def registered(*sources: Source, rules: Rules = PAPER) -> System:
    return play(rules, sources)[0]


def client_of(system: System, device: str = "device") -> AttributionClient:
    return system.attribution[device]


def reported(
    system: System, *triggers: Trigger, now: int = 0, rules: Rules = PAPER
) -> tuple[System, list[tuple[Contribution, ...]]]:
    """Return what the reports of the triggers carry."""
    if now > system.now:
        system, _ = step(rules, system, PassTime(until=now), CERTAIN)
    carried = []
    for each in triggers:
        system, _ = step(rules, system, each, CERTAIN)
        carried.append(system.reports[each.report_id].contributions)
    return system, carried


def test_the_contribution_budget_of_a_source_follows_the_published_trace() -> None:
    values = (65537, 65535, 2, 1, 1)
    triggers = [trigger(n, value) for n, value in enumerate(values)]
    system, carried = reported(registered(source("x")), *triggers)
    assert [bool(parts) for parts in carried] == [False, True, False, True, False]
    assert client_of(system).budgets["x"] == Budget(value=65536, count=2)


def test_a_value_above_the_contribution_budget_costs_nothing() -> None:
    system = registered(source("x"))
    after, carried = reported(system, trigger(1, 65537))
    assert carried == [()]
    assert after.attribution == system.attribution


def test_a_second_source_has_its_own_budget() -> None:
    system = registered(source("x", "a"), source("z", "b"))
    _, carried = reported(system, trigger(1, 65536, "a"), trigger(2, 65536, "b"))
    assert all(carried)


@pytest.mark.parametrize(
    ("piece", "other", "key"), [(0x159, 0x400, 0x559), (0x5, 0xA80, 0xA85), (0x5, 0x4, 0x5)]
)
def test_key_pieces_are_joined_by_or(piece: int, other: int, key: int) -> None:
    _, carried = reported(registered(source("x", key=piece)), trigger(1, 70, key=other))
    assert carried == [(Contribution(key=key, value=70),)]


def test_the_sparsity_budget_counts_contributions() -> None:
    system = registered(source("x"))
    system, carried = reported(system, *(trigger(number) for number in range(21)))
    assert [bool(parts) for parts in carried] == [True] * 20 + [False]
    assert client_of(system).budgets["x"] == Budget(value=20, count=20)


def test_the_newest_matching_source_wins() -> None:
    system = registered(source("old", key=1), source("new", key=2), source("other", "b", key=4))
    system, carried = reported(system, trigger(1))
    assert carried == [(Contribution(key=2, value=1),)]
    assert client_of(system).budgets["old"] == Budget()


def test_a_source_of_another_destination_does_not_match() -> None:
    system = registered(replace(source("x"), destination="elsewhere"))
    assert reported(system, trigger(1))[1] == [()]


def test_a_source_is_active_until_its_expiry_and_not_at_it() -> None:
    system = registered(source("x", expiry=10))
    assert all(reported(system, trigger(1), now=9)[1])
    assert reported(system, trigger(1), now=10)[1] == [()]


def test_an_expired_source_makes_way_for_an_older_one() -> None:
    system = registered(source("old", key=1), source("new", key=2, expiry=10))
    assert reported(system, trigger(1), now=10)[1] == [(Contribution(key=1, value=1),)]


def test_an_expired_source_between_active_ones_is_passed_over() -> None:
    system = registered(source("old", key=1), source("gone", expiry=10), source("new", "b"))
    assert reported(system, trigger(1), now=10)[1] == [(Contribution(key=1, value=1),)]


def test_expired_sources_stay_registered_and_rules_see_them() -> None:
    """That a source has expired is decided by the rule `matches` and by nothing before it."""
    looked_at: list[str] = []

    def whatever_its_age(at: AtTrigger, each: Source) -> bool:
        looked_at.append(each.source_id)
        return bool(each.filters & at.cause.filters)

    rules = replace(PAPER, matches=whatever_its_age)
    system, carried = reported(
        registered(source("x", key=1, expiry=10)), trigger(1), now=10, rules=rules
    )
    assert carried == [(Contribution(key=1, value=1),)]
    assert [each.source_id for each in client_of(system).sources] == ["x"]
    assert looked_at == ["x"]


def test_sources_are_kept_and_scanned_newest_first_with_their_times() -> None:
    looked_at: list[str] = []

    def matches(at: AtTrigger, each: Source) -> bool:
        looked_at.append(each.source_id)
        return PAPER.matches(at, each)

    system = registered(source("old"))
    system, _ = play(PAPER, [PassTime(until=7), source("new")], system=system)
    kept = [(each.source_id, each.registered_at) for each in client_of(system).sources]
    assert kept == [("new", 7), ("old", 0)]
    reported(system, trigger(1), now=7, rules=replace(PAPER, matches=matches))
    assert looked_at == ["new", "old"]


def test_when_a_source_is_registered_is_the_clients_word() -> None:
    system = registered(replace(source("x"), registered_at=99))
    assert client_of(system).sources[0].registered_at == 0


def test_a_changed_rule_may_match_sources_of_other_destinations() -> None:
    anywhere = replace(PAPER, matches=lambda at, one: bool(one.filters & at.cause.filters))
    system = registered(source("here", key=1), replace(source("there", key=2), destination="far"))
    assert reported(system, trigger(1))[1] == [(Contribution(key=1, value=1),)]
    assert reported(system, trigger(1), rules=anywhere)[1] == [(Contribution(key=2, value=1),)]


def test_the_order_of_attempts_is_a_rule() -> None:
    oldest = replace(PAPER, attempt_order=lambda at, matching: matching[::-1])
    system = registered(source("old", key=1), source("new", key=2))
    assert reported(system, trigger(1), rules=oldest)[1] == [(Contribution(key=1, value=1),)]


def test_the_order_of_attempts_may_be_random() -> None:
    def either(at: AtTrigger, matching: tuple[Source, ...]) -> Distribution[Sequence[Source]]:
        return Distribution.of({matching: Fraction(2, 3), matching[::-1]: Fraction(1, 3)})

    rules = replace(PAPER, attempt_order=either)
    moves: list[Move] = [source("old", key=1), source("new", key=2), trigger(1)]
    law = explore(lambda draw: play(rules, moves, draw)[0].reports[1])
    keys = law.map(lambda sent: sent.contributions[0].key)
    assert keys == Distribution.of({2: Fraction(2, 3), 1: Fraction(1, 3)})


def test_a_client_may_be_drawn_together_with_its_credits() -> None:
    """An equal client is the same client, whichever run of an exact law it comes from."""

    def drop_at_random(at: AtTrigger, draw: Draw) -> tuple[AttributionClient, tuple[Credit, ...]]:
        both = (PAPER.attribute(at, draw), (at.client, ()))
        return draw(Distribution.uniform(dict.fromkeys(both)))

    rules = replace(PAPER, attribute=drop_at_random)
    law = explore(lambda draw: play(rules, [source("x"), trigger(1)], draw)[0].reports[1].is_null)
    assert law == Distribution.uniform({True: None, False: None})


def test_only_sources_as_they_are_registered_may_be_attempted() -> None:
    def renamed(at: AtTrigger, matching: tuple[Source, ...]) -> Sequence[Source]:
        return tuple(replace(each, source_id="old") for each in matching)

    system = registered(source("old", key=1), source("new", key=2))
    with pytest.raises(NotACandidate, match="'old'"):
        reported(system, trigger(1), rules=replace(PAPER, attempt_order=renamed))


def test_the_credits_say_who_contributes() -> None:
    system = registered(source("x"))
    decision = decide(PAPER, system, trigger(7, 3), CERTAIN)
    part = Contribution(key=0, value=3)
    assert decision.credits == (Credit(unit="x", contributions=(part,)),)
    assert decision.client is client_of(system)
    after, _ = reported(system, trigger(7, 3))
    assert after.reports[7] == Report(report_id=7, contributions=(part,))


def test_to_decide_who_is_credited_changes_no_budget() -> None:
    def spend_first(at: AtTrigger, draw: Draw) -> tuple[AttributionClient, tuple[Credit, ...]]:
        client, credits = PAPER.attribute(at, draw)
        budgets, _ = at.rules.contribute(at, credits)
        return replace(client, budgets=budgets), credits

    with pytest.raises(BudgetDecided, match="contribute"):
        reported(registered(source("x")), trigger(1), rules=replace(PAPER, attribute=spend_first))


def test_budgets_of_other_sources_have_no_part_in_who_is_credited() -> None:
    def contribute(
        at: AtContribution, credits: tuple[Credit, ...]
    ) -> tuple[Budgets, tuple[Credit, ...]]:
        untouched = all(each == Budget() for each in at.client.budgets.values())
        return PAPER.contribute(at, credits) if untouched else (at.client.budgets, ())

    system, _ = reported(registered(source("old")), trigger(1, 5))
    system, _ = step(PAPER, system, source("new"), CERTAIN)
    decision = decide(replace(PAPER, contribute=contribute), system, trigger(2, 5), CERTAIN)
    assert [each.unit for each in decision.credits] == ["new"]


def test_a_source_is_registered_once() -> None:
    system = registered(source("x"))
    again = OnDevice(rules=PAPER, now=0, client=client_of(system), cause=source("x", key=3))
    with pytest.raises(DuplicateSource, match="'x'"):
        register_source(again, again.cause)
    with pytest.raises(DuplicateSource, match="'x'"):
        step(PAPER, system, source("x", key=3), CERTAIN)


# Devices.


def on(device: str, move: Source | Trigger) -> Source | Trigger:
    return replace(move, device=device)


def test_triggers_of_a_device_see_the_sources_of_that_device_only() -> None:
    moves = [on("phone", source("x", key=1)), on("tablet", source("y", key=2))]
    moves += [on("phone", trigger(1)), on("tablet", trigger(2)), on("watch", trigger(3))]
    system, _ = play(PAPER, moves)
    assert [part.key for part in system.reports[1].contributions] == [1]
    assert [part.key for part in system.reports[2].contributions] == [2]
    assert system.reports[3].is_null
    assert {device: [*client.budgets] for device, client in system.attribution.items()} == {
        "phone": ["x"],
        "tablet": ["y"],
        "watch": [],
    }


def test_a_source_of_one_device_is_refused_on_another_and_nothing_changes() -> None:
    system, _ = play(PAPER, [on("phone", source("x"))])
    with pytest.raises(DuplicateSource, match="another device"):
        step(PAPER, system, on("tablet", source("x")), CERTAIN)
    assert [*system.attribution] == ["phone"]


# What is stored is checked.


@pytest.mark.parametrize(
    "part",
    [
        Contribution(key=2**128, value=1),
        Contribution(key=-1, value=1),
        Contribution(key=1, value=-1),
        Contribution(key=1, value="1"),  # type: ignore[arg-type]
    ],
)
def test_a_changed_rule_stores_keys_of_128_bits_and_no_negative_values(part: Contribution) -> None:
    """It is no error, which would show in the world with the source alone."""
    rules = replace(PAPER, contributions=lambda at, each: (part,))
    system, carried = reported(registered(source("x")), trigger(1), rules=rules)
    assert carried == [()]
    assert all(set(each.budgets.values()) == {Budget()} for each in system.attribution.values())


@pytest.mark.parametrize("report_id", [-1, 2**128])
def test_a_report_identifier_has_128_bits(report_id: int) -> None:
    with pytest.raises(BadReportId, match=str(report_id)):
        trigger(report_id)
    assert trigger(2**128 - 1).report_id == 2**128 - 1
