r"""The noise of the aggregation service, and the threshold of key discovery.

The discrete Laplace distribution $\mathrm{DLap}(a)$ has mass proportional to $q^{|x|}$ with
$q = e^{-a}$ on all integers, and $\mathrm{DLap}_\tau(a)$ the same on $[-\tau, \tau]$. Its masses
and tails have closed forms in $q$ and in the powers of $q$ at the point and at the edge. They are
written over any kind of number: fractions when they are run, enclosures where $q$ is irrational,
and symbols where they are proved.

Paper: Sec. 2.1; Fact 3.3; App. A.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, ctx

from spec.distributions import Law, NotEnumerable
from spec.numbers import (
    Base,
    N,
    OutOfRange,
    Power,
    Real,
    bounds,
    decide,
    enclose,
    enclosed,
    floor_log,
    positive,
    positive_whole,
    unit_interval,
    whole,
)


def laplace_mass(ratio: N, height: N, edge: N) -> N:
    r"""Return $\Pr[X = x]$ from $q$, the height $q^{|x|}$ and the edge $q^{T+1}$, for $|x| \le T$.

    Without truncation the edge is zero.
    """
    return height * (1 - ratio) / (1 + ratio - 2 * edge)


def laplace_upper_tail(ratio: N, height: N, edge: N) -> N:
    r"""Return $\Pr[X > x]$ from $q$, the height $q^{x+1}$ and the edge $q^{T+1}$.

    It holds for $-1 \le x \le T$. Without truncation the edge is zero.

    Deviates: B5 the tail of the lemma starts above tau - Delta.
    Paper: Lem. A.1.
    """
    return (height - edge) / (1 + ratio - 2 * edge)


def displaced_mass(ratio: N, lift: N, edge: N) -> N:
    r"""Return $f(v) = \Pr[X > T - v]$ from $q$, the lift $q^{-v}$ and the edge $q^{T+1}$.

    This is how often a true sum that moves by $v$ shows it by leaving the other world's support.
    It is exact for $v \le T + 1$ and an upper bound beyond.

    Paper: Lem. A.1.
    """
    return laplace_upper_tail(ratio, edge * lift, edge)


def laplace_edge(ratio: N, truncation: int | None) -> N:
    r"""Return the edge $q^{T+1}$, which is zero without truncation."""
    return ratio - ratio if truncation is None else ratio ** (truncation + 1)


def laplace_normaliser(ratio: N, truncation: int | None) -> N:
    r"""Return $\sum_x q^{|x|}$ over $|x| \le T$, or over all integers."""
    return (1 + ratio - 2 * laplace_edge(ratio, truncation)) / (1 - ratio)


def laplace_pmf(ratio: N, truncation: int | None, x: int) -> N:
    r"""Return $\Pr[X = x]$ for $X \sim \mathrm{DLap}_T(a)$, or $\mathrm{DLap}(a)$, $q = e^{-a}$."""
    magnitude = -x if x < 0 else x
    if truncation is not None and magnitude > truncation:
        return ratio - ratio
    return laplace_mass(ratio, ratio**magnitude, laplace_edge(ratio, truncation))


def laplace_tail(ratio: N, truncation: int | None, x: int) -> N:
    r"""Return $\Pr[X > x]$ for the same; below zero it is one minus the mirrored tail.

    Paper: Lem. A.1.
    """
    if truncation is not None and x >= truncation:
        return ratio - ratio
    if truncation is not None and x < -truncation:
        return ratio - ratio + 1
    edge = laplace_edge(ratio, truncation)
    if x < 0:
        return 1 - laplace_upper_tail(ratio, ratio ** (-x), edge)
    return laplace_upper_tail(ratio, ratio ** (x + 1), edge)


class Noise(ABC):
    """Describe a law on the integers by its masses, tails, support and decay.

    A proposal brings its own noise as a subclass. What has no closed tail is decided at small sizes
    only.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def support(self) -> tuple[int | None, int | None]:
        """Return the least and the greatest outcome; None where there is no end."""

    @property
    @abstractmethod
    def decay(self) -> Power | None:
        """Return the ratio of neighbouring masses in the tails, or None if it is not constant."""

    @abstractmethod
    def pmf(self, x: int) -> Real:
        """Return the probability of one outcome."""

    @abstractmethod
    def tail(self, x: int) -> Real:
        """Return the probability of every outcome above x."""

    def around(self, centre: int) -> Noisy:
        """Return the law of this noise added to a centre."""
        return Noisy(centre, self)


