r"""Exact sampling from every law, with the entropy passed in.

A coin of probability $p$ compares a uniform number with $p$ and reveals as many bits of both as
that takes, so that no probability is rounded. The rest is built from such coins. The geometric law
with ratio $q$ has independent binary digits, the $i$-th of which is one with odds $q^{2^i}$; the
difference of two of them is the discrete Laplace law. The discrete Gaussian is reached from it by
rejection.
"""

from __future__ import annotations

import random
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, isqrt, lcm
from typing import Protocol, TypeVar, cast, overload

from flint import ctx

from spec.distributions import Distribution, Law
from spec.noise import DiscreteGaussian, DiscreteLaplace, Noise, Noisy
from spec.numbers import (
    FIRST_PRECISION,
    NATURAL,
    OutOfRange,
    Power,
    Real,
    bounds,
    positive_whole,
    unit_interval,
    whole,
)
from spec.randomized_response import RandomizedResponse

T = TypeVar("T")


class Entropy(Protocol):
    """Give independent uniform bits."""

    def bits(self, count: int) -> int:
        """Return a uniform integer below two to the power of the count."""
        ...


class SeededEntropy:
    """Give the same bits for the same seed, for tests and simulations."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(whole(seed, "seed"))

    def bits(self, count: int) -> int:
        """Return a uniform integer below two to the power of the count."""
        return self._random.getrandbits(count)


class SystemEntropy:
    """Give the bits of the operating system."""

    def bits(self, count: int) -> int:
        """Return a uniform integer below two to the power of the count."""
        return secrets.randbits(count)


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


def geometric(ratio: Power, entropy: Entropy) -> int:
    r"""Return $g \ge 0$ with probability $(1 - q) q^g$, from its independent binary digits.

    Digits are drawn up to the first $k$ with $q^{2^k} \le 1/2$; what stands above them is geometric
    with that ratio, and is drawn by tossing its coin until it fails.
    """
    *digits, last = _digit_odds(ratio)
    value = sum(1 << place for place, odds in enumerate(digits) if _odds(odds, entropy))
    while bernoulli_power(last, entropy):
        value += 1 << len(digits)
    return value


@lru_cache(maxsize=4096)
def _digit_odds(ratio: Power) -> tuple[Power, ...]:
    r"""Return $q, q^2, q^4, \dots$ up to the first that is at most one half."""
    if ratio.exponent >= 0:
        raise OutOfRange(f"the ratio {ratio} is not below 1")
    odds = [ratio]
    while not odds[-1].at_most(Fraction(1, 2)):
        odds.append(odds[-1] ** 2)
    return tuple(odds)


def _odds(odds: Power, entropy: Entropy) -> bool:
    """Return true with probability $x / (1 + x)$: toss a fair coin and that of $x$ in turn."""
    while entropy.bits(1):
        if bernoulli_power(odds, entropy):
            return True
    return False


def discrete_laplace(noise: DiscreteLaplace, entropy: Entropy) -> int:
    r"""Return a sample of $\mathrm{DLap}(a)$ or $\mathrm{DLap}_\tau(a)$.

    The truncated law is the untruncated one given that it lands inside, or, where the support is so
    narrow that this is rare, the uniform law accepted with $q^{|x|}$. Either accepts with a
    probability of at least one half.
    """
    ratio, edge = noise.decay_power, noise.truncation
    if edge is None:
        return geometric(ratio, entropy) - geometric(ratio, entropy)
    while True:
        if _narrow(ratio, edge):
            candidate = uniform_below(2 * edge + 1, entropy) - edge
            if bernoulli_power(ratio ** abs(candidate), entropy):
                return candidate
        else:
            candidate = geometric(ratio, entropy) - geometric(ratio, entropy)
            if abs(candidate) <= edge:
                return candidate


@lru_cache(maxsize=4096)
def _narrow(ratio: Power, edge: int) -> bool:
    return not (ratio**edge).at_most(Fraction(1, 2))


def discrete_gaussian(noise: DiscreteGaussian, entropy: Entropy) -> int:
    r"""Return a sample of the discrete Gaussian.

    A discrete Laplace sample $y$ with $a = 1/t$, $t = \lfloor\sigma\rfloor + 1$, is accepted with
    probability $e^{-(|y| - \sigma^2/t)^2 / 2\sigma^2}$.
    """
    variance = noise.variance
    scale = isqrt(variance.numerator // variance.denominator) + 1
    proposal = DiscreteLaplace(Power(NATURAL, Fraction(-1, scale)))
    while True:
        candidate = discrete_laplace(proposal, entropy)
        excess = (abs(candidate) - variance / scale) ** 2 / (2 * variance)
        if bernoulli_power(Power(NATURAL, -excess), entropy):
            return candidate


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


@dataclass(frozen=True, slots=True)
class Sampler:
    """Be a draw that samples every law with the given entropy."""

    entropy: Entropy

    @overload
    def __call__(self, law: Law[T], /) -> T: ...
    @overload
    def __call__(self, law: T | Law[T], /) -> T: ...
    def __call__(self, law: T | Law[T], /) -> T:
        """Return a sample of the law; a plain value is returned unchanged."""
        if isinstance(law, Distribution):
            return cast(T, finite(law, self.entropy))
        if isinstance(law, Noisy):
            return cast(T, law.centre + integer_noise(law.noise, self.entropy))
        if isinstance(law, RandomizedResponse):
            return cast(T, randomized_response(law, self.entropy))
        if isinstance(law, Law):
            return cast(T, finite(Distribution.of(dict(law.outcomes())), self.entropy))
        return law


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


def integer_noise(noise: Noise, entropy: Entropy) -> int:
    """Return a sample of any noise, by its own sampler where there is one."""
    if isinstance(noise, DiscreteLaplace):
        return discrete_laplace(noise, entropy)
    if isinstance(noise, DiscreteGaussian):
        return discrete_gaussian(noise, entropy)
    return by_tail(noise, entropy)
