"""What is sampled is what is proved: samplers run on all bits there are, up to a number of them.

A sampler is a function of uniform bits. It is run on every string of bits that it asks for, so that
the probability of each outcome is known up to that of the strings that are not finished. Words are
made short for this: how many bits are drawn at once changes no law. Where a sampler rejects it
begins anew, which is told by its asking for its first bits again.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from typing import Any, cast
from unittest.mock import patch

import pytest

from sandproof import sampling
from sandproof.sampling import Entropy, Sampler
from spec.distributions import Distribution, Law, coin
from spec.noise import DiscreteGaussian, DiscreteLaplace, Noise
from spec.numbers import NATURAL, Base, Power, bounds
from spec.randomized_response import RandomizedResponse, Sequences

TWO = Base(Fraction(2))
WIDTH = 2
"""The bits of a word."""

Sample = Callable[[Entropy], Hashable]
WORDS = sampling.words

Bits = tuple[tuple[int, int], ...]
Enclosed = tuple[Fraction, Fraction]


@dataclass(frozen=True, slots=True)
class More(Exception):
    """Ask for so many more bits."""

    count: int


@dataclass(slots=True)
class Given:
    """Give bits that were chosen before, and ask for more beyond them."""

    chosen: Bits
    place: int = 0

    def bits(self, count: int) -> int:
        """Return what was chosen for this request."""
        if self.place == len(self.chosen):
            raise More(count)
        width, value = self.chosen[self.place]
        assert width == count
        self.place += 1
        return value


@contextmanager
def short_words() -> Iterator[None]:
    """Draw bits in short words, each by itself."""

    def words(count: int, entropy: Entropy) -> list[int]:
        return [entropy.bits(WIDTH) for _ in range(count)]

    caches = (sampling.digits_of, sampling._leading_bits)
    for cache in caches:
        cache.cache_clear()
    with (
        patch.object(sampling, "WORD", WIDTH),
        patch.object(sampling, "FIRST_PRECISION", WIDTH),
        patch.object(sampling, "words", words),
    ):
        yield
    for cache in caches:
        cache.cache_clear()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampled:
    """Hold the probabilities of outcomes, of beginning anew, and of what is not finished."""

    found: dict[Hashable, Fraction]
    anew: Fraction
    unfinished: Fraction

    def fits(self, law: Callable[[Hashable], Enclosed]) -> bool:
        """Tell whether every outcome has its probability, as far as strings are finished."""
        accepted = 1 - self.anew
        assert self.unfinished < accepted / 50, "too much is unfinished to tell"
        return all(
            mass <= law(outcome)[1] * accepted
            and law(outcome)[0] * accepted <= mass + self.unfinished
            for outcome, mass in self.found.items()
        )


def sampled(sample: Sample, most: int, *, rejects: bool = False) -> Sampled:
    """Run a sampler on all strings of so many bits; one that rejects only until it does."""
    found: dict[Hashable, Fraction] = {}
    anew = unfinished = Fraction(0)
    pending: list[Bits] = [()]
    while pending:
        chosen = pending.pop()
        used = sum(width for width, _ in chosen)
        try:
            outcome = sample(Given(chosen))
        except More as more:
            if rejects and chosen and chosen[0][0] == more.count:
                anew += Fraction(1, 2**used)
            elif used + more.count > most:
                unfinished += Fraction(1, 2**used)
            else:
                pending += [(*chosen, (more.count, each)) for each in range(2**more.count)]
        else:
            found[outcome] = found.get(outcome, Fraction(0)) + Fraction(1, 2**used)
    assert sum(found.values(), anew + unfinished) == 1
    return Sampled(found=found, anew=anew, unfinished=unfinished)


@pytest.fixture(autouse=True)
def _in_short_words() -> Iterator[None]:
    with short_words():
        yield


def pmf_of(noise: Noise) -> Callable[[Hashable], Enclosed]:
    return lambda x: bounds(noise.pmf(cast(int, x)))


def listed(law: Law[Any]) -> Callable[[Hashable], Enclosed]:
    masses = dict(law.outcomes())
    return lambda x: (masses.get(x, Fraction(0)), masses.get(x, Fraction(0)))


HALVES = DiscreteLaplace(Power(TWO, Fraction(-1)))
WITHIN_TWO = DiscreteLaplace(Power(TWO, Fraction(-1)), 2)
NARROW = DiscreteLaplace(Power(TWO, Fraction(-1, 4)), 2)
NATS = DiscreteLaplace(Power(NATURAL, Fraction(-1)))
NATS_WITHIN_TWO = DiscreteLaplace(Power(NATURAL, Fraction(-1)), 2)
GAUSSIAN = DiscreteGaussian(Fraction(1, 2))
NOISES: list[Noise] = [HALVES, WITHIN_TWO, NARROW, NATS, NATS_WITHIN_TWO, GAUSSIAN]
WRONG: list[tuple[Noise, Noise]] = [
    (HALVES, DiscreteLaplace(Power(TWO, Fraction(-11, 10)))),
    (WITHIN_TWO, DiscreteLaplace(Power(TWO, Fraction(-1)), 3)),
    (NARROW, DiscreteLaplace(Power(TWO, Fraction(-3, 10)), 2)),
    (NATS, DiscreteLaplace(Power(NATURAL, Fraction(-9, 10)))),
    (NATS_WITHIN_TWO, NATS),
    (GAUSSIAN, DiscreteGaussian(Fraction(3, 5))),
]


def noise_of(noise: Noise) -> Sample:
    return lambda entropy: Sampler(entropy)(noise.around(0))


@pytest.mark.parametrize("noise", NOISES, ids=repr)
def test_noise_is_sampled_with_its_own_probabilities(noise: Noise) -> None:
    assert sampled(noise_of(noise), 18, rejects=True).fits(pmf_of(noise))


@pytest.mark.parametrize(("law", "wrong"), WRONG)
def test_noise_of_another_law_is_noticed(law: Noise, wrong: Noise) -> None:
    assert not sampled(noise_of(wrong), 18, rejects=True).fits(pmf_of(law))


def test_a_sample_that_is_rejected_begins_anew() -> None:
    def clamped(entropy: Entropy) -> int:
        return max(-2, min(2, sampling.discrete_laplace(HALVES, entropy)))

    assert sampled(noise_of(HALVES), 16).fits(pmf_of(HALVES))
    assert not sampled(clamped, 16).fits(pmf_of(WITHIN_TWO))


@pytest.mark.parametrize("size", range(1, 10))
def test_a_uniform_number_has_equal_probabilities(size: int) -> None:
    found = sampled(lambda entropy: sampling.uniform_below(size, entropy), 12, rejects=True).found
    assert set(found) == set(range(size))
    assert len(set(found.values())) == 1


@dataclass(frozen=True, slots=True)
class Listed(Law[str]):
    """A law of a proposal, known by its outcomes alone."""

    def outcomes(self) -> list[tuple[str, Fraction]]:
        """List three outcomes."""
        return [("a", Fraction(1, 5)), ("b", Fraction(0)), ("c", Fraction(4, 5))]


OUTPUTS = Sequences(((0,), (1,), (2,)))
FINITE: list[Law[Any]] = [
    coin(Fraction(3, 7)),
    coin(Fraction(1)),
    Distribution.uniform("abcdef"),
    Distribution.of({"a": Fraction(1, 6), "b": Fraction(1, 2), "c": Fraction(1, 3)}),
    Listed(),
    WITHIN_TWO.around(7),
    RandomizedResponse(outputs=OUTPUTS, power=Power(Base(Fraction(3)), Fraction(1))),
]


@pytest.mark.parametrize("law", FINITE)
def test_a_law_is_sampled_with_the_probabilities_that_it_lists(law: Law[Any]) -> None:
    noisy = law == WITHIN_TWO.around(7)
    found = sampled(lambda entropy: Sampler(entropy)(law), 18, rejects=noisy)
    assert found.fits(listed(law))
    assert set(found.found) == {outcome for outcome, mass in law.outcomes() if mass}


@pytest.mark.parametrize("law", FINITE[2:5])
def test_another_weight_is_noticed(law: Law[Any]) -> None:
    values, weights = zip(*law.outcomes(), strict=True)
    heavier = [2 * weights[0], *weights[1:]]
    other = {x: w / sum(heavier) for x, w in zip(values, heavier, strict=True)}
    found = sampled(lambda entropy: Sampler(entropy)(Distribution.of(other)), 18)
    assert not found.fits(listed(law))


def test_an_irrational_response_is_sampled_with_its_probabilities() -> None:
    law = RandomizedResponse(outputs=OUTPUTS, power=Power(NATURAL, Fraction(1)))
    found = sampled(lambda entropy: Sampler(entropy)(law), 18)
    low, high = bounds(law.truth_probability(law.power.value(), OUTPUTS.size()))

    def probability(outcome: Hashable) -> Enclosed:
        return (low, high) if outcome is None else ((1 - high) / 3, (1 - low) / 3)

    assert found.fits(probability)
    assert not found.fits(lambda x: (low, high) if x == (0,) else probability(x))
    assert set(found.found) == {None, (0,), (1,), (2,)}


def test_every_sample_that_was_drawn_ahead_is_used_once() -> None:
    numbers = count()

    def distinct(_: DiscreteLaplace, many: int, __: Entropy) -> list[int]:
        return [next(numbers) for _ in range(many)]

    with patch.object(sampling, "discrete_laplaces", distinct):
        draw = Sampler(Given(()))
        drawn = [draw(law.around(0)) for law in (*[HALVES] * 40, *[NATS] * 3, *[HALVES] * 3)]
    assert len(set(drawn)) == len(drawn)


def test_words_are_the_bits_in_a_row() -> None:
    given, width = [3, 2**64 - 1, 5 << 40], 3 * 64
    drawn = sum(each << 64 * place for place, each in enumerate(given))
    with patch.object(sampling, "WORD", 64):
        assert WORDS(3, Given(((width, drawn),))) == given


@pytest.mark.parametrize("base", [TWO, Base(Fraction(3)), NATURAL], ids=repr)
@pytest.mark.parametrize("exponent", [0, -1, Fraction(-3, 2), -3])
def test_a_coin_with_the_probability_of_a_power(base: Base, exponent: Fraction) -> None:
    power = Power(base, Fraction(exponent))
    low, high = bounds(power.value())
    found = sampled(lambda entropy: sampling.bernoulli_power(power, entropy), 24)
    assert found.fits(lambda heads: (low, high) if heads else (1 - high, 1 - low))
