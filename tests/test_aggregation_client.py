from __future__ import annotations

import pytest
from immutables import Map

from spec import (
    PAPER,
    AggregationClient,
    Budget,
    Contribution,
    DeviceWindow,
    Event,
    Program,
    Storage,
    replace,
)
from spec.private_aggregation_client import BadProgram, register_event
from tests.small import CERTAIN, event

MINUTE = 60


def contributes(value: int, key: int = 1) -> Program:
    return lambda storage: (storage, key, value)


def counted(storage: Storage) -> tuple[Storage, int, int]:
    """Contribute 1 to a key that counts the runs of this program."""
    runs = storage.get("runs", 0)
    assert isinstance(runs, int)
    return storage.set("runs", runs + 1), runs, 1


def reported(
    events: list[tuple[int, Event]], client: AggregationClient | None = None
) -> tuple[AggregationClient, list[tuple[Contribution, ...]]]:
    """Return what the reports of events at given times carry."""
    client = AggregationClient() if client is None else client
    carried = []
    for now, each in events:
        client, _, sent = register_event(PAPER, client, each, now, CERTAIN)
        assert sent.report_id == each.report_id
        carried.append(sent.contributions)
    return client, carried


def test_a_request_above_the_budget_is_refused_and_costs_nothing() -> None:
    client, carried = reported(
        [(0, event(1, contributes(65537))), (0, event(2, contributes(65536)))]
    )
    assert [bool(parts) for parts in carried] == [False, True]
    assert client.budgets[DeviceWindow(device="d", window=0)] == Budget(value=65536, count=1)


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
    client, carried = reported([(0, each) for each in events])
    assert all(carried)
    assert len(client.budgets) == 3


def test_the_sparsity_budget_counts_contributions() -> None:
    _, carried = reported([(0, event(n, contributes(1))) for n in range(21)])
    assert [bool(parts) for parts in carried] == [True] * 20 + [False]


def test_a_program_reads_and_writes_the_storage_of_its_device() -> None:
    events = [event(1, counted), event(2, counted), event(3, counted, device="e")]
    client, carried = reported([(0, each) for each in events])
    assert [parts[0].key for parts in carried] == [0, 1, 0]
    assert client.storage["d"] == Map({"runs": 2})


def test_storage_changes_even_if_the_contribution_is_refused() -> None:
    def greedy(storage: Storage) -> tuple[Storage, int, int]:
        return storage.set("ran", True), 1, 65537

    client, carried = reported([(0, event(1, greedy))])
    assert carried == [()]
    assert client.storage["d"] == Map({"ran": True})


def test_the_unit_of_the_budget_is_a_rule() -> None:
    rules = replace(PAPER, budget_unit=lambda limits, each, now: each.device)
    client = AggregationClient()
    for now in (0, 10 * MINUTE):
        client, _, sent = register_event(
            rules, client, event(now, contributes(65536)), now, CERTAIN
        )
    assert sent.is_null


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
