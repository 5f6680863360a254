r"""Claim: discrete Gaussian noise hides an L2 norm $\Delta$ with $\rho = \Delta^2/2\sigma^2$.

Paper: App. B.
Method: sympy for the identities between exponents, z3 and cvc5 for parity and inequalities;
    certified enclosures of the running noise at some orders.
Assumes: absolutely convergent sums may be rearranged; a lattice sum is continuous in its shift, and
    a continuous periodic function has a maximum; the laws of powers.

Write $\theta(c) = \sum_{x \in \mathbb{Z}} e^{-(x-c)^2/2\sigma^2}$, so that the mass at $x$ is
$e^{-x^2/2\sigma^2}/\theta(0)$. Let $P$ and $Q$ be the laws of the noise moved by the integer $D$
and not moved, and let $\alpha > 1$ be real.

- The terms of the divergence: $\alpha(x - D)^2 + (1 - \alpha)x^2 = (x - \alpha D)^2 -
  \alpha(\alpha - 1)D^2$. So $\sum_x P(x)^\alpha Q(x)^{1-\alpha} = e^{\alpha(\alpha-1)D^2/2\sigma^2}
  \theta(\alpha D)/\theta(0)$, and $D_\alpha(P \| Q) \le \alpha D^2/2\sigma^2$ if $\theta(\alpha D)
  \le \theta(0)$.
- The lattice sum is largest without a shift. Let $A(c) = \sum_x e^{-(x-c)^2/\sigma^2}$. With
  $u = x + y$ and $v = x - y$ the exponents of $\theta(a+b)\theta(a-b)$ are
  $((u-2a)^2 + (v-2b)^2)/4\sigma^2$. Pairs $(x, y)$ are exactly the pairs $(u, v)$ of one parity, so
  $\theta(a+b)\theta(a-b) = A(a)A(b) + A(a-\frac12)A(b-\frac12)$: even pairs and odd ones.
- With $s = A(0)$, $t = A(\frac12)$, $y = A(c)$, $z = A(c - \frac12)$, and periods one and evenness
  of $A$, this says $\theta(c)^2 = ys + zt$ ($a = c$, $b = 0$), $\theta(0)^2 = s^2 + t^2$ and
  $\theta(2c)\theta(0) = y^2 + z^2$ ($a = b = c$). By Cauchy and Schwarz
  $\theta(c)^4 \le \theta(0)^3\theta(2c)$.
- Let $\theta(c)$ be the maximum, so that $\theta(2c) \le \theta(c)$. Then $\theta(c)^4 \le
  \theta(0)^3\theta(c)$, hence $\theta(c) \le \theta(0)$. The maximum is that without a shift.
- Induction on the dimension: the sums of independent coordinates multiply, so the exponents
  $\alpha(\alpha - 1)D_i^2/2\sigma^2$ add up to $\alpha(\alpha - 1)\Delta^2/2\sigma^2$.

The other direction is the same with $-D$. Where $\alpha D$ is an integer the bound is attained, so
that no smaller $\rho$ will do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import product
from math import ceil, isqrt
from operator import ge, mul
from typing import TYPE_CHECKING

from flint import arb, ctx

from proofs._algebra import identical, symbol
from proofs._check import check_of
from proofs._proof import Proof, assume, calculation, exists, for_all
from proofs._solvers import Exact
from proofs._subjects import search
from spec.concentrated import discrete_gaussian_rho
from spec.noise import DiscreteGaussian
from spec.numbers import NATURAL, OutOfRange, Power, Real, decide, enclose, enclosed

if TYPE_CHECKING:
    from sympy import Expr

PRECISION = 512
RANGE = 60
"""How far the sums of instances reach; what is beyond is bounded."""


@dataclass(frozen=True, kw_only=True)
class Concentration:
    r"""Hold $\rho$ as a function of squared distance and variance, the noise, and the argument.

    The terms of the divergence are those of a lattice moved by `shift`; odd numbers are a lattice
    moved by `odd`; `halves` are the two numbers with a given sum and difference; `norms` bounds the
    square of $ys + zt$; `doubled` is what $\theta(2c)\theta(0)$ is; and `is_largest` says that the
    largest lattice sum is at least the one with the doubled shift.
    """

    rho: Callable[[int | Fraction, Fraction], Fraction] = discrete_gaussian_rho
    noise: Callable[[Fraction], DiscreteGaussian] = DiscreteGaussian
    shift: Callable[[Expr, Expr], Expr] = mul
    odd: Callable[[Expr], Expr] = lambda a: (2 * a - 1) / 2
    halves: Callable[[int, int], tuple[int, int]] = lambda u, v: ((u + v) // 2, (u - v) // 2)
    norms: Callable[[Fraction, Fraction, Fraction, Fraction], Fraction] = lambda s, t, y, z: (
        (s * s + t * t) * (y * y + z * z)
    )
    doubled: Callable[[Fraction, Fraction], Fraction] = mul
    is_largest: Callable[[Fraction, Fraction], bool] = ge


@calculation("the terms of the divergence are those of a shifted lattice", by="sympy")
def shifted_lattice(concentration: Concentration) -> bool:
    """Complete the square."""
    x, d, order = (symbol(name, real=True) for name in ("x", "D", "alpha"))
    terms = order * (x - d) ** 2 + (1 - order) * x**2
    shifted = x - concentration.shift(order, d)
    return identical(terms, shifted**2 - order * (order - 1) * d**2)


@calculation(
    "the terms of a product of two lattice sums are those of sum and difference", by="sympy"
)
def sum_and_difference(concentration: Concentration) -> bool:
    """Write the squares in the sum and the difference; even ones and odd ones are lattices."""
    x, y, a, b, k = (symbol(name, real=True) for name in "xyabk")
    u, v = x + y, x - y
    squares = 2 * ((x - (a + b)) ** 2 + (y - (a - b)) ** 2)
    even = identical((2 * k - 2 * a) ** 2, 4 * (k - a) ** 2)
    odd = identical((2 * k + 1 - 2 * a) ** 2, 4 * (k - concentration.odd(a)) ** 2)
    return identical(squares, (u - 2 * a) ** 2 + (v - 2 * b) ** 2) and even and odd


@for_all("sum and difference have one parity, and every pair of one parity is such a pair")
def parity(concentration: Concentration, x: int, y: int, u: int, v: int) -> bool:
    """Go from a pair to its sum and difference, and back."""
    one_parity = (x + y) % 2 == (x - y) % 2
    if u % 2 != v % 2:
        return one_parity
    left, right = concentration.halves(u, v)
    return one_parity and left + right == u and left - right == v


@for_all("Cauchy and Schwarz: the fourth power is below")
def cauchy_schwarz(
    concentration: Concentration, s: Fraction, t: Fraction, y: Fraction, z: Fraction
) -> bool:
    r"""Show $(ys + zt)^2 \le (s^2 + t^2)(y^2 + z^2)$."""
    return (y * s + z * t) ** 2 <= concentration.norms(s, t, y, z)


def assume_sums(
    concentration: Concentration, shifted: Fraction, unshifted: Fraction, doubled: Fraction
) -> None:
    r"""Take $\theta(c)^2$, $\theta(0)^2$ and $\theta(2c)\theta(0)$ as the three identities say."""
    assume(0 < shifted, 0 < unshifted, 0 < doubled)
    mixed, first = shifted * shifted, unshifted * unshifted
    assume(mixed * mixed <= first * concentration.doubled(doubled, unshifted))


@for_all("the three identities give the inequality between lattice sums")
def fourth_power(
    concentration: Concentration, shifted: Fraction, unshifted: Fraction, doubled: Fraction
) -> bool:
    """Compare the fourth power with the product of the others."""
    assume_sums(concentration, shifted, unshifted, doubled)
    return shifted**4 <= unshifted**3 * doubled


@for_all("so the largest lattice sum is the one without a shift")
def largest_without_shift(
    concentration: Concentration, largest: Fraction, unshifted: Fraction, doubled: Fraction
) -> bool:
    """Apply it where the sum is largest."""
    assume(0 < unshifted, 0 < doubled, unshifted <= largest)
    assume(concentration.is_largest(largest, doubled))
    assume(largest**4 <= unshifted**3 * doubled)
    return largest <= unshifted


@for_all("rho is what the exponents say, and adds up over coordinates")
def coordinates_add_up(
    concentration: Concentration,
    order: Fraction,
    squared: Fraction,
    other: Fraction,
    variance: Fraction,
) -> bool:
    r"""Compare $(\alpha - 1)\rho\alpha$ with $\alpha(\alpha - 1)\Delta^2/2\sigma^2$."""
    assume(1 < order, 0 <= squared, 0 <= other, 0 < variance)
    exponent = order * (order - 1) * (squared + other) / (2 * variance)
    rho = concentration.rho(squared, variance) + concentration.rho(other, variance)
    whole = concentration.rho(squared + other, variance)
    return (exponent == (order - 1) * rho * order) & (rho == whole)


def moment(law: DiscreteGaussian, distance: int, order: Fraction) -> arb:
    r"""Enclose $\sum_x P(x)^\alpha Q(x)^{1-\alpha}$ of the running noise.

    Beyond the range the terms are $e^{-(x-\alpha D)^2/2\sigma^2}$ times a constant. Their centre is
    well inside, so that each is less than a third of the one before.
    """
    inside = RANGE - abs(order * distance)
    if inside < 2 * law.variance:
        raise OutOfRange(f"the terms do not fall fast enough beyond {RANGE}")
    total = arb(0)
    for x in range(-RANGE, RANGE + 1):
        moved, unmoved = enclosed(law.pmf(x - distance)).log(), enclosed(law.pmf(x)).log()
        total = total + (moved * enclose(order) + unmoved * enclose(1 - order)).exp()
    constant = enclose(order * (order - 1) * distance**2 / (2 * law.variance)).exp()
    last = constant * enclose(-inside * inside / (2 * law.variance)).exp()
    return total + arb(0).union(2 * last / law.enclosed_normaliser())


def at_most(law: DiscreteGaussian, distance: int, order: Fraction, rho: Fraction) -> bool | None:
    r"""Compare with $e^{(\alpha-1)\rho\alpha}$ at the current precision."""
    terms, bound = moment(law, distance, order), Power(NATURAL, (order - 1) * rho * order).ball()
    return True if terms <= bound else False if terms > bound else None


INSTANCES = (
    (Fraction(1, 4), 1, Fraction(3, 2)),
    (Fraction(1), 1, Fraction(5, 4)),
    (Fraction(1), 3, Fraction(7, 2)),
    (Fraction(2), 2, Fraction(9, 4)),
    (Fraction(3), 1, Fraction(21, 2)),
)


SLACK = 16
"""How many bits an enclosure may lose to rounding."""

INTEGERS = ((Fraction(1), 1, Fraction(2)), (Fraction(2), 2, Fraction(3, 2)))


@search(
    "the running noise is within rho at exact parameters and orders",
    by="enclosures",
    over="the listed variances, distances and orders",
)
def instances(concentration: Concentration) -> Mapping[str, Exact] | None:
    r"""Take orders at which $\alpha D$ is no integer, so that the inequality is strict."""
    for variance, distance, order in INSTANCES:
        rho = concentration.rho(distance * distance, variance)
        law = concentration.noise(variance)
        if not decide(partial(at_most, law, distance, order, rho), PRECISION):
            return {"variance": variance, "distance": distance, "order": order, "rho": rho}
    return None


@calculation(
    "at integers the bound is attained, as far as enclosures tell",
    by="enclosures",
    over="the listed variances, distances and orders",
)
def attained(concentration: Concentration) -> bool:
    r"""Compare both sides at $\alpha D$ an integer: their enclosures overlap and are narrow."""
    with ctx.workprec(256):
        for variance, distance, order in INTEGERS:
            rho = concentration.rho(distance * distance, variance)
            bound = Power(NATURAL, (order - 1) * rho * order).ball()
            difference = moment(concentration.noise(variance), distance, order) - bound
            if not (difference.contains(0) and abs(difference) < arb(2) ** -200):
                return False
    return True


WIDTHS = tuple(Fraction(n, 2) for n in (1, 2, 3, 6, 4096, 4097, 8192))
"""Variances that are narrow, on either side of one, and on either side of what is called wide."""

FAR = 15
"""How many standard deviations away the farthest points are."""


def sums_from(points: Iterable[int], variance: Fraction) -> dict[int, arb]:
    r"""Add up $e^{-k^2/2\sigma^2}$ from each of some points on, term by term.

    What is beyond the last term is bounded by a geometric series.
    """
    rate, wanted, sums = enclose(1 / (2 * variance)), set(points), {}
    last = isqrt(ceil(max(wanted) ** 2 + 2 * variance * ctx.prec)) + 1
    rest = (-rate * (last + 1) ** 2).exp() / (1 - (-rate * (2 * last + 3)).exp())
    total = arb(0).union(rest)
    for k in range(last, min(wanted) - 1, -1):
        total = total + (-rate * k * k).exp()
        if k in wanted:
            sums[k] = total
    return sums


@search(
    "enclosures hold the masses and the tails, and are as narrow as their precision",
    by="enclosures",
    over=f"variances from 1/2 to 4096, points up to {FAR} standard deviations, 64 and 256 bits",
)
def masses_and_tails(concentration: Concentration) -> Mapping[str, Exact] | None:
    """Add up the terms at a higher precision, and look for the sums in the enclosures."""
    for noise in map(concentration.noise, WIDTHS):
        variance, far = noise.variance, FAR * isqrt(ceil(noise.variance))
        points = (0, 1, 4, far // 2, far)
        with ctx.workprec(PRECISION):
            sums = sums_from((1, *(x + 1 for x in points)), variance)
            whole = 1 + 2 * sums[1]
        for x, bits in product(points, (64, 256)):
            with ctx.workprec(PRECISION):
                above, below = sums[x + 1] / whole, 1 - sums[x + 1] / whole
                mass = enclose(-x * x / (2 * variance)).exp() / whole
            with ctx.workprec(bits):
                pairs = (
                    (noise.pmf(x), mass),
                    (noise.pmf(-x), mass),
                    (noise.tail(x), above),
                    (noise.tail(-x - 1), below),
                )
            for found, wanted in pairs:
                ball = enclosed(found)
                if not ball.contains(wanted) or ball.rel_accuracy_bits() < bits - SLACK:
                    return {"variance": variance, "x": x, "bits": bits}
    return None


@exists("a fourth power that is attained")
def not_vacuous(
    concentration: Concentration, shifted: Fraction, unshifted: Fraction, doubled: Fraction
) -> bool:
    """Show that the inequality between lattice sums can hold with equality."""
    assume_sums(concentration, shifted, unshifted, doubled)
    return shifted**4 == unshifted**3 * doubled


def half_rho_of_wide_noise(squared: int | Fraction, variance: Fraction) -> Fraction:
    """Claim half of the loss for a variance that no instance has."""
    rho = discrete_gaussian_rho(squared, variance)
    return rho if variance <= 10 else rho / 2


def narrow_noise(variance: Fraction) -> DiscreteGaussian:
    """Halve the variance three."""
    return DiscreteGaussian(variance / 2 if variance == 3 else variance)


def wide_noise(variance: Fraction) -> DiscreteGaussian:
    """Double the variance."""
    return DiscreteGaussian(2 * variance)


class Inclusive(DiscreteGaussian):
    """Count in a tail the point where it begins."""

    def tail(self, x: int) -> Real:
        """Begin one earlier."""
        return DiscreteGaussian(self.variance).tail(x - 1)


PAPERS = Concentration()

PROOF = Proof(
    claim="discrete_gaussian_is_concentrated",
    subject=PAPERS,
    steps=(
        shifted_lattice,
        sum_and_difference,
        parity,
        cauchy_schwarz,
        fourth_power,
        largest_without_shift,
        coordinates_add_up,
        instances,
        attained,
        masses_and_tails,
        not_vacuous,
    ),
    controls={
        "a lattice that is moved once": replace(PAPERS, shift=lambda _, d: d),
        "odd numbers that are not moved": replace(PAPERS, odd=lambda a: a),
        "halves of each number": replace(PAPERS, halves=lambda u, v: (u // 2, v // 2)),
        "even pairs without odd ones": replace(
            PAPERS, norms=lambda s, t, y, _: (s * s + t * t) * y * y
        ),
        "the doubled shift twice": replace(PAPERS, doubled=lambda doubled, _: doubled * doubled),
        "a sum that need not be the largest": replace(PAPERS, is_largest=lambda *_: True),
        "half of rho for wide noise": replace(PAPERS, rho=half_rho_of_wide_noise),
        "noise that is too narrow": replace(PAPERS, noise=narrow_noise),
        "noise that is too wide": replace(PAPERS, noise=wide_noise),
        "tails that begin too early": replace(PAPERS, noise=Inclusive),
    },
    unproved_for={
        "half of the doubled shift": replace(
            PAPERS, doubled=lambda doubled, unshifted: doubled * unshifted / 2
        ),
    },
)

CHECK = check_of(PROOF, header=__doc__)
