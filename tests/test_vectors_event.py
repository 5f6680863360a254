from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
from flint import ctx

from sandproof.capacity import channel_capacity, largest_epsilon, response_rate
from spec.event_outputs import Output, OutputSet
from spec.numbers import NATURAL, Base, Power, bounds
from tests.small import uncapped

VECTORS = json.loads((Path(__file__).parent / "vectors.json").read_text())

# The published figures are doubles that were computed in floating point.
ROUNDING = Fraction(1, 2**50)


def cases(table: str) -> list[list[object]]:
    listed: list[list[object]] = VECTORS[table]["cases"]
    assert listed
    return listed


def power_of(epsilon: object) -> Power:
    if epsilon == "ln3":
        return Power(Base(Fraction(3)), Fraction(1))
    assert isinstance(epsilon, int)
    return Power(NATURAL, Fraction(epsilon))


def agrees(enclosure: tuple[Fraction, Fraction], published: float) -> bool:
    low, high = enclosure
    figure = Fraction(published)
    assert high - low <= figure * ROUNDING, "the enclosure is wider than the tolerance"
    return low * (1 - ROUNDING) <= figure <= high * (1 + ROUNDING)


def rate(size: int, epsilon: object) -> tuple[Fraction, Fraction]:
    with ctx.workprec(128):
        return bounds(response_rate(power_of(epsilon).value(), size))


@pytest.mark.parametrize(("maximum", "windows", "size"), cases("event_output_counts_uncapped"))
def test_uncapped_output_counts(maximum: int, windows: list[int], size: int) -> None:
    assert uncapped(maximum, tuple(windows)).size() == size


@pytest.mark.parametrize(
    ("maximum", "windows", "buckets", "size"), cases("event_output_counts_capped")
)
def test_capped_output_counts(
    maximum: int, windows: list[int], buckets: list[int], size: int
) -> None:
    outputs = OutputSet(maximum_reports=maximum, windows=tuple(windows), buckets=tuple(buckets))
    assert outputs.size() == size


@pytest.mark.parametrize(("size", "epsilon", "published"), cases("randomized_response_rate"))
def test_randomized_response_rate(size: int, epsilon: object, published: float) -> None:
    assert agrees(rate(size, epsilon), published)


@pytest.mark.parametrize(
    ("size", "epsilon", "published"), cases("randomized_response_rate_rounded")
)
def test_randomized_response_rate_to_seven_decimals(
    size: int, epsilon: object, published: float
) -> None:
    low, high = rate(size, epsilon)
    assert round(low * 10**7) == round(high * 10**7) == round(Fraction(published) * 10**7)


@pytest.mark.parametrize(("size", "epsilon", "published"), cases("channel_capacity_bits"))
def test_channel_capacity(size: int, epsilon: object, published: float) -> None:
    assert agrees(channel_capacity(power_of(epsilon), size), published)


@pytest.mark.parametrize(
    ("size", "bits", "limit", "published"), cases("largest_epsilon_for_capacity")
)
def test_largest_epsilon_for_capacity(size: int, bits: float, limit: int, published: float) -> None:
    low, high = largest_epsilon(size, Fraction(bits), Fraction(limit))
    # The publisher's search stops within a few units of the last place.
    tolerance = Fraction(1, 10**13)
    assert high - low < tolerance
    assert low - tolerance <= Fraction(published) <= high + tolerance


def reports(output: Output) -> list[list[int]]:
    """List (trigger data, window) per report as the published table does, the last first."""
    cells = [
        (window, datum)
        for datum, counts in enumerate(output)
        for window, count in enumerate(counts)
        for _ in range(count)
    ]
    return [[datum, window] for window, datum in sorted(cells, reverse=True)]


@pytest.mark.parametrize(
    ("kind", "outputs"),
    [("event", uncapped(1, (1, 1))), ("navigation", uncapped(3, (3,) * 8))],
)
def test_index_of_an_output(kind: str, outputs: OutputSet) -> None:
    table: list[tuple[int, list[list[int]]]] = VECTORS["output_set_index"]["cases"][kind]
    assert table
    for index, listed in table:
        assert reports(outputs.output(index)) == listed
