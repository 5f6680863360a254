"""Exact distributions: laws, distances between them, and the enumeration of random steps."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from importlib import import_module
from itertools import chain, combinations, pairwise, product
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spec.distributions import (
    Distribution,
    Draw,
    Law,
    NotADistribution,
    NotEnumerable,
    NotReplayable,
    coin,
    explore,
    group_privacy,
    group_privacy_delta,
    group_privacy_delta_closed,
    hockey_stick,
    indistinguishable,
    mixture,
)
from spec.noise import DiscreteLaplace, displaced_mass
from spec.numbers import NATURAL, Base, NotExact, OutOfRange, Power, bounds

HALF = Fraction(1, 2)
TWO = Base(Fraction(2))
OUTCOMES = "abcd"

powers = st.fractions(1, 4, max_denominator=8)


@st.composite
def distributions(draw: st.DrawFn) -> Distribution[str]:
    weights = draw(st.lists(st.integers(0, 9), min_size=4, max_size=4).filter(any))
    return Distribution.of(
        {x: Fraction(w, sum(weights)) for x, w in zip(OUTCOMES, weights, strict=True)}
    )


def test_weights_must_be_exact_positive_and_sum_to_one() -> None:
    with pytest.raises(NotADistribution, match="sum to 5/6, not to 1"):
        Distribution.of({"a": HALF, "b": Fraction(1, 3)})
    with pytest.raises(NotADistribution, match="'b' is -1/2"):
        Distribution.of({"a": Fraction(3, 2), "b": -HALF})
    with pytest.raises(NotExact, match=r"probability of 'a' .* 1\.0"):
        Distribution.of({"a": 1.0})  # type: ignore[dict-item]
    with pytest.raises(NotADistribution, match="twice"):
        Distribution((("a", HALF), ("a", HALF)))
    with pytest.raises(NotADistribution, match="sum to 0"):
        Distribution.of({})
    with pytest.raises(NotADistribution, match="needs an outcome"):
        Distribution.uniform(())
    with pytest.raises(OutOfRange, match="probability"):
        coin(Fraction(3, 2))


def test_distributions_are_equal_by_law_and_hash_alike() -> None:
    one = Distribution.of({"a": Fraction(1, 3), "b": Fraction(2, 3), "c": 0})
    other = Distribution.of({"b": Fraction(2, 3), "a": Fraction(1, 3)})
    assert one == other
    assert hash(one) == hash(other)
    assert one != Distribution.uniform("ab")
    assert one != "ab"
    assert {one: 1}[other] == 1
    assert one.support() == ("a", "b")


def test_probabilities_of_outcomes_and_of_events() -> None:
    die = Distribution.uniform(range(1, 7))
    assert die.probability_of(3) == Fraction(1, 6)
    assert die.probability_of(7) == 0
    assert die.probability(lambda face: face % 2 == 0) == HALF
    assert list(die) == [1, 2, 3, 4, 5, 6]
    assert Distribution.of({len: HALF, max: HALF}).probability_of(len) == HALF


def test_maps_merge_outcomes_and_draws_in_turn_multiply() -> None:
    die = Distribution.uniform(range(1, 7))
    assert die.map(lambda face: face % 2) == Distribution.uniform((0, 1))
    twice = die.then(lambda first: die.map(lambda second: first + second))
    assert twice.probability_of(7) == Fraction(1, 6)
    assert twice.probability_of(2) == Fraction(1, 36)
    assert die.given(lambda face: face > 4) == Distribution.uniform((5, 6))
    with pytest.raises(NotADistribution, match="probability 0"):
        die.given(lambda face: face > 6)


@given(distributions(), distributions(), powers)
def test_the_hockey_stick_is_the_maximum_over_all_events(
    p: Distribution[str], q: Distribution[str], power: Fraction
) -> None:
    events = chain.from_iterable(combinations(OUTCOMES, size) for size in range(5))
    gains = [
        sum(p.probability_of(x) - power * q.probability_of(x) for x in event) for event in events
    ]
    assert hockey_stick(p, q, power) == max(gains)


def test_indistinguishability_is_decided_in_both_directions_and_at_equality() -> None:
    p = Distribution.of({"a": Fraction(1, 10), "b": Fraction(9, 10)})
    q = Distribution.certain("b")
    assert hockey_stick(p, q, Fraction(2)) == Fraction(1, 10)
    assert hockey_stick(q, p, Fraction(2)) == 0
    for one, other in ((p, q), (q, p)):
        assert indistinguishable(one, other, Fraction(2), Fraction(1, 10))
        assert not indistinguishable(one, other, Fraction(2), Fraction(1, 10) - Fraction(1, 10**30))


def test_a_float_power_or_delta_is_refused() -> None:
    with pytest.raises(NotExact, match=r"power .* 2\.0"):
        hockey_stick(coin(HALF), coin(HALF), 2.0)  # type: ignore[arg-type]
    with pytest.raises(NotExact, match=r"delta .* nan"):
        indistinguishable(coin(HALF), coin(HALF), Fraction(2), float("nan"))  # type: ignore[arg-type]


def test_indistinguishability_is_decided_for_an_irrational_power() -> None:
    low, high = Power(NATURAL, Fraction(1)).enclosure(300)
    near = Distribution.of({"a": low / 9, "b": 1 - low / 9})
    far = Distribution.of({"a": high / 9, "b": 1 - high / 9})
    q = Distribution.of({"a": Fraction(1, 9), "b": Fraction(8, 9)})
    euler = Power(NATURAL, Fraction(1))
    for pair in ((near, q), (q, near)):
        assert indistinguishable(*pair, euler, Fraction(0))
    for pair in ((far, q), (q, far)):
        assert not indistinguishable(*pair, euler, Fraction(0))
    certain = Distribution.certain("c")
    assert indistinguishable(certain, q, euler, Fraction(1))
    assert not indistinguishable(certain, q, euler, 1 - Fraction(1, 10**30))


@given(
    st.lists(st.tuples(distributions(), distributions(), st.integers(1, 5)), min_size=1, max_size=4)
)
def test_mixtures_are_no_further_apart_than_their_worst_pair(
    pairs: list[tuple[Distribution[str], Distribution[str], int]],
) -> None:
    total = sum(weight for _, _, weight in pairs)
    weights = [Fraction(weight, total) for _, _, weight in pairs]
    p = mixture(weights, [one for one, _, _ in pairs])
    q = mixture(weights, [other for _, other, _ in pairs])
    worst = max(hockey_stick(one, other, Fraction(3, 2)) for one, other, _ in pairs)
    assert hockey_stick(p, q, Fraction(3, 2)) <= worst


def test_a_mixture_needs_one_weight_per_distribution() -> None:
    with pytest.raises(NotADistribution, match="1 weights for 2"):
        mixture([Fraction(1)], [coin(HALF), coin(HALF)])


@given(powers.filter(lambda power: power != 1), st.integers(1, 9), st.fractions(0, 1))
def test_the_geometric_sum_is_the_closed_form(power: Fraction, size: int, delta: Fraction) -> None:
    closed = group_privacy_delta_closed(power, power**size, delta)
    assert group_privacy_delta(power, size, delta) == closed


def test_the_geometric_sum_without_a_privacy_loss_is_linear() -> None:
    assert group_privacy_delta(Fraction(1), 5, Fraction(1, 50)) == Fraction(1, 10)


@given(st.lists(distributions(), min_size=2, max_size=5), powers)
def test_a_chain_of_neighbours_is_within_group_privacy(
    chain_of: list[Distribution[str]], power: Fraction
) -> None:
    pairs = list(pairwise(chain_of))
    delta = max(max(hockey_stick(p, q, power), hockey_stick(q, p, power)) for p, q in pairs)
    size = len(pairs)
    allowed = group_privacy_delta(power, size, delta)
    assert indistinguishable(chain_of[0], chain_of[-1], power**size, allowed)


def test_group_privacy_is_met_with_equality_by_truncated_noise_on_one_key() -> None:
    contribution, truncation, size = 2, 7, 3
    noise = DiscreteLaplace(Power(TWO, Fraction(-1)), truncation)
    laws = [
        Distribution.of(dict(noise.around(contribution * step).outcomes()))
        for step in range(size + 1)
    ]
    power = Fraction(2) ** contribution
    delta = hockey_stick(laws[1], laws[0], power)
    assert delta == noise.tail(truncation - contribution) > 0
    expected = group_privacy_delta(power, size, delta)
    assert hockey_stick(laws[size], laws[0], power**size) == expected
    assert expected > size * delta
    edge = HALF ** (truncation + 1)
    assert displaced_mass(HALF, power**size, edge) == expected


def test_group_privacy_counts_epsilon_in_the_unit_of_the_base() -> None:
    epsilon, delta = group_privacy(Fraction(2), Fraction(1, 1000), 3, TWO)
    assert (epsilon, delta) == (Fraction(6), Fraction(21, 1000))
    epsilon, delta = group_privacy(Fraction(1), Fraction(1, 1000), 3, NATURAL)
    assert epsilon == 3
    low, high = bounds(delta)
    below, above = Power(NATURAL, Fraction(1)).enclosure(200)
    assert low <= (1 + below + below**2) / 1000
    assert high >= (1 + above + above**2) / 1000
    assert high - low < Fraction(1, 10**12)


@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(-1)])
def test_group_privacy_refuses_an_epsilon_that_is_not_positive(epsilon: Fraction) -> None:
    with pytest.raises(OutOfRange, match=f"epsilon must be positive, not {epsilon}"):
        group_privacy(epsilon, Fraction(0), 2, TWO)


def test_group_privacy_refuses_empty_groups_and_impossible_deltas() -> None:
    with pytest.raises(OutOfRange, match="size must be positive, not 0"):
        group_privacy(Fraction(1), Fraction(0), 0, TWO)
    with pytest.raises(OutOfRange, match="size must be positive, not 0"):
        group_privacy(Fraction(1), Fraction(0), 0, NATURAL)
    with pytest.raises(OutOfRange, match="delta"):
        group_privacy(Fraction(1), Fraction(2), 1, TWO)


def test_group_privacy_runs_on_symbols() -> None:
    sympy = import_module("sympy")
    power, delta = sympy.symbols("w delta", positive=True)
    for size in range(1, 6):
        closed = group_privacy_delta_closed(power, power**size, delta)
        summed = group_privacy_delta(power, size, delta)
        assert sympy.cancel(summed - closed) == 0


def test_exploring_a_step_without_draws_gives_certainty() -> None:
    assert explore(lambda draw: draw(7)) == Distribution.certain(7)


def test_exploring_runs_a_step_once_per_combination_of_outcomes() -> None:
    runs: list[tuple[bool, int]] = []

    def step(draw: Draw) -> int:
        first = draw(coin(Fraction(1, 3)))
        second = draw(Distribution.uniform(range(3))) if first else draw(5)
        runs.append((first, second))
        return second

    assert explore(step) == Distribution.of(
        {5: Fraction(2, 3), 0: Fraction(1, 9), 1: Fraction(1, 9), 2: Fraction(1, 9)}
    )
    assert sorted(runs) == [(False, 5), (True, 0), (True, 1), (True, 2)]


@given(st.lists(st.fractions(0, 1, max_denominator=6), max_size=5))
def test_exploring_coins_gives_the_poisson_binomial_law(chances: list[Fraction]) -> None:
    expected: dict[int, Fraction] = {}
    for tosses in product((0, 1), repeat=len(chances)):
        weight = Fraction(1)
        for toss, chance in zip(tosses, chances, strict=True):
            weight *= chance if toss else 1 - chance
        expected[sum(tosses)] = expected.get(sum(tosses), Fraction(0)) + weight

    def step(draw: Draw) -> int:
        return sum([draw(coin(chance)) for chance in chances])

    assert explore(step) == Distribution.of(expected)


def test_exploring_lists_finite_noise_by_itself() -> None:
    noise = DiscreteLaplace(Power(TWO, Fraction(-1)), 1)
    law = explore(lambda draw: draw(noise.around(10)))
    assert law == Distribution.of({9: Fraction(1, 4), 10: HALF, 11: Fraction(1, 4)})


def test_exploring_uses_the_given_enumeration_and_skips_zeros() -> None:
    noise = DiscreteLaplace(Power(TWO, Fraction(-1)))

    def clamped(law: Law[object]) -> Iterable[tuple[object, Fraction]]:
        assert law == noise.around(0)
        return [("low", Fraction(1, 3)), ("never", Fraction(0)), ("high", Fraction(2, 3))]

    seen = explore(lambda draw: cast(str, draw(noise.around(0))), clamped)
    assert seen == Distribution.of({"low": Fraction(1, 3), "high": Fraction(2, 3)})


def test_exploring_refuses_laws_that_have_no_exact_list() -> None:
    for noise in (
        DiscreteLaplace(Power(TWO, Fraction(-1))),
        DiscreteLaplace(Power(NATURAL, Fraction(-1)), 3),
    ):
        with pytest.raises(NotEnumerable):
            explore(lambda draw, noise=noise: draw(noise.around(0)))  # type: ignore[misc]
    with pytest.raises(NotEnumerable, match="no outcome"):
        explore(lambda draw: draw(Law[int]()), lambda _: [])
    with pytest.raises(NotEnumerable):
        explore(lambda draw: draw(Law[int]()))


def test_exploring_refuses_a_step_with_a_memory() -> None:
    chances = iter([HALF, Fraction(1, 3)])
    with pytest.raises(NotReplayable, match="drew"):
        explore(lambda draw: draw(coin(next(chances))))

    visits: list[int] = []

    def forgetful(draw: Draw) -> int:
        visits.append(1)
        return draw(coin(HALF)) if len(visits) == 1 else 0

    with pytest.raises(NotReplayable, match="0 times"):
        explore(forgetful)


def test_exploring_refuses_enumerations_that_do_not_sum_to_one() -> None:
    with pytest.raises(NotADistribution, match="sum to 1/2"):
        explore(lambda draw: draw(Law[int]()), lambda _: [(1, HALF)])