@dataclass(frozen=True, slots=True)
class Noisy(Law[int]):
    """Hold the law of a true sum with noise added.

    Paper: Alg. 1.
    """

    centre: int
    noise: Noise

    def outcomes(self) -> Iterable[tuple[int, Fraction]]:
        """List the outcomes, if they are finitely many and their probabilities rational."""
        low, high = self.noise.support
        if low is None or high is None:
            raise NotEnumerable(f"{self.noise!r} has infinitely many outcomes")
        listed: list[tuple[int, Fraction]] = []
        for x in range(low, high + 1):
            mass = self.noise.pmf(x)
            if not isinstance(mass, Fraction):
                raise NotEnumerable(f"{self.noise!r} has irrational probabilities")
            listed.append((self.centre + x, mass))
        return listed


@dataclass(frozen=True, slots=True)
class DiscreteLaplace(Noise):
    r"""Hold $\mathrm{DLap}(a)$ by $q = e^{-a}$, truncated at $\lfloor\tau\rfloor$ or not at all.

    Deviates: B4 tau is real and the support holds the integers up to its floor.
    Paper: Sec. 2.1; Fact 3.3; App. A.
    """

    decay_power: Power
    truncation: int | None = None

    def __post_init__(self) -> None:
        if self.decay_power.exponent >= 0:
            raise OutOfRange(f"decay_power must be below 1, not {self.decay_power}")
        if self.truncation is not None and whole(self.truncation, "truncation") < 0:
            raise OutOfRange(f"truncation must not be negative, not {self.truncation}")

    @property
    def support(self) -> tuple[int | None, int | None]:
        """Return the least and the greatest outcome."""
        return (None, None) if self.truncation is None else (-self.truncation, self.truncation)

    @property
    def decay(self) -> Power:
        """Return $q$."""
        return self.decay_power

    def pmf(self, x: int) -> Real:
        """Return the probability of one outcome."""
        return laplace_pmf(self.decay_power.value(), self.truncation, x)

    def tail(self, x: int) -> Real:
        """Return the probability of every outcome above x."""
        return laplace_tail(self.decay_power.value(), self.truncation, x)


@dataclass(frozen=True, slots=True)
class DiscreteGaussian(Noise):
    r"""Hold the discrete Gaussian by $\sigma^2$: mass proportional to $e^{-x^2/2\sigma^2}$.

    Its normaliser is an infinite sum, so masses and tails are enclosures and never exact.

    Paper: App. B.
    """

    variance: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "variance", positive(self.variance, "variance"))

    @property
    def support(self) -> tuple[int | None, int | None]:
        """Return no ends: every integer is possible."""
        return None, None

    @property
    def decay(self) -> Power | None:
        """Return None: the ratio of neighbouring masses falls without end."""
        return None

    def pmf(self, x: int) -> Real:
        """Return an enclosure of the probability of one outcome."""
        return self._height(x) / self.enclosed_normaliser()

    def tail(self, x: int) -> Real:
        """Return an enclosure of the probability of every outcome above x."""
        if x < 0:
            return 1 - enclosed(self.tail(-x - 1))
        return _squares_from(x + 1, self._rate()) / self.enclosed_normaliser()

    def enclosed_normaliser(self) -> arb:
        r"""Return an enclosure of $\sum_x e^{-x^2/2\sigma^2}$.

        For a wide law Poisson summation turns it into
        $\sigma\sqrt{2\pi} \sum_k e^{-2\pi^2\sigma^2k^2}$, which needs a few terms only.
        """
        if self.variance < 1:
            return 1 + 2 * _squares_from(1, self._rate())
        spread = 2 * arb.pi() * enclose(self.variance)
        return spread.sqrt() * (1 + 2 * _squares_from(1, arb.pi() * spread))

    def _rate(self) -> arb:
        return enclose(1 / (2 * self.variance))

    def _height(self, x: int) -> arb:
        return (-self._rate() * x * x).exp()


WIDE = Fraction(1, 2**12)
"""The rate below which a sum of squares is not added up term by term."""


def _squares_from(first: int, rate: arb) -> arb:
    r"""Return an enclosure of $\sum_{k \ge m} e^{-c k^2}$ for $m \ge 0$ and $c > 0$.

    From $k$ on the terms fall at least by the factor $e^{-c(2k+1)}$ each, which bounds what is left
    out. A wide law has too many terms for that.
    """
    if rate < enclose(WIDE):
        return _wide_squares_from(first, rate)
    total = arb(0)
    k = first
    while True:
        term = (-rate * k * k).exp()
        if k > first and term < total * arb(2) ** -ctx.prec:
            rest = term / (1 - (-rate * (2 * k + 1)).exp())
            return total + arb(0).union(rest)
        total = total + term
        k += 1


