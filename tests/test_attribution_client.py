from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import pytest
from spec.chronology import ANYWHERE

from spec import (
    PAPER,
    AttributionClient,
    Budget,
    Contribution,
    Credit,
    Distribution,
    DuplicateSource,
    Report,
    Rules,
    Source,
    Trigger,
    explore,
    replace,
)
from spec.attribution_client import (
    Candidates,
    NotACandidate,
    register_source,
    register_trigger,
)
from tests.small import CERTAIN, source, trigger


def client_of(*sources: Source, now: int = 0, rules: Rules = PAPER) -> AttributionClient:
    client = AttributionClient()
    for each in sources:
        client = register_source(rules, client, each, now)
    return client


def reported(
    client: AttributionClient, *triggers: Trigger, now: int = 0, rules: Rules = PAPER
) -> tuple[AttributionClient, list[tuple[Contribution, ...]]]:
    """Return what the reports of the triggers carry."""
    carried = []
    for each in triggers:
        client, _, sent = register_trigger(rules, client, each, now, CERTAIN)
        assert sent.report_id == each.report_id
        carried.append(sent.contributions)
    return client, carried


def test_the_contribution_budget_of_a_source_follows_the_published_trace() -> None:
    client = client_of(source("x"))
    values = (65537, 65535, 2, 1, 1)
    client, carried = reported(client, *(trigger(n, value) for n, value in enumerate(values)))
    assert [bool(parts) for parts in carried] == [False, True, False, True, False]
    assert client.budgets["x"] == Budget(value=65536, count=2)


def test_a_value_above_the_contribution_budget_costs_nothing() -> None:
    client = client_of(source("x"))
    after, carried = reported(client, trigger(1, 65537))
    assert carried == [()]
    assert after == client


def test_a_second_source_has_its_own_budget() -> None:
    client = client_of(source("x", "a"), source("z", "b"))
    _, carried = reported(client, trigger(1, 65536, "a"), trigger(2, 65536, "b"))
    assert all(carried)


@pytest.mark.parametrize(
    ("piece", "other", "key"), [(0x159, 0x400, 0x559), (0x5, 0xA80, 0xA85), (0x5, 0x4, 0x5)]
)
def test_key_pieces_are_joined_by_or(piece: int, other: int, key: int) -> None:
    _, carried = reported(client_of(source("x", key=piece)), trigger(1, 70, key=other))
    assert carried == [(Contribution(key=key, value=70),)]


def test_the_sparsity_budget_counts_contributions() -> None:
    client = client_of(source("x"))
    client, carried = reported(client, *(trigger(number) for number in range(21)))
    assert [bool(parts) for parts in carried] == [True] * 20 + [False]
    assert client.budgets["x"] == Budget(value=20, count=20)


def test_the_newest_matching_source_wins() -> None:
    client = client_of(source("old", key=1), source("new", key=2), source("other", "b", key=4))
    client, carried = reported(client, trigger(1))
    assert carried == [(Contribution(key=2, value=1),)]
    assert client.budgets["old"] == Budget()


def test_a_source_of_another_destination_does_not_match() -> None:
    client = client_of(replace(source("x"), destination="elsewhere"))
    assert reported(client, trigger(1))[1] == [()]


def test_a_source_is_active_until_its_expiry_and_not_at_it() -> None:
    client = client_of(source("x", expiry=10))
    assert all(reported(client, trigger(1), now=9)[1])
    assert reported(client, trigger(1), now=10)[1] == [()]


def test_an_expired_source_makes_way_for_an_older_one() -> None:
    client = client_of(source("old", key=1), source("new", key=2, expiry=10))
    assert reported(client, trigger(1), now=10)[1] == [(Contribution(key=1, value=1),)]


def test_expired_sources_are_skipped_once_and_the_rest_stays() -> None:
    client = client_of(source("old", key=1), *(source(f"s{n}", expiry=10) for n in range(5)))
    after, _ = reported(client, trigger(1), now=10)
    assert list(after.order.newest_first("shop")) == ["old"]
    assert not reported(client_of(source("x", expiry=10)), trigger(1), now=10)[0].order.newest
    later = register_source(PAPER, client, source("latest", key=2), 10)
    assert list(later.order.newest_first("shop")) == ["latest", "old"]


