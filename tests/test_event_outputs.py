from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spec.event_client import EventClient, EventSource, TriggerSpecification
from spec.event_outputs import (
    BadOutputSet,
    NoSuchOutput,
    Output,
    OutputSet,
    output_set,
)
from spec.numbers import NotWhole
from spec.paper import PAPER
from spec.rules import OnDevice
from tests.small import uncapped

EXAMPLE = OutputSet(maximum_reports=3, windows=(2, 2), buckets=(2, 2))
LARGEST = uncapped(20, (5,) * 32)


def by_filtering(outputs: OutputSet) -> Iterator[Output]:
    """List every array of counts and keep what respects the limits, read off the definition."""
    rows = [
        list(product(range(outputs.maximum_reports + 1), repeat=windows))
        for windows in outputs.windows
    ]
    for output in product(*rows):
        total = sum(sum(counts) for counts in output)
        if total <= outputs.maximum_reports and all(
            sum(counts) <= most for counts, most in zip(output, outputs.buckets, strict=True)
        ):
            yield output


def small_sets() -> Iterator[OutputSet]:
    singles = list(product(range(3), range(4)))
    pairs = list(product(range(3), range(3)))
    for maximum in range(4):
        yield OutputSet(maximum_reports=maximum, windows=(), buckets=())
        for windows, buckets in singles:
            yield OutputSet(maximum_reports=maximum, windows=(windows,), buckets=(buckets,))
        for both_windows, both_buckets in product(pairs, pairs):
            yield OutputSet(maximum_reports=maximum, windows=both_windows, buckets=both_buckets)
    yield OutputSet(maximum_reports=3, windows=(1, 2, 1), buckets=(2, 1, 3))
    yield OutputSet(maximum_reports=5, windows=(3, 1, 2), buckets=(1, 4, 2))


def source_of(outputs: OutputSet) -> EventSource:
    return EventSource(
        source_id="s",
        destination="shop",
        expiry=100,
        filters=frozenset({"f"}),
        maximum_reports=outputs.maximum_reports,
        specifications=tuple(
            TriggerSpecification(
                data=datum,
                windows=tuple(range(1, windows + 1)),
                buckets=tuple(range(1, buckets + 1)),
            )
            for datum, (windows, buckets) in enumerate(
                zip(outputs.windows, outputs.buckets, strict=True)
            )
        ),
    )


def test_the_example_has_six_outcomes_per_datum_and_27_in_all() -> None:
    sandals = OutputSet(maximum_reports=3, windows=(2,), buckets=(2,))
    assert {output[0] for output in sandals} == {(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (2, 0)}
    pairs = list(product(sandals, repeat=2))
    four = [pair for pair in pairs if sum(sum(datum) for (datum,) in pair) == 4]
    assert (len(pairs), len(four)) == (36, 9)
    assert EXAMPLE.size() == len(list(EXAMPLE)) == 27


def test_the_rule_reads_the_output_set_off_the_source() -> None:
    source = source_of(EXAMPLE)
    at = OnDevice(rules=PAPER, now=0, client=EventClient(), cause=source)
    assert output_set(at, source) == EXAMPLE


def test_the_default_navigation_source_has_2925_outputs() -> None:
    outputs = uncapped(3, (3,) * 8)
    assert outputs.size() == 2925
    assert sum(1 for _ in outputs) == 2925


def test_the_largest_source_is_counted_without_enumeration() -> None:
    assert LARGEST.size() == 175142105857592248012292655


def test_the_count_is_that_of_a_filtered_listing_for_every_small_set() -> None:
    checked = 0
    for outputs in small_sets():
        listed = list(by_filtering(outputs))
        assert outputs.size() == len(listed)
        assert sorted(outputs) == sorted(listed)
        assert all(output in outputs for output in listed)
        checked += 1
    assert checked > 300


def test_outputs_are_listed_in_the_order_of_their_indices() -> None:
    for outputs in small_sets():
        assert list(outputs) == [outputs.output(index) for index in range(outputs.size())]


def weight(outputs: OutputSet, output: Output) -> list[int]:
    """Return the counts of an output, those of the last window first, then of the last datum."""
    most = max(outputs.windows, default=0)
    return [
        counts[window]
        for window in reversed(range(most))
        for counts in reversed(output)
        if window < len(counts)
    ]


@settings(deadline=None)
@given(
    st.integers(0, 30),
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 20)), max_size=6),
    st.data(),
)
def test_indices_follow_the_order_in_sets_of_any_size(
    maximum: int, shape: list[tuple[int, int]], data: st.DataObject
) -> None:
    """As many outputs as there are indices, all different: every output has one."""
    outputs = OutputSet(
        maximum_reports=maximum,
        windows=tuple(windows for windows, _ in shape),
        buckets=tuple(buckets for _, buckets in shape),
    )
    in_order(outputs, *(data.draw(st.integers(0, outputs.size() - 1)) for _ in range(2)))