def _wide_squares_from(first: int, rate: arb) -> arb:
    r"""Return the same for a wide law, by the formula of Euler and Maclaurin.

    For $f(x) = e^{-cx^2}$ the sum is $\int_m^\infty f + f(m)/2 - \sum_{k \le n}
    \frac{B_{2k}}{(2k)!} f^{(2k-1)}(m)$ up to $\frac{|B_{2n}|}{(2n)!} \int_m^\infty |f^{(2n)}|$,
    and the derivatives follow from $f^{(j+1)} = -2c (m f^{(j)} + j f^{(j-1)})$. By the inequality
    of Cramer, $|He_j(y)| \le 1.1 \sqrt{j!} e^{y^2/4}$, the last integral is at most
    $1.1 \sqrt{(2n)!\,\pi}\, (2c)^{n-1/2} \mathrm{erfc}(m \sqrt{c/2})$.
    """
    height = (-rate * first * first).exp()
    total = (arb.pi() / rate).sqrt() / 2 * (first * rate.sqrt()).erfc() + height / 2
    beyond = arb(11) / 10 * arb.pi().sqrt() * (first * (rate / 2).sqrt()).erfc()
    before, slope = height, -2 * rate * first * height
    for order in range(2, ctx.prec, 2):
        factorial = arb.fac_ui(order)
        weight = arb.bernoulli(order) / factorial
        total = total - weight * slope
        rest = abs(weight) * beyond * (factorial * (2 * rate) ** (order - 1)).sqrt()
        if rest < total * arb(2) ** -ctx.prec:
            break
        for times in (order - 1, order):
            before, slope = slope, -2 * rate * (first * slope + times * before)
    return total + rest.union(-rest)


def threshold(
    contribution_budget: int, sparsity_budget: int, epsilon: Fraction, delta: Fraction, base: Base
) -> int:
    r"""Return $\lfloor\tau\rfloor$ for $\tau = \Lambda_1 (1 + \ln(\Lambda_0/\delta)/\epsilon)$.

    It is $\Lambda_1$ plus the largest $m$ with $e^{\epsilon m/\Lambda_1} \le \Lambda_0/\delta$,
    which is decided also where $\tau$ is an integer. Noisy sums are integers, so exceeding $\tau$
    and exceeding its floor are the same.

    Deviates: B4 tau is real; B13 epsilon is positive.
    Paper: Alg. 1; Alg. 6.
    """
    contribution = positive_whole(contribution_budget, "contribution budget")
    keys = positive_whole(sparsity_budget, "sparsity budget")
    step = Power(base, positive(epsilon, "epsilon") / contribution)
    return contribution + floor_log(step, keys / _positive_delta(delta))


def smallest_sound_truncation(
    contribution_budget: int, epsilon: Fraction, delta: Fraction, base: Base
) -> int:
    r"""Return the smallest $T$ with $q^{T+1} \le \delta (1+q)/(e^{\epsilon} - 1 + 2\delta)$.

    Here $q = e^{-\epsilon/\Lambda_1}$. The failures of several keys share one unit's $\Lambda_1$,
    so this bound on one key holds for any number of keys. The two sides are equal for an irrational
    $q$ only if $\delta = 1$ and $\Lambda_1 = 1$: otherwise $1$ and $q$ would be dependent over the
    rationals.

    Deviates: E3 the sparsity budget is not needed.
    Paper: Fact 3.3; Lem. A.1.
    """
    contribution = positive_whole(contribution_budget, "contribution budget")
    chance = _positive_delta(delta)
    step = Power(base, positive(epsilon, "epsilon") / contribution)
    if contribution == 1 and chance == 1:
        return 0

    def bracketed() -> int | None:
        low, high = _sound_edge_bounds(step, contribution, chance)
        truncation = -floor_log(step, low) - 1
        return truncation if truncation == -floor_log(step, high) - 1 else None

    return decide(bracketed)


def sound_edge(ratio: N, power: N, delta: N) -> N:
    r"""Return the greatest sound $q^{T+1}$, from $q$, $e^{\epsilon}$ and $\delta$.

    Deviates: E3 the sparsity budget is not needed.
    Paper: Lem. A.1.
    """
    return delta * (1 + ratio) / (power - 1 + 2 * delta)


def _sound_edge_bounds(
    step: Power, contribution: int, delta: Fraction
) -> tuple[Fraction, Fraction]:
    ratio, power = step**-1, step**contribution
    if step.is_rational():
        return bounds(sound_edge(ratio.exact(), power.exact(), delta))
    return bounds(sound_edge(ratio.ball(), power.ball(), enclose(delta)))


def _positive_delta(delta: Fraction) -> Fraction:
    chance = unit_interval(delta, "delta")
    if chance == 0:
        raise OutOfRange("delta must be positive for key discovery, not 0")
    return chance
