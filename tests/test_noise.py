"""Noise: exact masses and tails, the threshold, and the truncation that is enough."""

from __future__ import annotations

from fractions import Fraction
from importlib import import_module

import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from spec.distributions import Distribution, NotEnumerable, explore, hockey_stick
from spec.noise import (
    DiscreteGaussian,
    DiscreteLaplace,
    Noise,
    displaced_mass,
    laplace_mass,
    laplace_normaliser,
    laplace_pmf,
    laplace_tail,
    laplace_upper_tail,
    smallest_sound_truncation,
    sound_edge,
    threshold,
)
from spec.numbers import (
    NATURAL,
    Base,
    NotExact,
    NotWhole,
    OutOfRange,
    Power,
    bounds,
    enclose,
    enclosed,
)

HALF = Fraction(1, 2)
TWO = Base(Fraction(2))
ONE_BIT = Power(TWO, Fraction(-1))

ratios = st.fractions(0, 1, max_denominator=20).filter(lambda q: 0 < q < 1)
truncations = st.integers(0, 12)
budgets = st.integers(1, 6)
epsilons = st.fractions(Fraction(1, 4), 4, max_denominator=8)
deltas = st.fractions(0, 1, max_denominator=500).filter(bool)


@given(ratios, truncations)
def test_truncated_masses_sum_to_one_and_to_the_tail(ratio: Fraction, truncation: int) -> None:
    inside = range(-truncation, truncation + 1)
    masses = {x: laplace_pmf(ratio, truncation, x) for x in inside}
    assert sum(masses.values()) == 1
    assert masses == {-x: mass for x, mass in masses.items()}
    for x in range(-truncation - 2, truncation + 3):
        above = sum((mass for y, mass in masses.items() if y > x), Fraction(0))
        assert laplace_tail(ratio, truncation, x) == above
    normaliser = laplace_normaliser(ratio, truncation)
    assert normaliser == sum(ratio ** abs(x) for x in inside)
    assert masses[0] == 1 / normaliser
    assert laplace_pmf(ratio, truncation, truncation + 1) == 0
    assert laplace_pmf(ratio, truncation, -truncation - 1) == 0


@given(ratios, st.integers(-9, 9))
def test_untruncated_tails_fall_by_one_mass_per_step(ratio: Fraction, x: int) -> None:
    assert laplace_tail(ratio, None, x - 1) - laplace_tail(ratio, None, x) == laplace_pmf(
        ratio, None, x
    )
    assert laplace_tail(ratio, None, x) + laplace_tail(ratio, None, -x - 1) == 1
    assert laplace_pmf(ratio, None, x) == ratio ** abs(x) / laplace_normaliser(ratio, None)


@given(ratios)
def test_untruncated_noise_is_the_limit_of_truncated_noise(ratio: Fraction) -> None:
    gap = laplace_pmf(ratio, 2000, 3) - laplace_pmf(ratio, None, 3)
    assert 0 < gap < ratio**2000 * 2 / (1 - ratio)


def test_noise_objects_give_the_closed_forms() -> None:
    bounded, unbounded = DiscreteLaplace(ONE_BIT, 4), DiscreteLaplace(ONE_BIT)
    assert [bounded.pmf(x) for x in range(6)] == [Fraction(n, 46) for n in (16, 8, 4, 2, 1, 0)]
    assert bounded.tail(2) == Fraction(3, 46)
    assert bounded.tail(4) == 0
    assert bounded.tail(-5) == 1
    assert unbounded.pmf(-2) == Fraction(1, 12)
    assert unbounded.tail(-1) == Fraction(2, 3)
    assert bounded.support == (-4, 4)
    assert unbounded.support == (None, None)
    assert bounded.decay == unbounded.decay == ONE_BIT
    assert DiscreteLaplace(ONE_BIT, 0).pmf(0) == 1


def test_irrational_noise_is_enclosed_and_still_sums_to_one() -> None:
    noise = DiscreteLaplace(Power(NATURAL, Fraction(-1, 3)), 20)
    total = sum((enclosed(noise.pmf(x)) for x in range(-20, 21)), arb(0))
    low, high = bounds(total)
    assert low < 1 < high
    assert high - low < Fraction(1, 2**30)
    with ctx.workprec(400):
        low, high = bounds(noise.tail(7))
    assert 0 < high - low < Fraction(1, 2**350)


def test_a_noisy_sum_lists_its_outcomes_around_its_centre() -> None:
    law = DiscreteLaplace(ONE_BIT, 1).around(10)
    assert dict(law.outcomes()) == {9: Fraction(1, 4), 10: HALF, 11: Fraction(1, 4)}
    with pytest.raises(NotEnumerable, match="infinitely"):
        DiscreteLaplace(ONE_BIT).around(0).outcomes()
    with pytest.raises(NotEnumerable, match="irrational"):
        DiscreteLaplace(Power(TWO, Fraction(-1, 2)), 1).around(0).outcomes()


