"""Approximate concentrated privacy: divergences, orders and events."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from spec.concentrated import (
    concentrated_indistinguishable,
    discrete_gaussian_rho,
    divergence_at_most,
    divergence_within_every_order,
    renyi_sum,
)
from spec.distributions import Distribution, coin
from spec.noise import DiscreteGaussian
from spec.numbers import NotExact, OutOfRange, bounds, enclose

HALF = Fraction(1, 2)
TWO = Fraction(2)
GRID = [Fraction(n, 4) for n in range(5, 60, 6)]
FAIR, BENT = coin(HALF), coin(Fraction(3, 5))

chances = st.fractions(Fraction(1, 20), Fraction(19, 20), max_denominator=20)
orders = st.fractions(Fraction(9, 8), 20, max_denominator=8)


def _divergence(p: Distribution[bool], q: Distribution[bool], order: Fraction) -> arb:
    return renyi_sum(p, q, order).log() / enclose(order - 1)


def test_the_divergence_of_order_two_is_its_closed_form() -> None:
    low, high = bounds(_divergence(BENT, FAIR, TWO))
    chi = Fraction(9, 25) / HALF + Fraction(4, 25) / HALF
    expected_low, expected_high = bounds(enclose(chi).log())
    assert low <= expected_high
    assert expected_low <= high
    assert high - low < Fraction(1, 10**12)


def test_the_divergence_is_infinite_where_an_outcome_is_impossible() -> None:
    certain = Distribution.certain(True)
    assert not divergence_at_most(FAIR, certain, TWO, Fraction(10**9))
    assert divergence_at_most(certain, FAIR, TWO, Fraction(70, 100))
    assert not divergence_at_most(certain, FAIR, TWO, Fraction(69, 100))


@given(chances, chances, orders)
def test_a_bound_is_decided_on_both_sides_of_the_divergence(
    one: Fraction, other: Fraction, order: Fraction
) -> None:
    p, q = coin(one), coin(other)
    with ctx.workprec(200):
        low, high = bounds(_divergence(p, q, order))
    if p == q:
        assert divergence_at_most(p, q, order, Fraction(0))
        assert not divergence_at_most(p, q, order, Fraction(-1, 10**40))
    else:
        assert divergence_at_most(p, q, order, high)
        assert not divergence_at_most(p, q, order, low)
        assert not divergence_at_most(p, q, order, Fraction(0))


@given(chances, chances, orders, orders)
def test_the_divergence_does_not_fall_as_the_order_grows(
    one: Fraction, other: Fraction, first: Fraction, second: Fraction
) -> None:
    low, high = sorted((first, second))
    smaller, greater = (_divergence(coin(one), coin(other), order) for order in (low, high))
    assert bounds(greater - smaller)[1] >= 0


@settings(deadline=None, max_examples=40)
@given(chances, chances, st.fractions(Fraction(1, 50), 2, max_denominator=50))
def test_an_answer_for_every_order_agrees_with_the_orders_of_a_list(
    one: Fraction, other: Fraction, rho: Fraction
) -> None:
    p, q = coin(one), coin(other)
    everywhere = divergence_within_every_order(p, q, rho, depth=6)
    fits = all(divergence_at_most(p, q, order, rho * order) for order in GRID)
    if everywhere:
        assert fits
    if not fits:
        assert everywhere is False


def test_every_order_is_decided_with_slack_and_open_where_it_is_tight() -> None:
    assert divergence_within_every_order(BENT, FAIR, Fraction(1, 40)) is True
    assert divergence_within_every_order(BENT, FAIR, Fraction(1, 60)) is False
    assert divergence_within_every_order(FAIR, FAIR, Fraction(0)) is True
    assert divergence_within_every_order(BENT, FAIR, Fraction(0)) is False
    assert divergence_within_every_order(FAIR, Distribution.certain(True), Fraction(9)) is False
    least = Fraction(2013, 100000)
    assert divergence_within_every_order(BENT, FAIR, least, depth=0) is None


def test_two_orders_say_nothing_about_the_orders_between() -> None:
    rare, rarer = coin(Fraction(1, 10**6)), coin(Fraction(1, 10**9))
    within = [
        divergence_at_most(rare, rarer, order, order / 2)
        for order in (Fraction(101, 100), Fraction(5), Fraction(40))
    ]
    assert within == [True, False, True]
    assert divergence_within_every_order(rare, rarer, HALF) is False


def test_pure_privacy_is_concentrated_with_half_its_square() -> None:
    answer = Distribution.of({True: Fraction(3, 4), False: Fraction(1, 4)})
    other = Distribution.of({True: Fraction(1, 4), False: Fraction(3, 4)})
    log_three_squared_halved = Fraction(604, 1000)
    assert divergence_within_every_order(answer, other, log_three_squared_halved) is True


P = Distribution.of({"a": Fraction(9, 20), "b": Fraction(9, 20), "only P": Fraction(1, 10)})
Q = Distribution.of({"a": Fraction(10, 20), "b": Fraction(9, 20), "only Q": Fraction(1, 20)})


def test_the_search_over_events_finds_the_cut_or_refutes_every_one() -> None:
    rho, delta = Fraction(1, 50), Fraction(1, 10)
    assert concentrated_indistinguishable(P, Q, rho, delta) is True
    assert concentrated_indistinguishable(P, Q, rho, delta - Fraction(1, 10**9)) is False
    assert concentrated_indistinguishable(P, Q, Fraction(1, 10**6), delta) is False
    assert concentrated_indistinguishable(P, P, Fraction(0), Fraction(0)) is True


def test_the_search_says_when_it_could_not_decide() -> None:
    least = Fraction(2013, 100000)
    assert concentrated_indistinguishable(BENT, FAIR, least, Fraction(0), depth=0) is None


def test_disjoint_worlds_are_never_close() -> None:
    here, there = Distribution.certain("a"), Distribution.certain("b")
    assert concentrated_indistinguishable(here, there, Fraction(99), Fraction(1)) is False


def test_the_gaussian_meets_its_rho_with_equality_at_whole_orders() -> None:
    variance, shift = Fraction(9, 4), 2
    rho = discrete_gaussian_rho(shift**2, variance)
    assert rho == Fraction(8, 9)
    for order in (Fraction(3, 2), Fraction(2), Fraction(9, 4), Fraction(5)):
        with ctx.workprec(200):
            found = _gaussian_divergence(DiscreteGaussian(variance), shift, order)
            low, high = bounds(found - enclose(rho * order))
        assert high - low < Fraction(1, 2**120)
        assert low <= 0
        assert (high < 0) == (((order - 1) * shift).denominator != 1)


def _gaussian_divergence(noise: DiscreteGaussian, shift: int, order: Fraction) -> arb:
    total = arb(0)
    for x in range(-90, 91):
        exponent = order * x * x + (1 - order) * (x - shift) ** 2
        total = total + (enclose(-exponent / (2 * noise.variance))).exp()
    return (total / noise.enclosed_normaliser()).log() / enclose(order - 1)


def test_bad_input_is_named() -> None:
    for order in (Fraction(1), Fraction(1, 2)):
        with pytest.raises(OutOfRange, match=f"order must be above 1, not {order}"):
            divergence_at_most(BENT, FAIR, order, Fraction(1))
    with pytest.raises(NotExact, match=r"order .* 2\.0"):
        divergence_at_most(BENT, FAIR, 2.0, Fraction(1))  # type: ignore[arg-type]
    with pytest.raises(NotExact, match=r"rho .* 0\.5"):
        divergence_within_every_order(BENT, FAIR, 0.5)  # type: ignore[arg-type]
    with pytest.raises(OutOfRange, match="delta"):
        concentrated_indistinguishable(BENT, FAIR, Fraction(1), Fraction(2))
    with pytest.raises(OutOfRange, match="squared distance must not be negative, not -4"):
        discrete_gaussian_rho(-4, Fraction(1))
    with pytest.raises(OutOfRange, match="variance must be positive, not 0"):
        discrete_gaussian_rho(4, Fraction(0))