def test_an_expired_source_between_active_ones_is_passed_over() -> None:
    client = client_of(source("old", key=1), source("gone", expiry=10), source("new", "b"))
    assert reported(client, trigger(1), now=10)[1] == [(Contribution(key=1, value=1),)]


def test_a_changed_rule_may_match_sources_of_other_destinations() -> None:
    anywhere = replace(PAPER, matches=lambda one, other: bool(one.filters & other.filters))
    client = client_of(source("here", key=1), replace(source("there", key=2), destination="far"))
    assert reported(client, trigger(1))[1] == [(Contribution(key=1, value=1),)]
    assert reported(client, trigger(1), rules=anywhere)[1] == [(Contribution(key=2, value=1),)]
    late, carried = reported(client, trigger(1), now=100, rules=anywhere)
    assert carried == [()]
    assert not list(late.order.newest_first(ANYWHERE))


def test_an_equal_rule_under_another_name_finds_the_same_sources() -> None:
    same = replace(PAPER, matches=lambda one, other: PAPER.matches(one, other))
    kinds = product("xy", "ab", range(2))
    client = client_of(*(replace(source(f"{to}{a}{n}", a), destination=to) for to, a, n in kinds))
    for destination, filters in product("xyz", "ab"):
        given = replace(trigger(1, filters=filters), destination=destination)
        lists = [
            list(Candidates(rules=rules, client=client, trigger=given, now=0))
            for rules in (PAPER, same)
        ]
        assert lists[0] == lists[1]
        assert len(lists[0]) == (2 if destination in "xy" else 0)


def test_candidates_are_a_sequence_that_is_read_only_as_far_as_needed() -> None:
    looked_at = []

    def matches(one: Source, other: Trigger) -> bool:
        looked_at.append(one.source_id)
        return PAPER.matches(one, other)

    rules = replace(PAPER, matches=matches)
    client = client_of(*(source(name) for name in "abcdef"))
    candidates = Candidates(rules=rules, client=client, trigger=trigger(1), now=0)
    assert next(iter(candidates)).source_id == "f"
    assert looked_at == ["f"]
    assert [each.source_id for each in candidates] == list("fedcba")
    assert len(candidates) == 6
    assert candidates[0].source_id == "f"
    assert [each.source_id for each in candidates[1:3]] == ["e", "d"]


def test_the_order_of_attempts_is_a_rule() -> None:
    oldest = replace(PAPER, attempt_order=lambda candidates, _: tuple(candidates)[::-1])
    client = client_of(source("old", key=1), source("new", key=2))
    assert reported(client, trigger(1), rules=oldest)[1] == [(Contribution(key=1, value=1),)]


def test_the_order_of_attempts_may_be_random() -> None:
    def either(candidates: Sequence[Source], _: Trigger) -> Distribution[Sequence[Source]]:
        backwards = tuple(candidates)[::-1]
        return Distribution.of({tuple(candidates): Fraction(2, 3), backwards: Fraction(1, 3)})

    rules = replace(PAPER, attempt_order=either)
    client = client_of(source("old", key=1), source("new", key=2))
    law = explore(lambda draw: register_trigger(rules, client, trigger(1), 0, draw)[2])
    keys = law.map(lambda sent: sent.contributions[0].key)
    assert keys == Distribution.of({2: Fraction(2, 3), 1: Fraction(1, 3)})


def test_only_sources_as_they_are_registered_may_be_attempted() -> None:
    def renamed(candidates: Sequence[Source], _: Trigger) -> Sequence[Source]:
        return tuple(replace(each, source_id="old") for each in candidates)

    client = client_of(source("old", key=1), source("new", key=2))
    with pytest.raises(NotACandidate, match="'old'"):
        reported(client, trigger(1), rules=replace(PAPER, attempt_order=renamed))


def test_the_credits_say_who_contributes() -> None:
    _, credits, sent = register_trigger(PAPER, client_of(source("x")), trigger(7, 3), 0, CERTAIN)
    part = Contribution(key=0, value=3)
    assert credits == (Credit(unit="x", contributions=(part,)),)
    assert sent == Report(report_id=7, contributions=(part,))


def test_a_source_is_registered_once() -> None:
    client = client_of(source("x"))
    with pytest.raises(DuplicateSource, match="'x'"):
        register_source(PAPER, client, source("x", key=3), 0)