def test_noise_without_decay_is_refused() -> None:
    for exponent in (Fraction(0), Fraction(1, 2)):
        with pytest.raises(OutOfRange, match="decay_power must be below 1"):
            DiscreteLaplace(Power(NATURAL, exponent))
    with pytest.raises(OutOfRange, match="truncation must not be negative, not -1"):
        DiscreteLaplace(ONE_BIT, -1)
    with pytest.raises(NotWhole, match=r"truncation .* 2\.5"):
        DiscreteLaplace(ONE_BIT, 2.5)  # type: ignore[arg-type]


@given(ratios, budgets, truncations)
def test_a_shift_within_the_support_shows_itself_by_the_displaced_mass(
    ratio: Fraction, shift: int, truncation: int
) -> None:
    edge = ratio ** (truncation + 1)
    formula = displaced_mass(ratio, 1 / ratio**shift, edge)
    true = laplace_tail(ratio, truncation, truncation - shift)
    if shift <= truncation + 1:
        assert true == formula
    else:
        assert true <= formula


def test_closed_forms_run_on_symbols() -> None:
    sympy = import_module("sympy")
    q = sympy.Symbol("q", positive=True)
    x = sympy.Symbol("x", integer=True, nonnegative=True)
    y = sympy.Symbol("y", integer=True, positive=True)
    falls = laplace_tail(q, None, y - 1) - laplace_tail(q, None, y) - laplace_pmf(q, None, y)
    assert sympy.simplify(falls) == 0
    truncation = x + 1 + y
    step = laplace_tail(q, truncation, x) - laplace_tail(q, truncation, x + 1)
    assert sympy.simplify(step - laplace_pmf(q, truncation, x + 1)) == 0
    total = 2 * laplace_tail(q, truncation, x - x) + laplace_pmf(q, truncation, 0)
    assert sympy.simplify(total) == 1


def test_closed_forms_run_in_a_solver() -> None:
    z3 = import_module("z3")
    q, height, shift = z3.Reals("q height shift")
    solver = z3.Solver()
    solver.add(q > 0, q < 1, height > 0, height <= 1, shift > 0, shift <= q)
    solver.push()
    solver.add(laplace_upper_tail(q, height, height * shift) > height)
    assert solver.check() == z3.unsat
    solver.pop()
    solver.add(laplace_mass(q, height, height * shift) > 0)
    assert solver.check() == z3.sat


@pytest.mark.parametrize(
    ("epsilon", "expected"), [(Fraction(2), 5), (Fraction(1), 8), (Fraction(3), 4), (HALF, 14)]
)
def test_a_threshold_that_is_an_integer_is_decided(epsilon: Fraction, expected: int) -> None:
    assert threshold(2, 1, epsilon, Fraction(1, 8), TWO) == expected
    assert threshold(2, 1, epsilon, Fraction(1, 8) + Fraction(1, 10**60), TWO) == expected - 1
    assert threshold(2, 1, epsilon, Fraction(1, 8) - Fraction(1, 10**60), TWO) == expected


def test_a_threshold_grows_with_sparsity_as_if_delta_were_shared() -> None:
    shared = threshold(65536, 20, Fraction(10), Fraction(1, 10**8), NATURAL)
    assert shared == threshold(65536, 1, Fraction(10), Fraction(1, 20 * 10**8), NATURAL)
    assert shared == 205890
    assert threshold(5, 1, Fraction(1), Fraction(1), NATURAL) == 5


@given(budgets, st.integers(1, 4), epsilons, deltas)
def test_the_tail_lemma_holds_at_the_floor_of_a_real_threshold(
    contribution: int, sparsity: int, epsilon: Fraction, delta: Fraction
) -> None:
    floored = threshold(contribution, sparsity, epsilon, delta, TWO)
    noise = DiscreteLaplace(Power(TWO, -epsilon / contribution), floored)
    with ctx.workprec(200):
        _, worst = bounds(noise.tail(floored - contribution))
    assert worst <= delta / sparsity


def test_the_floor_uses_the_slack_of_the_tail_lemma_up() -> None:
    epsilon, delta = Fraction(10), Fraction(1, 500)
    floored = threshold(1, 1, epsilon, delta, TWO)
    decay = Power(TWO, -epsilon)
    assert floored == 1
    ratio = decay.exact()
    assert laplace_tail(ratio, floored, floored - 1) <= delta
    assert laplace_tail(ratio, floored - 1, floored - 2) > delta


