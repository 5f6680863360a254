r"""Exact sampling from every law, with the entropy passed in.

A coin of probability $p$ compares a uniform number with $p$ and reveals as many bits of both as
that takes, so that no probability is rounded. The geometric law with ratio $q$ has independent
digits in any base; each is looked up in a table of where its law passes the words of a uniform
number, and only a word on such a border takes more bits. A geometric magnitude with a sign, where
minus zero counts as nothing, is the discrete Laplace law. The discrete Gaussian is reached from it
by rejection.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache, partial
from math import ceil, floor, isqrt, lcm
from typing import TypeVar, cast, overload

from flint import ctx

from sandproof.entropy import Entropy as Entropy
from sandproof.entropy import SeededEntropy as SeededEntropy
from sandproof.entropy import SystemEntropy as SystemEntropy
from sandproof.exponentials import SCALE, exponential_bounds
from spec.distributions import Distribution, Law
from spec.noise import DiscreteGaussian, DiscreteLaplace, Noise, Noisy
from spec.numbers import (
    FIRST_PRECISION,
    NATURAL,
    OutOfRange,
    Power,
    Real,
    bounds,
    enclosed,
    positive_whole,
    unit_interval,
)
from spec.randomized_response import RandomizedResponse

T = TypeVar("T")

WORD = 64
"""The bits of a uniform number that are drawn at once."""

DIGITS = 256
"""The base to which geometric numbers are drawn digit by digit."""

RARE = Fraction(1, 16)
"""How often at most the last digit is passed."""

BLOCK = 1024
"""How many samples are drawn at once."""


def uniform_below(count: int, entropy: Entropy) -> int:
    """Return a uniform integer from zero to below the count, by rejection."""
    width = (positive_whole(count, "count") - 1).bit_length()
    while True:
        candidate = entropy.bits(width) if width else 0
        if candidate < count:
            return candidate


def bernoulli(probability: Fraction, entropy: Entropy) -> bool:
    """Return true with a rational probability."""
    chance = unit_interval(probability, "probability")
    return uniform_below(chance.denominator, entropy) < chance.numerator


def bernoulli_power(power: Power, entropy: Entropy) -> bool:
    """Return true with a probability that is a power, rational or not."""
    low, high = _leading_bits(power)
    revealed = entropy.bits(FIRST_PRECISION)
    if low <= revealed < high:
        return Uniform(entropy, revealed, FIRST_PRECISION).below(power.value)
    return revealed < low


@lru_cache(maxsize=4096)
def _leading_bits(power: Power) -> tuple[int, int]:
    """Return what the first bits of a uniform number must stay below, and what they must reach."""
    if power.exponent > 0:
        raise OutOfRange(f"the probability {power} is above 1")
    if power.at_most(Fraction(1, 1 << FIRST_PRECISION)):
        return 0, 1
    low, high = power.enclosure(2 * FIRST_PRECISION)
    return floor(low * (1 << FIRST_PRECISION)), ceil(high * (1 << FIRST_PRECISION))


class Uniform:
    """Hold a uniform real number whose bits are drawn when a comparison needs them."""

    def __init__(self, entropy: Entropy, revealed: int = 0, width: int = 0) -> None:
        self._entropy = entropy
        self._revealed = revealed
        self._width = width

    def below(self, number: Callable[[], Real]) -> bool:
        """Decide whether this number is below another, given as enclosures at any precision."""
        while True:
            with ctx.workprec(self._width + FIRST_PRECISION):
                low, high = bounds(number())
            if self._revealed + 1 <= low * (1 << self._width):
                return True
            if self._revealed >= high * (1 << self._width):
                return False
            more = self._entropy.bits(FIRST_PRECISION)
            self._revealed = (self._revealed << FIRST_PRECISION) | more
            self._width += FIRST_PRECISION


@dataclass(frozen=True, slots=True)
class Digit:
    r"""Hold the law of one digit of a geometric number: $\Pr[L \le l]$ for $l$ below `size`.

    `borders` are the words in which these probabilities lie, as numbers of `WORD` bits. A digit
    that is not `last` is below `size` for certain. The last one may pass it: then it is `size` and
    as much as another draw.
    """

    ratio: Power
    size: int
    weight: int
    last: bool
    borders: list[int]

    def draw(self, word: int, entropy: Entropy) -> int:
        """Return the digit for a uniform number that begins with a word."""
        found = bisect_right(self.borders, word)
        if found and self.borders[found - 1] == word:
            found = bisect_left(self.borders, word)
            uniform = Uniform(entropy, word, WORD)
            while found < self.size and not uniform.below(partial(self.at_most, found)):
                found += 1
        return found

    def at_most(self, digit: int) -> Real:
        r"""Return $\Pr[L \le l]$ at the current precision."""
        return digit_at_most(self.ratio, self.size, self.last, digit)


def digit_at_most(ratio: Power, size: int, last: bool, digit: int) -> Real:
    """Return the probability of a digit that is no larger, exactly or at the current precision."""
    if not last and digit >= size - 1:
        return Fraction(1)
    passed = (ratio ** (digit + 1)).value()
    if last:
        return 1 - passed
    every = (ratio**size).value()
    if isinstance(passed, Fraction) and isinstance(every, Fraction):
        return (1 - passed) / (1 - every)
    return (1 - enclosed(passed)) / (1 - enclosed(every))


@lru_cache(maxsize=64)
def digits_of(ratio: Power, size: int = DIGITS) -> tuple[Digit, ...]:
    """Return the laws of the digits of a geometric number, to a base, the lowest first."""
    if ratio.exponent >= 0:
        raise OutOfRange(f"the ratio {ratio} is not below 1")
    found: list[Digit] = []
    weight = 1
    while True:
        last = (ratio**size).at_most(RARE)
        borders = [border_of(ratio, size, last, each) for each in range(size)]
        found.append(Digit(ratio, size, weight, last, borders))
        if last:
            return tuple(found)
        ratio, weight = ratio**size, weight * size


def border_of(ratio: Power, size: int, last: bool, digit: int) -> int:
    """Return the word in which the probability of a digit that is no larger lies."""
    # A power that is too small for a word is never written out.
    if last and (ratio ** (digit + 1)).at_most(Fraction(1, 1 << WORD)):
        return (1 << WORD) - 1
    return border(partial(digit_at_most, ratio, size, last, digit))


def border(probability: Callable[[], Real]) -> int:
    """Return the word in which a probability lies, for certain."""
    precision = 2 * FIRST_PRECISION
    while True:
        with ctx.workprec(precision):
            low, high = bounds(probability())
        if floor(low * (1 << WORD)) == floor(high * (1 << WORD)):
            return floor(low * (1 << WORD))
        precision *= 2


def words(count: int, entropy: Entropy) -> list[int]:
    """Return uniform words."""
    drawn = entropy.bits(WORD * count).to_bytes(WORD // 8 * count, "little")
    return memoryview(drawn).cast("Q").tolist()


def geometrics(ratio: Power, count: int, entropy: Entropy) -> list[int]:
    r"""Return independent $g \ge 0$, each with probability $(1 - q) q^g$."""
    values = [0] * count
    for digit in digits_of(ratio):
        borders, weight, size = digit.borders, digit.weight, digit.size
        for place, word in enumerate(words(count, entropy)):
            drawn = bisect_right(borders, word)
            if drawn == size or (drawn and borders[drawn - 1] == word):
                drawn = digit.draw(word, entropy)
                if drawn == size:
                    drawn += geometrics(digit.ratio, 1, entropy)[0]
            if drawn:
                values[place] += drawn * weight
    return values


def discrete_laplaces(noise: DiscreteLaplace, count: int, entropy: Entropy) -> list[int]:
    r"""Return independent samples of $\mathrm{DLap}(a)$ or $\mathrm{DLap}_\tau(a)$.

    The truncated law is the untruncated one given that it lands inside, or, where the support is so
    narrow that this is rare, the uniform law accepted with $q^{|x|}$. Either accepts with a
    probability of at least one half.
    """
    ratio, edge = noise.decay_power, noise.truncation
    if edge is not None and _narrow(ratio, edge):
        return [_within(ratio, edge, entropy) for _ in range(count)]
    found: list[int] = []
    while len(found) < count:
        missing = min(count - len(found), BLOCK)
        signs = entropy.bits(missing)
        for magnitude in geometrics(ratio, missing, entropy):
            negative, signs = signs & 1, signs >> 1
            if edge is not None and magnitude > edge:
                continue
            if not negative:
                found.append(magnitude)
            elif magnitude:
                found.append(-magnitude)
    return found


def discrete_laplace(noise: DiscreteLaplace, entropy: Entropy) -> int:
    """Return one sample of the discrete Laplace law, truncated or not."""
    (found,) = discrete_laplaces(noise, 1, entropy)
    return found


def _within(ratio: Power, edge: int, entropy: Entropy) -> int:
    while True:
        candidate = uniform_below(2 * edge + 1, entropy) - edge
        if bernoulli_power(ratio ** abs(candidate), entropy):
            return candidate


@lru_cache(maxsize=4096)
def _narrow(ratio: Power, edge: int) -> bool:
    return not (ratio**edge).at_most(Fraction(1, 2))


def discrete_gaussians(noise: DiscreteGaussian, count: int, entropy: Entropy) -> list[int]:
    r"""Return independent samples of the discrete Gaussian.

    A discrete Laplace sample $y$ with $a = 1/t$, $t = \lfloor\sigma\rfloor + 1$, is accepted with
    probability $e^{-(|y| - \sigma^2/t)^2 / 2\sigma^2}$.
    """
    over, under = noise.variance.as_integer_ratio()
    scale = isqrt(over // under) + 1
    proposal = DiscreteLaplace(Power(NATURAL, Fraction(-1, scale)))
    found: list[int] = []
    while len(found) < count:
        missing = min(count - len(found), BLOCK)
        candidates = discrete_laplaces(proposal, missing, entropy)
        for candidate, word in zip(candidates, words(missing, entropy), strict=True):
            squared = (abs(candidate) * under * scale - over) ** 2
            if _accepts(word, squared, 2 * over * under * scale**2, entropy):
                found.append(candidate)
    return found


def _accepts(word: int, numerator: int, denominator: int, entropy: Entropy) -> bool:
    """Say whether a uniform number that begins with a word is below e to minus a fraction."""
    low, high = exponential_bounds(numerator, denominator)
    if (word + 1) << SCALE - WORD <= low:
        return True
    if word << SCALE - WORD >= high:
        return False
    power = Power(NATURAL, Fraction(-numerator, denominator))
    return Uniform(entropy, word, WORD).below(power.value)


def by_tail(noise: Noise, entropy: Entropy) -> int:
    r"""Return a sample of any noise from its tails: the $x$ with $\Pr[X > x] \le u < \Pr[X \ge x]$.

    The search doubles its steps away from zero and then halves the interval.
    """
    uniform = Uniform(entropy)

    def exceeds(x: int) -> bool:
        return uniform.below(lambda: noise.tail(x))

    low, high = noise.support
    if low is None:
        low = -1
        while not exceeds(low - 1):
            low *= 2
    if high is None:
        high = max(low, 1)
        while exceeds(high):
            high *= 2
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if exceeds(middle) else (low, middle)
    return low


@dataclass(slots=True)
class Sampler:
    """Be a draw that samples every law with the given entropy.

    Samples of one noise that is drawn from again and again, as for the keys of a summary, are drawn
    ahead, twice as many each time. Those that nobody asks for are dropped.
    """

    entropy: Entropy
    _noise: Noise | None = field(default=None, init=False)
    _ahead: list[int] = field(default_factory=list, init=False)
    _block: int = field(default=1, init=False)

    @overload
    def __call__(self, law: Law[T], /) -> T: ...
    @overload
    def __call__(self, law: T | Law[T], /) -> T: ...
    def __call__(self, law: T | Law[T], /) -> T:
        """Return a sample of the law; a plain value is returned unchanged."""
        if not isinstance(law, Law):
            return law
        if isinstance(law, Noisy):
            return cast(T, law.centre + self._noise_of(law.noise))
        if isinstance(law, Distribution):
            return cast(T, finite(law, self.entropy))
        if isinstance(law, RandomizedResponse):
            return cast(T, randomized_response(law, self.entropy))
        return cast(T, finite(Distribution.of(dict(law.outcomes())), self.entropy))

    def _noise_of(self, noise: Noise) -> int:
        if not isinstance(noise, DiscreteLaplace | DiscreteGaussian):
            return by_tail(noise, self.entropy)
        if noise is not self._noise:
            self._noise, self._ahead, self._block = noise, [], 1
        if not self._ahead:
            self._ahead = integer_noises(noise, self._block, self.entropy)
            self._block = min(2 * self._block, BLOCK)
        return self._ahead.pop()


def finite(law: Distribution[T], entropy: Entropy) -> T:
    """Return a sample of a finite distribution."""
    *others, (last, _) = law.items()
    denominator = lcm(*(weight.denominator for _, weight in law.items()))
    remaining = uniform_below(denominator, entropy)
    for outcome, weight in others:
        remaining -= int(weight * denominator)
        if remaining < 0:
            return outcome
    return last


def randomized_response(law: RandomizedResponse[T], entropy: Entropy) -> T | None:
    """Return None for the truth, or a uniform output, also if the truth probability is irrational.

    The truth is compared with a uniform number, so that the outputs need not be listed.
    """
    size = law.outputs.size()
    if Uniform(entropy).below(lambda: law.truth_probability(law.power.value(), size)):
        return None
    return law.outputs.output(uniform_below(size, entropy))


def integer_noises(noise: Noise, count: int, entropy: Entropy) -> list[int]:
    """Return independent samples of any noise, by its own sampler where there is one."""
    if isinstance(noise, DiscreteLaplace):
        return discrete_laplaces(noise, count, entropy)
    if isinstance(noise, DiscreteGaussian):
        return discrete_gaussians(noise, count, entropy)
    return [by_tail(noise, entropy) for _ in range(count)]


def integer_noise(noise: Noise, entropy: Entropy) -> int:
    """Return one sample of any noise."""
    (found,) = integer_noises(noise, 1, entropy)
    return found