@settings(deadline=None, max_examples=20)
@given(st.integers(0, LARGEST.size() - 2), st.integers(1, 1000))
def test_indices_follow_the_order_in_the_largest_set(index: int, further: int) -> None:
    in_order(LARGEST, index, min(index + further, LARGEST.size() - 1))


def in_order(outputs: OutputSet, one: int, other: int) -> None:
    low, high = (outputs.output(index) for index in sorted((one, other)))
    assert low in outputs
    assert high in outputs
    assert (weight(outputs, low) < weight(outputs, high)) == (one != other)


def test_a_later_window_weighs_more_and_then_a_later_datum() -> None:
    outputs = uncapped(1, (2, 2))
    assert list(outputs) == [
        ((0, 0), (0, 0)),
        ((1, 0), (0, 0)),
        ((0, 0), (1, 0)),
        ((0, 1), (0, 0)),
        ((0, 0), (0, 1)),
    ]


def test_a_prefix_extends_exactly_if_some_output_begins_with_it() -> None:
    for outputs in small_sets():
        listed = list(by_filtering(outputs))
        counts = range(outputs.maximum_reports + 2)
        rows = [
            [row for length in range(windows + 1) for row in product(counts, repeat=length)]
            for windows in outputs.windows
        ]
        if sum(map(len, rows)) > 60:
            continue
        for prefix in product(*rows):
            begins = any(
                all(row == whole[: len(row)] for row, whole in zip(prefix, output, strict=True))
                for output in listed
            )
            assert outputs.extends(prefix) == begins, (outputs, prefix)


def test_a_prefix_of_another_shape_does_not_extend() -> None:
    assert not EXAMPLE.extends(((0, 0),))
    assert not EXAMPLE.extends(((0, 0, 0), (0, 0)))


def test_what_is_not_an_output_is_not_in_the_set() -> None:
    assert ((1, 0), (1, 1)) in EXAMPLE
    for stranger in (
        ((2, 0), (1, 1)),
        ((3, 0), (0, 0)),
        ((-1, 1), (0, 0)),
        ((0, 0),),
        ((0, 0), (0, 0, 0)),
        ((True, 0), (0, 0)),
        (0, 0),
        [[0, 0], [0, 0]],
        None,
    ):
        assert stranger not in EXAMPLE


@pytest.mark.parametrize("index", [-1, 27, 10**30])
def test_an_index_outside_the_set_is_refused(index: int) -> None:
    with pytest.raises(NoSuchOutput, match=str(index)):
        EXAMPLE.output(index)


def test_an_index_that_is_no_number_is_refused() -> None:
    with pytest.raises(NotWhole, match="index"):
        EXAMPLE.output(1.0)  # type: ignore[arg-type]


def test_a_set_of_mismatched_or_negative_numbers_is_refused() -> None:
    with pytest.raises(BadOutputSet, match="2 data have windows, 1 buckets"):
        OutputSet(maximum_reports=1, windows=(1, 1), buckets=(1,))
    with pytest.raises(BadOutputSet, match="-1"):
        OutputSet(maximum_reports=-1, windows=(), buckets=())
    with pytest.raises(BadOutputSet, match="-2"):
        OutputSet(maximum_reports=1, windows=(-2,), buckets=(1,))
    with pytest.raises(NotWhole, match="buckets"):
        OutputSet(maximum_reports=1, windows=(1,), buckets=("3",))  # type: ignore[arg-type]