@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(-1, 2)])
def test_a_query_needs_a_positive_epsilon(epsilon: Fraction) -> None:
    for base in (TWO, NATURAL):
        with pytest.raises(OutOfRange, match=f"epsilon must be positive, not {epsilon}"):
            threshold(2, 1, epsilon, Fraction(1, 8), base)
        with pytest.raises(OutOfRange, match=f"epsilon must be positive, not {epsilon}"):
            smallest_sound_truncation(2, epsilon, Fraction(1, 8), base)


def test_bad_parameters_of_a_threshold_are_named() -> None:
    for delta in (Fraction(-1), Fraction(2)):
        with pytest.raises(OutOfRange, match=rf"delta must be in \[0, 1\], not {delta}"):
            threshold(2, 1, Fraction(1), delta, TWO)
    with pytest.raises(OutOfRange, match="delta must be positive"):
        threshold(2, 1, Fraction(1), Fraction(0), TWO)
    with pytest.raises(OutOfRange, match="contribution budget must be positive, not 0"):
        threshold(0, 1, Fraction(1), HALF, TWO)
    with pytest.raises(OutOfRange, match="sparsity budget must be positive, not 0"):
        threshold(1, 0, Fraction(1), HALF, TWO)
    for value in (0.5, float("nan")):
        with pytest.raises(NotExact, match=f"epsilon .* {value}"):
            threshold(2, 1, value, HALF, TWO)  # type: ignore[arg-type]
        with pytest.raises(NotExact, match=f"delta .* {value}"):
            threshold(2, 1, Fraction(1), value, TWO)  # type: ignore[arg-type]


def test_the_smallest_sound_truncation_of_two_keys_without_a_sparsity_bound() -> None:
    assert smallest_sound_truncation(2, Fraction(2), Fraction(1, 8), TWO) == 4
    assert laplace_tail(HALF, 4, 2) == Fraction(3, 46)
    assert laplace_tail(HALF, 3, 1) == Fraction(3, 22) > Fraction(1, 8)


def _worst_over_two_keys(ratio_exponent: Fraction, truncation: int, budget: int) -> Fraction:
    noise = DiscreteLaplace(Power(TWO, ratio_exponent), truncation)
    power = Power(TWO, -ratio_exponent * budget).exact()
    worst = Fraction(0)
    for first in range(budget + 1):
        here = _two_keys(noise, first, budget - first)
        there = _two_keys(noise, 0, 0)
        worst = max(worst, hockey_stick(here, there, power), hockey_stick(there, here, power))
    return worst


def _two_keys(noise: Noise, first: int, second: int) -> Distribution[tuple[int, int]]:
    return explore(lambda draw: (draw(noise.around(first)), draw(noise.around(second))))


def test_no_split_over_two_keys_is_worse_than_one_key() -> None:
    assert _worst_over_two_keys(Fraction(-1), 4, 2) == Fraction(3, 46)
    assert _worst_over_two_keys(Fraction(-1), 3, 2) == Fraction(3, 22)
    assert _worst_over_two_keys(Fraction(-1), 5, 3) == laplace_tail(HALF, 5, 2)


@given(budgets, st.integers(1, 3), deltas)
def test_the_smallest_sound_truncation_is_smallest(
    contribution: int, bits: int, delta: Fraction
) -> None:
    epsilon = Fraction(bits * contribution)
    ratio, power = HALF**bits, Fraction(2) ** (bits * contribution)
    found = smallest_sound_truncation(contribution, epsilon, delta, TWO)
    assert displaced_mass(ratio, power, ratio ** (found + 1)) <= delta
    assert ratio ** (found + 1) <= sound_edge(ratio, power, delta)
    assert found == 0 or ratio**found > sound_edge(ratio, power, delta)
    if found > 0 and 1 + ratio - 2 * ratio**found > 0:
        assert displaced_mass(ratio, power, ratio**found) > delta


@given(budgets, epsilons, deltas)
def test_the_smallest_sound_truncation_is_decided_for_irrational_ratios(
    contribution: int, epsilon: Fraction, delta: Fraction
) -> None:
    for base in (TWO, NATURAL):
        found = smallest_sound_truncation(contribution, epsilon, delta, base)
        step = Power(base, -epsilon / contribution)
        with ctx.workprec(400):
            edge = enclosed(sound_edge(step.ball(), (step**-contribution).ball(), enclose(delta)))
            assert bounds((step ** (found + 1)).ball() - edge)[0] <= 0
            assert found == 0 or bounds((step**found).ball() - edge)[1] > 0


