from __future__ import annotations

from fractions import Fraction

import pytest
from flint import arb, ctx, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from sandproof import exponentials
from sandproof.exponentials import LARGEST, SCALE, exponential_bounds
from spec.numbers import bounds


def truth(numerator: int, denominator: int) -> tuple[Fraction, Fraction]:
    with ctx.workprec(1000):
        low, high = bounds(arb(fmpq(-numerator, denominator)).exp())
    return low * (1 << SCALE), high * (1 << SCALE)


numbers = st.one_of(
    st.tuples(st.integers(0, 10**6), st.integers(1, 10**6)),
    st.tuples(st.integers(0, 70 << 45), st.just(1 << 45)),
    st.tuples(st.integers(0, 70), st.just(1)),
)


@settings(max_examples=500)
@given(numbers)
def test_the_exponential_lies_between_its_bounds(fraction: tuple[int, int]) -> None:
    low, high = exponential_bounds(*fraction)
    least, most = truth(*fraction)
    assert low <= least <= most <= high
    assert high - low <= max(1 << SCALE - 39, 1 << SCALE - LARGEST)


@pytest.mark.parametrize("slack", [-(1 << 60), 0])
def test_bounds_that_count_too_few_errors_are_noticed(
    slack: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exponentials, "SLACK", slack)
    fractions = [(each, 1000) for each in range(2000)]
    assert any(truth(*each)[1] > exponential_bounds(*each)[1] for each in fractions)
