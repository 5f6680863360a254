"""External figures about noise, thresholds and tails hold."""

from __future__ import annotations

import json
from fractions import Fraction
from math import isclose
from pathlib import Path
from typing import cast

import pytest
from flint import ctx

from spec.noise import DiscreteLaplace, smallest_sound_truncation, threshold
from spec.numbers import NATURAL, Power, bounds, floor_log

HERE = Path(__file__).parent
SHARED = HERE.parent.parent / "shared" / "vectors.json"

Row = list[float]


def _tables(path: Path) -> dict[str, dict[str, object]]:
    return cast(dict[str, dict[str, object]], json.loads(path.read_text(encoding="utf-8")))


def _rows(table: str) -> list[Row]:
    return cast(list[Row], _tables(HERE / "vectors.json")[table]["cases"])


def _decimal(figure: float) -> Fraction:
    """Return the decimal that a published figure is written as, not the nearest double."""
    return Fraction(repr(figure))


def _middle(noise: DiscreteLaplace, x: int) -> Fraction:
    with ctx.workprec(200):
        low, high = bounds(noise.tail(x))
    assert high - low < Fraction(1, 2**120)
    return (low + high) / 2


@pytest.mark.skipif(not SHARED.exists(), reason="the shared figures are not beside this project")
def test_our_copy_of_the_figures_agrees_with_the_shared_one() -> None:
    ours, shared = _tables(HERE / "vectors.json"), _tables(SHARED)
    assert {name: shared.get(name) for name in ours} == ours


@pytest.mark.parametrize("row", _rows("service_threshold_without_sparsity"))
def test_the_service_threshold(row: Row) -> None:
    contribution, epsilon, delta = int(row[0]), _decimal(row[1]), _decimal(row[2])
    assert threshold(contribution, 1, epsilon, delta, NATURAL) == int(row[3])
    digits = 10**9
    fine = floor_log(Power(NATURAL, epsilon / (contribution * digits)), 1 / delta)
    assert isclose(contribution + fine / digits, row[3], rel_tol=1e-9)


@pytest.mark.parametrize("row", _rows("truncated_half_width"))
def test_the_truncated_half_width(row: Row) -> None:
    shift, rate, delta, width = int(row[0]), _decimal(row[1]), _decimal(row[2]), int(row[3])
    assert smallest_sound_truncation(shift, rate * shift, delta, NATURAL) == width
    decay = Power(NATURAL, -rate)
    assert _middle(DiscreteLaplace(decay, width), width - shift) <= delta
    assert _middle(DiscreteLaplace(decay, width - 1), width - 1 - shift) > delta


@pytest.mark.parametrize("row", _rows("discrete_laplace_delta"))
def test_the_exact_delta_of_discrete_laplace_noise(row: Row) -> None:
    noise, shift = DiscreteLaplace(Power(NATURAL, -_decimal(row[0]))), int(row[1])
    power = sum(Power(NATURAL, _decimal(row[2])).enclosure(200)) / 2
    below = range(-40 * shift, 60 * shift)
    gains = [(1 - _middle(noise, x)) - power * (1 - _middle(noise, x - shift)) for x in below]
    assert isclose(max(*gains, 1 - power, Fraction(0)), row[3], rel_tol=1e-8, abs_tol=1e-8)


@pytest.mark.parametrize("row", _rows("discrete_laplace_cdf"))
def test_the_distribution_function_of_discrete_laplace_noise(row: Row) -> None:
    noise = DiscreteLaplace(Power(NATURAL, -_decimal(row[0])))
    assert isclose(1 - _middle(noise, int(row[1])), row[2], rel_tol=1e-7)


@pytest.mark.parametrize("row", _rows("integer_threshold_delta_upper_bound"))
def test_the_delta_of_an_integer_threshold(row: Row) -> None:
    scale, level, shift, figure = _decimal(row[0]), int(row[1]), int(row[2]), Fraction(row[3])
    exact = _middle(DiscreteLaplace(Power(NATURAL, -1 / scale)), level - shift)
    assert exact <= figure
    assert (figure - exact) / exact < Fraction(1, 10**9)