def test_the_one_case_of_equality_with_an_irrational_ratio_ends() -> None:
    for base in (TWO, NATURAL):
        assert smallest_sound_truncation(1, Fraction(1, 3), Fraction(1), base) == 0
    assert smallest_sound_truncation(1, Fraction(1), Fraction(1), TWO) == 0


@pytest.mark.parametrize(
    ("sparsity", "epsilon", "saving"),
    [
        (20, Fraction(64, 100), 20),
        (20, Fraction(10), 12),
        (400, Fraction(64, 100), 30),
        (400, Fraction(10), 19),
    ],
)
def test_the_threshold_can_be_lower_at_production_size(
    sparsity: int, epsilon: Fraction, saving: int
) -> None:
    delta = Fraction(1, 10**8)
    paper = threshold(65536, sparsity, epsilon, delta, NATURAL)
    enough = smallest_sound_truncation(65536, epsilon, delta, NATURAL)
    assert round(100 * (1 - Fraction(enough, paper))) == saving


def test_the_formula_and_not_the_true_tail_chooses_the_truncation() -> None:
    delta, budget = Fraction(9, 10), 4
    found = smallest_sound_truncation(budget, Fraction(4), delta, TWO)
    true = [laplace_tail(HALF, 2, 2 - shift) for shift in range(budget + 1)]
    assert true[budget] <= delta
    assert any(true[v] > Fraction(v, budget) * delta for v in range(1, budget))
    assert found > 2
    safe = [laplace_tail(HALF, found, found - shift) for shift in range(budget + 1)]
    assert all(safe[v] <= Fraction(v, budget) * delta for v in range(1, budget + 1))


@pytest.mark.parametrize("variance", [Fraction(1, 20), HALF, Fraction(1), Fraction(7, 2)])
def test_gaussian_masses_and_tails_are_enclosed_consistently(variance: Fraction) -> None:
    noise = DiscreteGaussian(variance)
    with ctx.workprec(120):
        below, above = bounds(sum((enclosed(noise.pmf(x)) for x in range(-60, 61)), arb(0)))
        assert abs(below - 1) < Fraction(1, 2**100)
        assert abs(above - 1) < Fraction(1, 2**100)
        for x in range(-4, 5):
            gap = enclosed(noise.tail(x - 1)) - enclosed(noise.tail(x)) - enclosed(noise.pmf(x))
            low, high = bounds(gap)
            assert low <= 0 <= high
            assert high - low < Fraction(1, 2**90)
    assert noise.support == (None, None)
    assert noise.decay is None


def test_both_sums_of_the_gaussian_normaliser_overlap() -> None:
    for variance in (Fraction(99, 100), Fraction(1)):
        with ctx.workprec(200):
            direct = sum((-enclose(x * x / (2 * variance))).exp() for x in range(-90, 91))
            low, high = bounds(DiscreteGaussian(variance).enclosed_normaliser() - direct)
        assert low <= 0 <= high
        assert high - low < Fraction(1, 2**150)


def test_a_wide_gaussian_has_its_tails() -> None:
    noise = DiscreteGaussian(Fraction(10**6))
    low, high = bounds(noise.tail(1000))
    assert Fraction(158, 1000) < low < high < Fraction(159, 1000)


@pytest.mark.parametrize("first", [0, 1, 60, 1000])
@pytest.mark.parametrize("precision", [64, 256])
def test_a_wide_tail_is_what_adding_its_terms_gives(first: int, precision: int) -> None:
    noise = DiscreteGaussian(Fraction(2500))
    with ctx.workprec(precision):
        terms = (-enclose(x * x / (2 * noise.variance)) for x in range(first + 1, first + 2000))
        direct = sum((term.exp() for term in terms), arb(0)) / noise.enclosed_normaliser()
        low, high = bounds(enclosed(noise.tail(first)) / direct - 1)
    assert low <= 0 <= high
    assert high - low < Fraction(1, 2 ** (precision - 14))


def test_a_gaussian_needs_a_positive_exact_variance() -> None:
    with pytest.raises(OutOfRange, match="variance must be positive, not 0"):
        DiscreteGaussian(Fraction(0))
    with pytest.raises(NotExact, match=r"variance .* 1\.5"):
        DiscreteGaussian(1.5)  # type: ignore[arg-type]


def test_a_whole_variance_is_kept_as_a_fraction() -> None:
    low, high = bounds(DiscreteGaussian(2).pmf(0))  # type: ignore[arg-type]
    assert Fraction(282, 1000) < low < high < Fraction(283, 1000)


def test_noise_is_abstract() -> None:
    with pytest.raises(TypeError, match="abstract"):
        Noise()  # type: ignore[abstract]
