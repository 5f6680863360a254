r"""Claim: untruncated noise hides any change of L1 norm $\Delta$, in any dimension.

Paper: Fact 3.3.
Method: the rules' noise without a threshold run for all parameters, with any $\delta$ for a query
    that lists keys; one coordinate, then induction on the dimension. Where the rules have a
    threshold, threshold_meets_the_tail_lemma and truncated_laplace_is_private are what counts.
Assumes: the laws of powers: $q^{m+n} = q^m q^n$, and $q^n \le q^m$ for $m \le n$, $0 < q < 1$; an
    event's probability is the sum of its points', which keeps inequalities, finite or not.

Let $u, v \in \mathbb{Z}^d$ with $\|u - v\|_1 = \Delta \le \Lambda_1$ and let $P$, $Q$ be the laws
of $u + \xi$ and $v + \xi$. The noise of the rules has a ratio $q = b^{-c}$ with
$c \Lambda_1 \le \epsilon$.

- One coordinate: $|w - v| \le |w - u| + |u - v|$. By the laws of powers the heights satisfy
  $q^{|w-u|} \le g\,q^{|w-v|}$ with $g = q^{-|u-v|}$, and so do the masses: $P(w) \le g\,Q(w)$.
- Induction on $d$: if $P \le gQ$ holds for the first coordinates and $r \le hs$ for the next one,
  then $Pr \le gh\,Qs$. The factors multiply to $q^{-\Delta}$, because the differences add up to
  $\Delta$.
- $q^{-\Delta} = b^{c\Delta}$ and $c\Delta \le \epsilon\Delta/\Lambda_1$. This bounds the ratio of
  $P$ and $Q$ at every point, and in sum for every event, by $e^{\epsilon\Delta/\Lambda_1}$. For
  $\Delta = \Lambda_1$ it is the paper's fact; for less it is what individual privacy uses.

The roles of $u$ and $v$ are symmetric.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from operator import add, mul

from proofs._check import check_of
from proofs._proof import Proof, assume, exists, for_all
from proofs._service import asked_for, narrow_noise, noise_of
from spec import PAPER, Rules
from spec.noise import Noise, laplace_mass
from spec.reports import Report
from spec.rules import AtService


@dataclass(frozen=True, kw_only=True)
class Untruncated:
    """Hold the rules, the closed form of a mass, and what the argument puts together how.

    Two coordinates have the `joint_factor` of theirs, a change has the `exponent`, and two points
    are seen with the probability of `either`.
    """

    rules: Rules = PAPER
    mass: Callable[[Fraction, Fraction, Fraction], Fraction] = laplace_mass
    distance: Callable[[int], int] = abs
    joint_factor: Callable[[Fraction, Fraction], Fraction] = mul
    exponent: Callable[[Fraction, int], Fraction] = mul
    either: Callable[[Fraction, Fraction], Fraction] = add


@for_all("without a threshold the noise is untruncated, and as wide as the budget demands")
def scale(
    noise: Untruncated,
    contribution_budget: int,
    sparsity_budget: int,
    epsilon: Fraction,
    delta: Fraction,
    lists_keys: bool,
) -> bool:
    r"""Show $c \Lambda_1 \le \epsilon$ for the ratio $q = b^{-c}$ that the rules choose.

    A query without a threshold lists keys, or it brings no $\delta$.
    """
    assume(1 <= contribution_budget, 1 <= sparsity_budget, 0 < epsilon, 0 <= delta, delta <= 1)
    lists = bool(lists_keys)
    if not lists:
        assume(delta == 0)
    given = (contribution_budget, sparsity_budget, epsilon, delta)
    at = asked_for(noise.rules, *given, lists_keys=lists)
    rate, truncation = noise_of(at, None)
    return truncation is None and rate * contribution_budget <= epsilon


@for_all("in one coordinate the distances differ by at most the change")
def one_coordinate(noise: Untruncated, u: int, v: int, w: int) -> bool:
    """Use the triangle inequality on the integers."""
    return noise.distance(w - v) <= noise.distance(w - u) + noise.distance(u - v)


def assume_heights(q: Fraction, height: Fraction, other: Fraction, factor: Fraction) -> None:
    r"""Take $q^{|w-u|} \le g\,q^{|w-v|}$ as given, with $g \ge 1$."""
    assume(0 < q, q < 1, 0 < height, height <= 1, 0 < other, other <= 1)
    assume(1 <= factor, height <= factor * other)


@for_all("masses grow by at most the factor of their heights")
def masses_follow_heights(
    noise: Untruncated, q: Fraction, height: Fraction, other: Fraction, factor: Fraction
) -> bool:
    """Compare the masses at the two heights."""
    assume_heights(q, height, other, factor)
    zero = Fraction(0)
    return noise.mass(q, height, zero) <= factor * noise.mass(q, other, zero)


@for_all("induction on the dimension: factors multiply")
def one_more_coordinate(
    noise: Untruncated,
    p: Fraction,
    q: Fraction,
    g: Fraction,
    r: Fraction,
    s: Fraction,
    h: Fraction,
) -> bool:
    """Multiply the bound of the first coordinates with the one of the next."""
    assume(0 <= p, 0 <= q, 1 <= g, 0 <= r, 0 <= s, 1 <= h, p <= g * q, r <= h * s)
    return p * r <= noise.joint_factor(g, h) * (q * s)


@for_all("the exponent is in proportion to the change")
def exponent_in_proportion(
    noise: Untruncated, rate: Fraction, change: int, contribution_budget: int, epsilon: Fraction
) -> bool:
    r"""Show $c\Delta \Lambda_1 \le \epsilon\Delta$, and so $c\Delta \le \epsilon$ in the budget."""
    assume(0 < rate, 0 <= change, change <= contribution_budget, 1 <= contribution_budget)
    assume(rate * contribution_budget <= epsilon)
    spent = noise.exponent(rate, change)
    return (spent * contribution_budget <= epsilon * change) & (spent <= epsilon)


@for_all("events: bounds at points add up")
def points_add_up(
    noise: Untruncated, p: Fraction, q: Fraction, r: Fraction, s: Fraction, g: Fraction
) -> bool:
    """Add one more point to an event."""
    assume(0 <= p, 0 <= q, 0 <= r, 0 <= s, 1 <= g, p <= g * q, r <= g * s)
    return noise.either(p, r) <= g * noise.either(q, s)


@exists("a point at which the bound is attained")
def not_vacuous(
    noise: Untruncated, q: Fraction, height: Fraction, other: Fraction, factor: Fraction
) -> bool:
    r"""Find masses whose ratio is exactly the factor $1/q$ of a change by one."""
    assume_heights(q, height, other, factor)
    zero = Fraction(0)
    attained = noise.mass(q, height, zero) == factor * noise.mass(q, other, zero)
    return (factor * q == 1) & attained


def uneven_mass(q: Fraction, height: Fraction, edge: Fraction) -> Fraction:
    """Halve the masses far from zero."""
    mass = laplace_mass(q, height, edge)
    return mass if 2 * height >= 1 else mass / 2


def narrow_noise_with_delta(at: AtService, batch: tuple[Report, ...], given: int | None) -> Noise:
    r"""Halve the scale of the noise if keys are listed and $\delta$ is positive."""
    choose = narrow_noise if at.query.delta > 0 and at.query.keys else PAPER.noise
    return choose(at, batch, given)


PAPERS = Untruncated()

PROOF = Proof(
    claim="discrete_laplace_is_private",
    subject=PAPERS,
    steps=(
        scale,
        one_coordinate,
        masses_follow_heights,
        one_more_coordinate,
        exponent_in_proportion,
        points_add_up,
        not_vacuous,
    ),
    controls={
        "noise of half the scale": replace(PAPERS, rules=replace(PAPER, noise=narrow_noise)),
        "noise of half the scale for listed keys with a δ": replace(
            PAPERS, rules=replace(PAPER, noise=narrow_noise_with_delta)
        ),
        "distances that are squared": replace(PAPERS, distance=lambda change: change * change),
        "masses that are halved far from zero": replace(PAPERS, mass=uneven_mass),
        "the larger one of two factors": replace(PAPERS, joint_factor=max),
        "an exponent for twice the change": replace(
            PAPERS, exponent=lambda rate, change: 2 * rate * change
        ),
        "points that must both be seen": replace(PAPERS, either=mul),
    },
    unproved_for={"masses that are all the same": replace(PAPERS, mass=lambda *_: Fraction(1, 2))},
)

CHECK = check_of(PROOF, header=__doc__, subject=lambda rules: Untruncated(rules=rules))
