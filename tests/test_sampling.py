"""Sampling: every sampler fits its exact law, and slightly wrong samplers are rejected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

import pytest

from sandproof.sampling import (
    Entropy,
    Sampler,
    SeededEntropy,
    SystemEntropy,
    Uniform,
    bernoulli,
    bernoulli_power,
    border,
    by_tail,
    digit_at_most,
    digits_of,
    discrete_laplace,
    discrete_laplaces,
    geometrics,
    integer_noise,
    uniform_below,
)
from spec.distributions import Distribution, Law, NotEnumerable, coin
from spec.noise import DiscreteGaussian, DiscreteLaplace, Noise
from spec.numbers import NATURAL, Base, NotExact, NotWhole, OutOfRange, Power, Real, enclosed
from spec.randomized_response import RandomizedResponse, Sequences

HALF = Fraction(1, 2)
TWO = Base(Fraction(2))
SAMPLES = 20_000
LEAST_EXPECTED = 100

BITS = DiscreteLaplace(Power(TWO, Fraction(-1)))
BITS_WITHIN_FOUR = DiscreteLaplace(Power(TWO, Fraction(-1)), 4)
NATS = DiscreteLaplace(Power(NATURAL, Fraction(-1, 3)))
NATS_NARROW = DiscreteLaplace(Power(NATURAL, Fraction(-1, 20)), 3)
NATS_WIDE = DiscreteLaplace(Power(NATURAL, Fraction(-1, 3)), 9)
GAUSSIAN = DiscreteGaussian(Fraction(9, 2))

Sample = Callable[[Entropy], int]


def _fits(sample: Sample, masses: Mapping[int, float], count: int = SAMPLES, seed: int = 5) -> bool:
    """Compare a sample with exact masses by chi-square, at a level of one in ten thousand.

    Outcomes that are expected too rarely for the statistic are counted as one. An outcome that the
    masses do not list at all and that is not in this rest is a misfit at once.
    """
    entropy = SeededEntropy(seed)
    seen = Counter(sample(entropy) for _ in range(count))
    cells = {x: count * mass for x, mass in masses.items() if count * mass >= LEAST_EXPECTED}
    rest = count - sum(cells.values())
    outside = sum(times for x, times in seen.items() if x not in cells)
    statistic = sum((seen[x] - expected) ** 2 / expected for x, expected in cells.items())
    if rest < 1e-6:
        return outside == 0 and statistic < _chi_square_limit(len(cells) - 1)
    return statistic + (outside - rest) ** 2 / rest < _chi_square_limit(len(cells))


def _chi_square_limit(degrees: int) -> float:
    """Return the value exceeded once in ten thousand, by the cube approximation."""
    spread = 2 / (9 * degrees)
    return float(degrees * (1 - spread + 3.719 * sqrt(spread)) ** 3)


def _masses(noise: Noise) -> dict[int, float]:
    return {x: float(enclosed(noise.pmf(x))) for x in range(-60, 61)}


def _count(noise: Noise) -> int:
    """Return how many samples tell the wrong laws below from the right one."""
    if noise in (BITS, NATS):
        return SAMPLES * 2
    return SAMPLES // 2 if noise == GAUSSIAN else SAMPLES


def _sampler(noise: Noise) -> Sample:
    return lambda entropy: integer_noise(noise, entropy)


@pytest.mark.parametrize(
    "noise", [BITS, BITS_WITHIN_FOUR, NATS, NATS_NARROW, NATS_WIDE, GAUSSIAN], ids=repr
)
def test_a_sampler_fits_its_exact_law(noise: Noise) -> None:
    assert _fits(_sampler(noise), _masses(noise), _count(noise))


WRONG: list[tuple[Noise, Noise]] = [
    (NATS, DiscreteLaplace(Power(NATURAL, Fraction(-1, 3) * Fraction(105, 100)))),
    (NATS, DiscreteLaplace(Power(NATURAL, Fraction(-1, 3) * Fraction(95, 100)))),
    (BITS, DiscreteLaplace(Power(TWO, Fraction(-105, 100)))),
    (BITS, DiscreteLaplace(Power(TWO, Fraction(-1)), 6)),
    (BITS_WITHIN_FOUR, DiscreteLaplace(Power(TWO, Fraction(-1)), 3)),
    (BITS_WITHIN_FOUR, DiscreteLaplace(Power(TWO, Fraction(-1)), 5)),
    (NATS_NARROW, DiscreteLaplace(Power(NATURAL, Fraction(-1, 20)), 4)),
    (GAUSSIAN, DiscreteGaussian(Fraction(9, 2) * Fraction(115, 100))),
    (GAUSSIAN, DiscreteGaussian(Fraction(9, 2) * Fraction(85, 100))),
]


@pytest.mark.parametrize(("law", "wrong"), WRONG, ids=repr)
def test_a_sampler_of_a_slightly_different_law_is_rejected(law: Noise, wrong: Noise) -> None:
    assert not _fits(_sampler(wrong), _masses(law), _count(law))


def _doubled_zero(entropy: Entropy) -> int:
    (magnitude,) = geometrics(Power(TWO, Fraction(-1)), 1, entropy)
    return -magnitude if entropy.bits(1) else magnitude


def _clamped_instead_of_rejected(entropy: Entropy) -> int:
    return max(-4, min(4, discrete_laplace(BITS, entropy)))


def _coarse_coin(entropy: Entropy) -> int:
    """Round the ratio to six bits, as a table of thresholds would."""
    value = 0
    while entropy.bits(6) < 45:
        value += 1
    other = 0
    while entropy.bits(6) < 45:
        other += 1
    return value - other


@pytest.mark.parametrize(
    ("law", "wrong"),
    [(BITS, _doubled_zero), (BITS_WITHIN_FOUR, _clamped_instead_of_rejected), (NATS, _coarse_coin)],
)
def test_a_sampler_with_a_classic_mistake_is_rejected(law: Noise, wrong: Sample) -> None:
    assert not _fits(wrong, _masses(law))


def test_a_sample_outside_the_support_is_rejected_even_once() -> None:
    drawn: Iterator[int] = iter([5])

    def once_outside(entropy: Entropy) -> int:
        return next(drawn, None) or discrete_laplace(BITS_WITHIN_FOUR, entropy)

    assert not _fits(once_outside, _masses(BITS_WITHIN_FOUR))


@dataclass(frozen=True, slots=True)
class Staircase(Noise):
    """A noise of a proposal: uniform steps above zero, known by its tails alone."""

    height: int

    @property
    def support(self) -> tuple[int | None, int | None]:
        return 2, None

    @property
    def decay(self) -> Power | None:
        return None

    def pmf(self, x: int) -> Real:
        return Fraction(1, 2 ** ((x - 2) // 3 + 1) * 3) if x >= 2 else Fraction(0)

    def tail(self, x: int) -> Real:
        if x < 2:
            return Fraction(1)
        steps, within = divmod(x - 1, 3)
        return Fraction(1, 2**steps) * (1 - Fraction(within, 6))


def test_a_noise_of_a_proposal_is_sampled_by_its_tails() -> None:
    noise = Staircase(3)
    assert sum(noise.pmf(x) for x in range(2, 11)) + noise.tail(10) == 1  # type: ignore[operator]
    assert _fits(_sampler(noise), _masses(noise), 8000)


@pytest.mark.parametrize("noise", [BITS, NATS_NARROW, GAUSSIAN], ids=repr)
def test_sampling_by_tails_agrees_with_the_law(noise: Noise) -> None:
    assert _fits(lambda entropy: by_tail(noise, entropy), _masses(noise), count=1500)


def test_sampling_by_tails_rejects_another_law() -> None:
    wrong = DiscreteLaplace(Power(TWO, Fraction(-3, 2)))
    assert not _fits(lambda entropy: by_tail(wrong, entropy), _masses(BITS), count=1500)


def test_a_geometric_sample_fits_for_ratios_on_both_sides_of_one_half() -> None:
    for exponent in (Fraction(-1, 8), Fraction(-1), Fraction(-5, 2)):
        ratio = Power(TWO, exponent)
        q = float(enclosed(ratio.value()))
        law = {x: (1 - q) * q**x for x in range(400)}
        assert _fits(lambda entropy, ratio=ratio: geometrics(ratio, 1, entropy)[0], law, 10_000)  # type: ignore[misc]


def test_production_noise_is_sampled_in_its_range() -> None:
    noise = DiscreteLaplace(Power(NATURAL, Fraction(-10, 65536)), 205890)
    entropy = SeededEntropy(3)
    drawn = [discrete_laplace(noise, entropy) for _ in range(4000)]
    mean_magnitude = Fraction(sum(map(abs, drawn)), len(drawn))
    assert all(abs(x) <= 205890 for x in drawn)
    assert abs(mean_magnitude - Fraction(65536, 10)) < 400


@dataclass(slots=True)
class Scripted:
    """An entropy that gives prepared bits and counts what it gave."""

    script: list[int]
    given: int = 0

    def bits(self, count: int) -> int:
        self.given += count
        value = self.script.pop(0)
        assert 0 <= value < 1 << count
        return value


def _digits(power: Power, places: int) -> int:
    low, high = power.enclosure(places + 64)
    assert int(low * 2**places) == int(high * 2**places)
    return int(low * 2**places)


def test_an_irrational_coin_reveals_bits_until_it_is_decided() -> None:
    power = Power(NATURAL, Fraction(-1))
    first = _digits(power, 64)
    second = _digits(power, 128) - (first << 64)
    for script, expected in (
        ([first - 1], True),
        ([first + 1], False),
        ([first, second - 1], True),
        ([first, second + 1], False),
        ([first, second, 0], True),
        ([first, second, 2**64 - 1], False),
    ):
        entropy = Scripted(list(script))
        assert bernoulli_power(power, entropy) is expected
        assert entropy.given == 64 * len(script)


def test_a_rational_power_is_tossed_exactly_at_its_boundary() -> None:
    power = Power(TWO, Fraction(-3))
    assert bernoulli_power(power, Scripted([2**61 - 1])) is True
    assert bernoulli_power(power, Scripted([2**61])) is False


def test_a_coin_of_probability_one_or_zero_is_certain() -> None:
    entropy = SeededEntropy(0)
    assert all(bernoulli_power(Power(NATURAL, Fraction(0)), entropy) for _ in range(99))
    assert all(bernoulli(Fraction(1), entropy) for _ in range(99))
    assert not any(bernoulli(Fraction(0), entropy) for _ in range(99))


def test_an_extreme_ratio_neither_overflows_nor_takes_long() -> None:
    entropy = SeededEntropy(1)
    for base in (TWO, NATURAL):
        steep = DiscreteLaplace(Power(base, Fraction(-(10**15))))
        assert {discrete_laplace(steep, entropy) for _ in range(20)} == {0}
        flat = DiscreteLaplace(Power(base, Fraction(-1, 10**15)), 1)
        assert {discrete_laplace(flat, entropy) for _ in range(60)} == {-1, 0, 1}


def test_a_uniform_number_is_consistent_between_comparisons() -> None:
    entropy = SeededEntropy(8)
    for _ in range(50):
        uniform = Uniform(entropy)
        answers = [uniform.below(lambda n=n: Fraction(n, 32)) for n in range(33)]  # type: ignore[misc]
        assert answers == sorted(answers)
        assert answers[0] is False
        assert answers[32] is True


def test_a_uniform_integer_is_rejected_and_not_folded() -> None:
    assert uniform_below(5, Scripted([7, 5, 6, 4])) == 4
    assert uniform_below(1, Scripted([])) == 0
    assert _fits(lambda entropy: uniform_below(6, entropy), dict.fromkeys(range(6), 1 / 6))
    assert not _fits(lambda entropy: entropy.bits(3) % 6, dict.fromkeys(range(6), 1 / 6))


def test_a_rational_coin_fits_and_its_neighbour_does_not() -> None:
    law = {1: 3 / 7, 0: 4 / 7}
    assert _fits(lambda entropy: int(bernoulli(Fraction(3, 7), entropy)), law)
    assert not _fits(lambda entropy: int(bernoulli(Fraction(9, 20), entropy)), law)


@dataclass(frozen=True, slots=True)
class Listed(Law[str]):
    """A law that lists its outcomes, not how to draw from it."""

    def outcomes(self) -> Iterable[tuple[str, Fraction]]:
        return [("never", Fraction(0)), ("always", Fraction(1))]


def test_a_sampler_draws_every_kind_of_law() -> None:
    draw = Sampler(SeededEntropy(2))
    assert draw(17) == 17
    assert draw("word") == "word"
    assert draw(Distribution.certain("only")) == "only"
    assert draw(Listed()) == "always"
    assert {draw(coin(HALF)) for _ in range(60)} == {True, False}
    assert {draw(BITS_WITHIN_FOUR.around(100)) for _ in range(900)} == set(range(96, 105))
    law = RandomizedResponse(outputs=Sequences(((0,), (1,))), power=Power(NATURAL, Fraction(1)))
    assert {draw(law) for _ in range(60)} == {None, (0,), (1,)}
    with pytest.raises(NotEnumerable):
        draw(Law[int]())


def test_a_finite_distribution_is_sampled_by_its_weights() -> None:
    weights: dict[Hashable, Fraction] = {"a": Fraction(1, 6), "b": HALF, "c": Fraction(1, 3)}
    law = Distribution.of(dict(enumerate(weights.values())))
    exact = {x: float(weight) for x, weight in law.items()}
    assert _fits(lambda entropy: Sampler(entropy)(law), exact)
    assert not _fits(lambda entropy: Sampler(entropy)(Distribution.uniform(range(3))), exact)


def test_a_seed_fixes_the_samples_and_the_system_gives_bits() -> None:
    one, other = (
        [integer_noise(NATS, entropy) for _ in range(20)]
        for entropy in (SeededEntropy(4), SeededEntropy(4))
    )
    assert one == other
    assert one != [integer_noise(NATS, SeededEntropy(5)) for _ in range(20)]
    system = SystemEntropy()
    assert all(0 <= system.bits(7) < 128 for _ in range(50))
    assert integer_noise(BITS_WITHIN_FOUR, system) in range(-4, 5)


def test_bad_input_is_named() -> None:
    entropy = SeededEntropy(0)
    with pytest.raises(OutOfRange, match="above 1"):
        bernoulli_power(Power(TWO, Fraction(1)), entropy)
    with pytest.raises(OutOfRange, match="not below 1"):
        geometrics(Power(TWO, Fraction(0)), 1, entropy)
    with pytest.raises(OutOfRange, match="count must be positive, not 0"):
        uniform_below(0, entropy)
    with pytest.raises(OutOfRange, match="probability must be in"):
        bernoulli(Fraction(3, 2), entropy)
    with pytest.raises(NotExact, match=r"probability .* 0\.5"):
        bernoulli(0.5, entropy)  # type: ignore[arg-type]
    with pytest.raises(NotWhole, match=r"seed .* 1\.5"):
        SeededEntropy(1.5)  # type: ignore[arg-type]


VECTOR_LAWS = [BITS, BITS_WITHIN_FOUR, NATS, NATS_NARROW, NATS_WIDE]


@pytest.mark.parametrize("noise", VECTOR_LAWS, ids=repr)
def test_a_vector_of_samples_fits_the_law_and_has_the_length_asked_for(
    noise: DiscreteLaplace,
) -> None:
    drawn = discrete_laplaces(noise, _count(noise), SeededEntropy(11))
    assert len(drawn) == _count(noise)
    given = iter(drawn)
    assert _fits(lambda _: next(given), _masses(noise), len(drawn))
    assert discrete_laplaces(noise, 0, SeededEntropy(11)) == []


def test_neighbours_in_a_vector_are_independent() -> None:
    masses = {x: rational(BITS_WITHIN_FOUR.pmf(x)) for x in range(-4, 5)}
    pairs = {9 * x + y: float(masses[x] * masses[y]) for x in masses for y in masses}
    drawn = iter(discrete_laplaces(BITS_WITHIN_FOUR, 2 * SAMPLES, SeededEntropy(12)))
    assert _fits(lambda _: 9 * next(drawn) + next(drawn), pairs)


@pytest.mark.parametrize("size", [2, 3, 16])
@pytest.mark.parametrize("base", [2, Fraction(9, 8), 10])
def test_digits_together_have_the_geometric_law(base: int | Fraction, size: int) -> None:
    """Multiply the laws of the digits, exactly, and compare with the geometric law."""
    ratio = Power(Base(Fraction(base)), Fraction(-1))
    digits, q = digits_of(ratio, size), ratio.exact()
    assert digits[-1].last
    assert not any(digit.last for digit in digits[:-1])
    for value in range(60):
        mass, rest = Fraction(1), value
        for digit in digits:
            part = rest if digit.last else rest % size
            if digit.last:
                exact = Fraction(digit.ratio.exact())
                mass *= exact**part * (1 - exact)
            else:
                low = Fraction(0) if part == 0 else rational(digit.at_most(part - 1))
                mass *= rational(digit.at_most(part)) - low
            rest //= size
        assert mass == (1 - q) * q**value


def rational(value: Real) -> Fraction:
    assert isinstance(value, Fraction)
    return value


@pytest.mark.parametrize("base", [TWO, Base(Fraction(9, 8)), NATURAL], ids=repr)
def test_borders_are_the_words_in_which_the_law_passes(base: Base) -> None:
    for digit in digits_of(Power(base, Fraction(-1, 3)), 16):
        assert len(digit.borders) == 16
        for value, word in enumerate(digit.borders):
            exact = enclosed(digit.at_most(value)) * 2**64
            assert not exact < word
            assert not exact > word + 1
        assert digit.borders == sorted(digit.borders)
        assert (digit.borders[-1] == 2**64) is not digit.last


def test_a_border_is_found_at_whatever_precision_it_takes() -> None:
    near = Fraction(1, 3) / 2**300
    assert border(lambda: HALF) == 2**63
    assert border(lambda: enclosed(HALF) + enclosed(near)) == 2**63
    assert border(lambda: enclosed(HALF) - enclosed(near)) == 2**63 - 1
    assert digit_at_most(Power(TWO, Fraction(-1)), 4, False, 3) == 1


@dataclass
class Given:
    """Give these bits, by what is asked for, and then zeros."""

    parts: list[int]

    def bits(self, count: int) -> int:
        return self.parts.pop(0) % 2**count if self.parts else 0


def test_a_word_on_a_border_takes_more_bits_until_it_is_decided() -> None:
    ratio = Power(NATURAL, Fraction(-1, 3))
    (digit,) = digits_of(ratio)
    word = digit.borders[4]
    assert digit.borders[3] < word < digit.borders[5]
    assert geometrics(ratio, 1, Given([word, 0])) == [4]
    assert geometrics(ratio, 1, Given([word, 2**64 - 1])) == [5]
    assert geometrics(ratio, 1, Given([word - 1])) == [4]
    assert geometrics(ratio, 1, Given([word + 1])) == [5]


def test_a_number_that_passes_the_last_digit_goes_on_from_there() -> None:
    ratio, ones = Power(TWO, Fraction(-1)), 2**64 - 1
    (digit,) = digits_of(ratio)
    passing = [ones] * 4
    assert geometrics(ratio, 1, Given([*passing, 0])) == [digit.size]
    assert geometrics(ratio, 1, Given([*passing, digit.borders[2] + 1])) == [digit.size + 3]
    assert geometrics(ratio, 1, Given([*passing[:3], 0])) == [digit.size - 64]


def test_noise_that_is_drawn_ahead_has_the_same_law_and_goes_to_its_own_noise() -> None:
    sampler = Sampler(SeededEntropy(13))
    near, far = BITS_WITHIN_FOUR.around(0), BITS_WITHIN_FOUR.around(1000)
    other = NATS.around(5000)
    assert _fits(lambda _: sampler(near), _masses(BITS_WITHIN_FOUR))
    assert all(996 <= sampler(far) <= 1004 for _ in range(100))
    for _ in range(20):
        assert 4900 < sampler(other) < 5100
        assert -4 <= sampler(near) <= 4


def test_noise_is_drawn_ahead_only_where_it_is_asked_for_again() -> None:
    @dataclass
    class Counting:
        drawn: int = 0

        def bits(self, count: int) -> int:
            self.drawn += count
            return 2 * ((1 << count) - 1) // 3

    counting = Counting()
    sampler, law = Sampler(counting), BITS_WITHIN_FOUR.around(0)
    sampler(law)
    assert counting.drawn == 65
    sampler(law)
    assert counting.drawn == 3 * 65
    sampler(law)
    assert counting.drawn == 3 * 65
