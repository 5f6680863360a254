from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from immutables import Map

from spec import (
    PAPER,
    AggregationClient,
    Budget,
    Contribution,
    Credit,
    DeviceWindow,
    Draw,
    Event,
    PassTime,
    Program,
    Rules,
    Storage,
    System,
    replace,
    step,
)
from spec.private_aggregation_client import BadProgram
from spec.reports import BadKey, BadReportId, BadValue
from spec.system import BudgetDecided
from tests.small import CERTAIN, event

if TYPE_CHECKING:
    from spec.rules import AtEvent

MINUTE = 60


def contributes(value: int, key: int = 1) -> Program:
    return lambda storage: (storage, key, value)


def counted(storage: Storage) -> tuple[Storage, int, int]:
    """Contribute 1 to a key that counts the runs of this program."""
    runs = storage.get("runs", 0)
    assert isinstance(runs, int)
    return storage.set("runs", runs + 1), runs, 1


def reported(
    events: list[tuple[int, Event]], rules: Rules = PAPER
) -> tuple[System, list[tuple[Contribution, ...]]]:
    """Return what the reports of events at given times carry."""
    system = System()
    carried = []
    for now, each in events:
        if now > system.now:
            system, _ = step(rules, system, PassTime(until=now), CERTAIN)
        system, _ = step(rules, system, each, CERTAIN)
        carried.append(system.reports[each.report_id].contributions)
    return system, carried


def test_a_request_above_the_budget_is_refused_and_costs_nothing() -> None:
    system, carried = reported(
        [(0, event(1, contributes(65537))), (0, event(2, contributes(65536)))]
    )
    assert [bool(parts) for parts in carried] == [False, True]
    unit = DeviceWindow(device="d", window=0)
    assert system.aggregation["d"].budgets[unit] == Budget(value=65536, count=1)


def test_windows_are_fixed_and_each_has_its_own_budget() -> None:
    """The shipped API lets windows roll: the second request of minute 9 fails, minute 10 passes."""
    minutes = [*range(10), 9, 10]
    events = [(m * MINUTE, event(n, contributes(6553))) for n, m in enumerate(sorted(minutes))]
    _, carried = reported(events)
    assert [bool(parts) for parts in carried] == [True] * 10 + [False, True]
    last_and_first = [(9 * MINUTE + 59, event(1, contributes(65536)))]
    last_and_first.append((10 * MINUTE, event(2, contributes(65536))))
    assert all(reported(last_and_first)[1])


def test_devices_and_ad_techs_have_their_own_budgets() -> None:
    full = contributes(65536)
    events = [event(1, full), event(2, full, device="e"), event(3, full, ad_tech="other")]
    system, carried = reported([(0, each) for each in events])
    assert all(carried)
    assert {device: len(client.budgets) for device, client in system.aggregation.items()} == {
        "d": 2,
        "e": 1,
    }


def test_the_sparsity_budget_counts_contributions() -> None:
    _, carried = reported([(0, event(n, contributes(1))) for n in range(21)])
    assert [bool(parts) for parts in carried] == [True] * 20 + [False]


def test_a_program_reads_and_writes_the_storage_of_its_device() -> None:
    events = [event(1, counted), event(2, counted), event(3, counted, device="e")]
    system, carried = reported([(0, each) for each in events])
    assert [parts[0].key for parts in carried] == [0, 1, 0]
    assert system.aggregation["d"].storage == Map({"runs": 2})
    assert system.aggregation["e"].storage == Map({"runs": 1})


def test_ad_techs_share_the_storage_of_a_device() -> None:
    _, carried = reported([(0, event(1, counted)), (0, event(2, counted, ad_tech="other"))])
    assert [parts[0].key for parts in carried] == [0, 1]


def test_storage_changes_even_if_the_contribution_is_refused() -> None:
    def greedy(storage: Storage) -> tuple[Storage, int, int]:
        return storage.set("ran", True), 1, 65537

    system, carried = reported([(0, event(1, greedy))])
    assert carried == [()]
    assert system.aggregation["d"].storage == Map({"ran": True})


def test_the_unit_of_the_budget_is_a_rule() -> None:
    rules = replace(PAPER, budget_unit=lambda at: at.cause.device)
    full = [(now, event(now, contributes(65536))) for now in (0, 10 * MINUTE)]
    assert [bool(parts) for parts in reported(full, rules)[1]] == [True, False]


def test_to_propose_changes_no_budget() -> None:
    def spend_first(at: AtEvent, draw: Draw) -> tuple[AggregationClient, tuple[Credit, ...]]:
        client, credits = PAPER.propose(at, draw)
        return replace(client, budgets=at.rules.contribute(at, credits)[0]), credits

    with pytest.raises(BudgetDecided, match="contribute"):
        reported([(0, event(1, contributes(1)))], replace(PAPER, propose=spend_first))


@pytest.mark.parametrize(
    "returned", [None, (Map(), 1), (Map(), 1, 2, 3), ({}, 1, 2), [Map(), 1, 2]]
)
def test_a_program_returns_a_storage_a_key_and_a_value(returned: object) -> None:
    def program(_: Storage) -> tuple[Storage, int, int]:
        return returned  # type: ignore[return-value]

    with pytest.raises(BadProgram):
        reported([(0, event(1, program))])


def test_a_program_is_a_function() -> None:
    with pytest.raises(BadProgram, match="17"):
        event(1, 17)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("key", "value", "error"), [(2**128, 1, BadKey), (-1, 1, BadKey), (1, -1, BadValue)]
)
def test_what_a_program_or_a_changed_rule_contributes_is_checked(
    key: int, value: int, error: type[Exception]
) -> None:
    """What a changed rule makes is granted nothing; an error would tell of the device."""
    part = Contribution(key=key, value=value)
    changed = replace(PAPER, run_program=lambda at: (at.client.storage, (part,)))
    assert reported([(0, event(1, contributes(1)))], changed)[1] == [()]
    with pytest.raises(error):
        reported([(0, event(1, contributes(value, key)))])


@pytest.mark.parametrize("report_id", [-1, 2**128])
def test_a_report_identifier_has_128_bits(report_id: int) -> None:
    with pytest.raises(BadReportId, match=str(report_id)):
        event(report_id, contributes(1))
