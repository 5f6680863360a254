"""Exact numbers: powers are compared without rounding, and bad numbers are named."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from flint import ctx
from hypothesis import given
from hypothesis import strategies as st

from spec.numbers import (
    NATURAL,
    Base,
    IrrationalPower,
    NotExact,
    NotWhole,
    OutOfRange,
    Power,
    SpecError,
    Undecided,
    bounds,
    certainly_at_most,
    decide,
    enclose,
    exact,
    floor_log,
    positive,
    positive_whole,
    unit_interval,
    whole,
)

TWO = Base(Fraction(2))

small_bases = st.fractions(min_value=1, max_value=9, max_denominator=9).filter(lambda b: b > 1)
exponents = st.fractions(min_value=-6, max_value=6, max_denominator=6)
positive_bounds = st.fractions(min_value=0, max_value=600, max_denominator=600).filter(bool)


@pytest.mark.parametrize("value", [0.5, float("nan"), float("inf"), "1/2", True, None, 1j])
def test_what_is_not_an_exact_number_is_named_with_its_value(value: object) -> None:
    with pytest.raises(NotExact, match="epsilon") as refused:
        exact(value, "epsilon")
    assert repr(value) in str(refused.value)


@pytest.mark.parametrize("value", [Fraction(1), 1.0, float("nan"), "1", True, None])
def test_what_is_not_a_whole_number_is_named_with_its_value(value: object) -> None:
    with pytest.raises(NotWhole, match="report value") as refused:
        whole(value, "report value")
    assert repr(value) in str(refused.value)


class Soft(int):
    """Be a whole number that compares in its own way."""

    def __ge__(self, other: object) -> bool:
        return True


class SoftFraction(Fraction):
    """Be a fraction that compares in its own way."""

    def __lt__(self, other: object) -> bool:
        return False


def test_numbers_of_another_type_are_refused() -> None:
    with pytest.raises(NotWhole):
        whole(Soft(1), "report value")
    for value in (Soft(1), SoftFraction(1)):
        with pytest.raises(NotExact):
            exact(value, "epsilon")


def test_ints_and_fractions_are_exact() -> None:
    assert exact(3, "x") == Fraction(3)
    assert isinstance(exact(3, "x"), Fraction)
    assert exact(Fraction(2, 7), "x") == Fraction(2, 7)
    assert whole(-3, "x") == -3


@pytest.mark.parametrize("value", [0, Fraction(-1, 2)])
def test_an_epsilon_that_is_not_positive_is_refused(value: int | Fraction) -> None:
    with pytest.raises(OutOfRange, match=f"epsilon must be positive, not {value}"):
        positive(value, "epsilon")


@pytest.mark.parametrize("value", [0, -1])
def test_a_budget_that_is_not_positive_is_refused(value: int) -> None:
    with pytest.raises(OutOfRange, match=f"budget must be positive, not {value}"):
        positive_whole(value, "budget")


@pytest.mark.parametrize("value", [Fraction(-1, 10**9), Fraction(10**9 + 1, 10**9), 2])
def test_a_delta_outside_the_unit_interval_is_refused(value: int | Fraction) -> None:
    with pytest.raises(OutOfRange, match=r"delta must be in \[0, 1\]") as refused:
        unit_interval(value, "delta")
    assert str(value) in str(refused.value)


def test_the_ends_of_the_unit_interval_are_accepted() -> None:
    assert unit_interval(0, "delta") == 0
    assert unit_interval(1, "delta") == 1


def test_every_named_error_is_a_spec_error_and_a_value_error() -> None:
    for error in (NotExact, NotWhole, OutOfRange, IrrationalPower, Undecided):
        assert issubclass(error, SpecError)
        assert issubclass(error, ValueError)


@pytest.mark.parametrize("value", [Fraction(1), Fraction(1, 2), Fraction(0), Fraction(-2)])
def test_a_base_must_be_above_one(value: Fraction) -> None:
    with pytest.raises(OutOfRange, match="base must be above 1"):
        Base(value)


def test_a_power_is_exact_exactly_when_it_is_rational() -> None:
    assert Power(TWO, Fraction(-3)).value() == Fraction(1, 8)
    assert Power(Base(Fraction(9, 4)), Fraction(1, 2)).value() == Fraction(3, 2)
    assert Power(Base(Fraction(8)), Fraction(-2, 3)).exact() == Fraction(1, 4)
    assert Power(NATURAL, Fraction(0)).exact() == 1
    for power in (Power(TWO, Fraction(1, 2)), Power(NATURAL, Fraction(1))):
        assert not power.is_rational()
        with pytest.raises(IrrationalPower):
            power.exact()


def test_a_float_exponent_is_refused() -> None:
    with pytest.raises(NotExact, match=r"exponent .* 0\.5"):
        Power(TWO, 0.5)  # type: ignore[arg-type]


def test_an_enclosure_contains_the_power_and_narrows() -> None:
    widths = []
    for bits in (32, 64, 128, 256):
        low, high = Power(TWO, Fraction(1, 2)).enclosure(bits)
        assert low**2 < 2 < high**2
        widths.append(high - low)
    assert all(later < earlier / 2**20 for earlier, later in pairwise(widths))


def test_an_enclosure_of_euler_lies_between_its_series() -> None:
    low, high = Power(NATURAL, Fraction(1)).enclosure(256)
    partial, term = Fraction(0), Fraction(1)
    for n in range(1, 81):
        partial += term
        term /= n
    assert partial < high
    assert low < partial + 2 * term
    assert high - low < Fraction(1, 2**240)


def test_computing_an_enclosure_leaves_the_precision_as_it_was() -> None:
    before = ctx.prec
    Power(NATURAL, Fraction(1)).enclosure(999)
    Power(NATURAL, Fraction(1, 3)).at_most(Fraction(2))
    assert ctx.prec == before


@given(small_bases, exponents, positive_bounds)
def test_a_comparison_agrees_with_integer_powers(
    base: Fraction, exponent: Fraction, bound: Fraction
) -> None:
    top, degree = exponent.numerator, exponent.denominator
    assert Power(Base(base), exponent).at_most(bound) == (base**top <= bound**degree)


@given(small_bases, exponents.filter(bool))
def test_a_comparison_decides_equality(base: Fraction, exponent: Fraction) -> None:
    perfect = Power(Base(base**exponent.denominator), exponent)
    value = perfect.exact()
    assert value == base**exponent.numerator
    assert perfect.at_most(value)
    assert not perfect.at_most(value - Fraction(1, 10**100))


def test_a_comparison_with_euler_survives_a_bound_that_is_very_near() -> None:
    low, high = Power(NATURAL, Fraction(1)).enclosure(2000)
    assert low < high
    assert Power(NATURAL, Fraction(1)).at_most(high)
    assert not Power(NATURAL, Fraction(1)).at_most(low)
    assert Power(NATURAL, Fraction(0)).at_most(Fraction(1))
    assert not Power(NATURAL, Fraction(0)).at_most(Fraction(10**40 - 1, 10**40))


def test_no_power_is_below_zero() -> None:
    assert not Power(NATURAL, Fraction(-(10**6))).at_most(Fraction(0))
    assert not Power(TWO, Fraction(-5)).at_most(Fraction(-1))


@given(small_bases, st.fractions(Fraction(1, 7), 3, max_denominator=7), positive_bounds)
def test_a_floored_logarithm_is_the_largest_whole_exponent(
    base: Fraction, exponent: Fraction, bound: Fraction
) -> None:
    power = Power(Base(base), exponent)
    found = floor_log(power, bound)
    assert (power**found).at_most(bound)
    assert not (power ** (found + 1)).at_most(bound)


@given(small_bases, st.integers(-40, 40), st.integers(1, 30))
def test_a_floored_logarithm_is_decided_where_it_is_whole(
    base: Fraction, logarithm: int, denominator: int
) -> None:
    unit = Power(Base(base), Fraction(1, denominator))
    nudge = Fraction(10**50 - 1, 10**50)
    assert floor_log(unit, base**logarithm) == logarithm * denominator
    assert floor_log(unit, base**logarithm * nudge) == logarithm * denominator - 1


def test_a_floored_logarithm_is_decided_for_tiny_units_and_huge_bounds() -> None:
    assert floor_log(Power(TWO, Fraction(1, 10**40)), Fraction(8)) == 3 * 10**40
    assert floor_log(Power(TWO, Fraction(1)), Fraction(2**100000)) == 100000
    assert floor_log(Power(TWO, Fraction(1)), Fraction(2**100000 - 1)) == 99999
    assert floor_log(Power(NATURAL, Fraction(1, 65536)), Fraction(1)) == 0


def test_a_floored_logarithm_needs_a_power_above_one_and_a_positive_bound() -> None:
    with pytest.raises(OutOfRange, match="above 1"):
        floor_log(Power(TWO, Fraction(0)), Fraction(3))
    with pytest.raises(OutOfRange, match="bound must be positive, not 0"):
        floor_log(Power(TWO, Fraction(1)), Fraction(0))


def test_a_float_is_refused_even_after_the_equal_fraction_was_asked() -> None:
    assert floor_log(Power(TWO, Fraction(1)), Fraction(4)) == 2
    with pytest.raises(NotExact, match=r"bound .* 4\.0"):
        floor_log(Power(TWO, Fraction(1)), 4.0)  # type: ignore[arg-type]


def test_whole_numbers_are_kept_as_fractions() -> None:
    assert isinstance(Base(2).value, Fraction)  # type: ignore[arg-type]
    assert isinstance(Power(TWO, 3).exponent, Fraction)  # type: ignore[arg-type]


def test_powers_of_any_size_are_compared() -> None:
    for base in (TWO, NATURAL):
        assert not Power(base, Fraction(10**30)).at_most(Fraction(5))
        assert Power(base, Fraction(-(10**30))).at_most(Fraction(1, 5))


def test_overlapping_enclosures_are_not_compared() -> None:
    third = enclose(Fraction(1, 3))
    assert certainly_at_most(third, third) is None
    assert certainly_at_most(third, Fraction(1, 2)) is True
    assert certainly_at_most(Fraction(1, 2), third) is False
    assert certainly_at_most(Fraction(1, 3), Fraction(1, 3)) is True


def test_a_question_that_stays_open_is_reported_and_not_answered() -> None:
    third = Fraction(1, 3)
    with pytest.raises(Undecided, match="512 bits"):
        decide(lambda: certainly_at_most(enclose(third) * 3, Fraction(1)), limit=512)


def test_bounds_of_an_exact_number_are_the_number() -> None:
    assert bounds(Fraction(1, 3)) == (Fraction(1, 3), Fraction(1, 3))
    low, high = bounds(enclose(Fraction(1, 3)))
    assert low < Fraction(1, 3) < high
    assert bounds(enclose(Fraction(3 * 2**200))) == (Fraction(3 * 2**200), Fraction(3 * 2**200))
    with pytest.raises(Undecided):
        bounds(enclose(Fraction(1)) / 0)
