"""The paper's three examples come out exactly, through the system and as shipped traces."""

from __future__ import annotations

from pathlib import Path

import pytest

import sandproof
from sandproof.sampling import Sampler, SeededEntropy
from sandproof.simulation import Noiseless, simulate
from sandproof.trace import first_view, read_trace
from spec import (
    PAPER,
    Contribution,
    DeviceWindow,
    Event,
    EventClient,
    EventReport,
    EventSource,
    EventTrigger,
    Move,
    OnDevice,
    PassTime,
    Source,
    Trigger,
    TriggerSpecification,
    output_set,
    replace,
)
from tests.small import play, query, sums

TRACES = Path(sandproof.__file__).parent / "traces"
DAY = 24 * 60 * 60


def results(name: str) -> list[tuple[int, str, str]]:
    rows = simulate(read_trace(TRACES / name), Noiseless())
    return [(row.time, row.cause, row.result) for row in rows]


THANKSGIVING = Source(
    source_id="ad",
    destination="shoes-website.com",
    expiry=3 * DAY,
    filters=frozenset({"sneakers", "sandals", "flip-flops"}),
    key=int.from_bytes(b"Thanksgiving:   "),
)
SNEAKERS = Trigger(
    report_id=1,
    destination="shoes-website.com",
    filters=frozenset({"sneakers"}),
    key=int.from_bytes(b"     shoes-value"),
    value=70,
)


def test_a_sneaker_is_attributed_to_the_thanksgiving_ad() -> None:
    late = replace(SNEAKERS, report_id=2)
    moves: list[Move] = [THANKSGIVING, PassTime(until=DAY), SNEAKERS, PassTime(until=3 * DAY), late]
    system, seen = play(PAPER, moves)
    key = THANKSGIVING.key | SNEAKERS.key
    assert system.reports[1].contributions == (Contribution(key=key, value=70),)
    assert system.reports[2].is_null
    assert seen == [(), (), (1,), (), (2,)]
    _, (told,) = play(PAPER, [query(1, 2, keys=(key, 1))], system=system)
    assert sums(told) == {key: 70, 1: 0}


def test_the_first_trace_is_the_thanksgiving_example() -> None:
    assert results("attribution_summary.json") == [
        (0, "source", "thanksgiving registered"),
        (DAY, "trigger", "report 1: key 0x559 value 70, from thanksgiving"),
        (3 * DAY, "trigger", "null report 2: no active matching source can take it"),
        (3 * DAY, "query", "summary: key 0x559 sum 70 (true sum 70)"),
        (3 * DAY, "query", "refused: the privacy budget of a report is used up"),
    ]


SHOES, PANTS, JACKET, SHIRT = 1, 2, 3, 4
HALF = PAPER.limits.contribution_budget // 2


def view(report_id: int, campaign: int) -> Event:
    return Event(report_id=report_id, device="phone", program=first_view(campaign, HALF))


def test_reach_counts_two_first_views_per_window() -> None:
    first = [view(1, SHOES), view(2, PANTS), view(3, JACKET)]
    second = [view(4, SHIRT), view(5, SHOES)]
    window = PassTime(until=PAPER.limits.window_length)
    system, seen = play(PAPER, [*first, window, *second])
    carried = {number: system.reports[number].contributions for number in range(1, 6)}
    assert carried == {
        1: (Contribution(key=SHOES, value=HALF),),
        2: (Contribution(key=PANTS, value=HALF),),
        3: (),
        4: (Contribution(key=SHIRT, value=HALF),),
        5: (),
    }
    assert seen == [(1,), (2,), (3,), (), (4,), (5,)]
    used = {unit: spent.value for unit, spent in system.aggregation["phone"].budgets.items()}
    windows = [DeviceWindow(device="phone", window=number) for number in (0, 1)]
    assert used == dict(zip(windows, (2 * HALF, HALF), strict=True))


def test_the_second_trace_is_the_example_of_reach() -> None:
    assert results("private_aggregation.json") == [
        (0, "event", "report 1: key 0x1 value 32768, from phone"),
        (60, "event", "report 2: key 0x2 value 32768, from phone"),
        (120, "event", "null report 3: the budget of this window is used up"),
        (600, "event", "report 4: key 0x4 value 32768, from phone"),
        (660, "event", "null report 5: value 0"),
        (
            660,
            "query",
            "summary: key 0x1 sum 32768 (true sum 32768), key 0x2 sum 32768 (true sum 32768), "
            "key 0x3 sum 0 (true sum 0), key 0x4 sum 32768 (true sum 32768)",
        ),
    ]


FOOTWEAR = EventSource(
    source_id="s",
    destination="shoes-website.com",
    expiry=30 * DAY,
    filters=frozenset({"footwear"}),
    maximum_reports=3,
    specifications=(
        TriggerSpecification(data="sneakers", windows=(2 * DAY, 7 * DAY), buckets=(20, 70)),
        TriggerSpecification(data="sandals", windows=(1 * DAY, 5 * DAY), buckets=(10, 50)),
    ),
)
PURCHASES = {1: ("sneakers", 30), 2: ("sandals", 60), 4: ("sneakers", 65), 6: ("sneakers", 10)}


def test_a_week_of_purchases_sends_three_event_level_reports() -> None:
    sent = {}
    system, _ = play(PAPER, [FOOTWEAR], Noiseless())
    for day in range(1, 8):
        if day in PURCHASES:
            data, value = PURCHASES[day]
            bought = EventTrigger(
                trigger_id=f"day {day}",
                destination="shoes-website.com",
                filters=frozenset({"footwear"}),
                data=data,
                value=value,
            )
            system, _ = play(PAPER, [bought], system=system)
        system, (seen,) = play(PAPER, [PassTime(until=day * DAY)], system=system)
        sent[day] = [(each.data, each.bucket) for each in seen if isinstance(each, EventReport)]
    assert sent == {
        1: [],
        2: [("sneakers", 20)],
        3: [],
        4: [],
        5: [("sandals", 10), ("sandals", 50)],
        6: [],
        7: [],
    }
    assert not system.events["device"].records[0].active


def test_the_third_trace_is_the_week_of_purchases() -> None:
    assert [row for row in results("event_level.json") if row[1] == "window"] == [
        (2 * DAY, "window", "event-level report: footwear, sneakers, bucket 20"),
        (5 * DAY, "window", "event-level report: footwear, sandals, bucket 10"),
        (5 * DAY, "window", "event-level report: footwear, sandals, bucket 50"),
    ]
    assert results("event_level.json")[-1][2] == "value 40 for sneakers credited to no source"


def test_the_week_has_27_outputs_of_36_pairs() -> None:
    at = OnDevice(rules=PAPER, now=0, client=EventClient(), cause=FOOTWEAR)
    outputs = output_set(at, FOOTWEAR)
    assert len(list(outputs)) == outputs.size() == 27
    pairs = output_set(at, replace(FOOTWEAR, maximum_reports=4))
    assert pairs.size() == 36
    assert sum(sum(map(sum, output)) == 4 for output in pairs) == 9


@pytest.mark.parametrize("path", sorted(TRACES.glob("*.json")), ids=lambda path: path.stem)
def test_every_shipped_trace_runs(path: Path) -> None:
    assert list(simulate(read_trace(path), Sampler(SeededEntropy(1))))
