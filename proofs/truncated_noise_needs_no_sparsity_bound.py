r"""Claim: with truncated noise $\delta$ is spent in proportion to value, on any number of keys.

Paper: none (E3).
Method: sympy for the closed form, z3 and cvc5 for every inequality, on displaced_mass itself.
Assumes: the laws of powers: $q^{m+n} = q^m q^n$, and $q^n \le q^m$ for $m \le n$, $0 < q < 1$.

Let $f(v) = \Pr[X > T - v]$ be the probability that a sum which moves by $v$ leaves what the other
world can reach. It is the closed form in the lift $q^{-v}$ for $v \le T + 1$, and below the closed
form beyond. So let $f$ be the closed form.

- $f(0) = 0$, and $f(v) + f(w) \le f(v + w)$. Induction on the keys: $\sum_i f(\Delta_i) \le f(V)$
  for $V = \sum_i \Delta_i$. The failures of several keys add up to at most $\sum_i f(\Delta_i)$,
  by the union bound of truncated_laplace_is_private. However many keys share the change $V$, they
  fail no more often than one key would.
- Bernoulli's inequality $1 - q^v \le v(1 - q)$, by induction on $v$: it holds for $v = 0$, and each
  step preserves it.
- It gives $(v + 1) f(v) \le v f(v + 1)$: the failures per unit of value do not fall. Induction on
  $\Lambda \ge V$ gives $\Lambda f(V) \le V f(\Lambda)$, starting with equality at $\Lambda = V$.
- So if $f(\Lambda_1) \le \delta$, a change by $V \le \Lambda_1$ costs
  $\sum_i f(\Delta_i) \le f(V) \le \delta V/\Lambda_1$, in proportion like $\epsilon$ and with no
  bound on the number of keys.

It needs the truncation: an untruncated tail is positive even where nothing moves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from operator import mul
from typing import TYPE_CHECKING, cast

from proofs._algebra import identical, symbol
from proofs._check import check_of
from proofs._proof import Proof, assume, calculation, exists, for_all
from spec.noise import displaced_mass, laplace_tail, laplace_upper_tail

if TYPE_CHECKING:
    from sympy import Expr


@dataclass(frozen=True, kw_only=True)
class Displaced:
    r"""Hold the closed form of the displaced mass, for symbols and for numbers, and the argument.

    `mirrored` is the height $qy = q^{v-T}$ on the other side, `linear` the bound of Bernoulli's
    inequality. `in_proportion` compares a part at a value with the whole at the budget.
    """

    symbolic: Callable[[Expr, Expr, Expr], Expr] = displaced_mass
    mass: Callable[[Fraction, Fraction, Fraction], Fraction] = displaced_mass
    mirrored: Callable[[Fraction, Fraction], Fraction] = mul
    linear: Callable[[Fraction, Fraction], Fraction] = lambda value, q: value * (1 - q)
    in_proportion: Callable[[Fraction, Fraction, Fraction, Fraction], bool] = (
        lambda part, value, whole, budget: budget * part <= value * whole
    )


@calculation("the closed form is the tail for changes up to the truncation and one", by="sympy")
def exact_within_reach(displaced: Displaced) -> bool:
    r"""Compare with $\Pr[X > T - v]$ at $v = 0$, $v \le T$ and $v = T + 1$."""
    q = symbol("q", positive=True)
    v, k = (cast(int, symbol(name, integer=True, nonnegative=True)) for name in "vk")

    def agree(truncation: int, change: int) -> bool:
        moved = displaced.symbolic(q, q ** (-change), q ** (truncation + 1))
        tail: Expr = laplace_tail(q, truncation, truncation - change)
        return identical(moved, tail)

    whole = agree(0, 1) and agree(k + 1, k + 2)
    return agree(k, 0) and agree(v + 1, v + 1) and agree(v + 1 + k + 1, v + 1) and whole


@for_all("beyond that, what is beyond makes up for the mirrored height")
def beyond_is_mirrored(
    displaced: Displaced, q: Fraction, raised: Fraction, beyond: Fraction
) -> bool:
    r"""Take $y = q^{v-T-1} \le 1$, its inverse, and the mirrored height $qy = q^{v-T}$."""
    assume(0 < q, q < 1, 0 < beyond, beyond <= 1, raised * beyond == 1)
    return raised + displaced.mirrored(q, beyond) >= 1 + q


@for_all("so the closed form is at least the tail, one less the mirrored tail, which may be empty")
def bound_beyond(
    displaced: Displaced,
    q: Fraction,
    edge: Fraction,
    lift: Fraction,
    raised: Fraction,
    mirrored: Fraction,
) -> bool:
    r"""Take the same powers: the lift $q^{-v}$ times the edge $q^{T+1}$ is $1/y$."""
    assume(0 < q, q < 1, 0 < edge, edge <= q, 0 < mirrored, mirrored <= q)
    assume(lift * edge == raised, raised + mirrored >= 1 + q)
    other = laplace_upper_tail(q, mirrored, edge) if edge <= mirrored else Fraction(0)
    return displaced.mass(q, lift, edge) >= 1 - other


def assume_lift(q: Fraction, lift: Fraction, edge: Fraction) -> None:
    """Take a lift that may be one, and an edge of some truncation."""
    assume(0 < q, q < 1, 0 < edge, edge <= q, 1 <= lift)


@for_all("nothing moves, nothing fails")
def starts_at_zero(displaced: Displaced, q: Fraction, edge: Fraction) -> bool:
    """Take the lift one."""
    assume_lift(q, Fraction(1), edge)
    return displaced.mass(q, Fraction(1), edge) == 0


@for_all("one key fails at least as often as two that share its change")
def superadditive(
    displaced: Displaced, q: Fraction, lift: Fraction, other: Fraction, edge: Fraction
) -> bool:
    r"""Take the lifts $q^{-v}$ and $q^{-w}$; that of the sum is their product."""
    assume_lift(q, lift, edge)
    assume(1 <= other)
    apart = displaced.mass(q, lift, edge) + displaced.mass(q, other, edge)
    return apart <= displaced.mass(q, lift * other, edge)


@for_all("induction on the value: Bernoulli's inequality")
def bernoulli(displaced: Displaced, q: Fraction, height: Fraction, value: Fraction) -> bool:
    r"""Go from $q^v$ to $q^{v+1}$."""
    assume(0 < q, q < 1, 0 < height, height <= 1, 0 <= value)
    assume(1 - height <= displaced.linear(value, q))
    return 1 - height * q <= displaced.linear(value + 1, q)


@for_all("failures per unit of value do not fall")
def convex(
    displaced: Displaced,
    q: Fraction,
    lift: Fraction,
    further: Fraction,
    edge: Fraction,
    value: Fraction,
) -> bool:
    r"""Compare $f(v)$ and $f(v+1)$, with lifts $q^{-v}$ and $q^{-v-1}$, using Bernoulli."""
    assume_lift(q, lift, edge)
    assume(further * q == lift, 1 <= value, lift - 1 <= displaced.linear(value, q) * lift)
    now, then = displaced.mass(q, lift, edge), displaced.mass(q, further, edge)
    return (value + 1) * now <= value * then


@for_all("induction on the budget: the proportion carries over")
def in_proportion(
    displaced: Displaced,
    part: Fraction,
    whole: Fraction,
    more: Fraction,
    value: Fraction,
    budget: Fraction,
) -> bool:
    r"""Go from $\Lambda$ to $\Lambda + 1$, with $f(V)$, $f(\Lambda)$ and $f(\Lambda + 1)$."""
    assume(1 <= value, value <= budget, 0 <= part, 0 <= whole)
    assume(displaced.in_proportion(part, value, whole, budget))
    assume((budget + 1) * whole <= budget * more)
    return displaced.in_proportion(part, value, more, budget + 1)


@exists("two keys that both fail with a positive probability")
def not_vacuous(displaced: Displaced, q: Fraction, lift: Fraction, edge: Fraction) -> bool:
    """Show that the inequality can be strict."""
    assume_lift(q, lift, edge)
    one, both = displaced.mass(q, lift, edge), displaced.mass(q, lift * lift, edge)
    return (0 < one) & (2 * one < both) & (both < 1)


def halved(q: Fraction, lift: Fraction, edge: Fraction) -> Fraction:
    """Fail half as often."""
    return displaced_mass(q, lift, edge) / 2


def gain_if_nothing_moves(q: Fraction, lift: Fraction, edge: Fraction) -> Fraction:
    """Fail less than never where nothing moves."""
    return displaced_mass(q, lift, edge) if lift > 1 else Fraction(-1)


def twice_for_small_changes(q: Fraction, lift: Fraction, edge: Fraction) -> Fraction:
    """Fail twice as often for small changes of narrow noise."""
    mass = displaced_mass(q, lift, edge)
    return 2 * mass if q <= Fraction(1, 4) and lift < 2 else mass


def nothing_within_reach(q: Fraction, lift: Fraction, edge: Fraction) -> Fraction:
    """Fail only where the other world is out of reach altogether."""
    return displaced_mass(q, lift, edge) if lift * edge >= 1 else Fraction(0)


def untruncated(q: Expr, lift: Expr, edge: Expr) -> Expr:
    """Leave the noise untruncated and look at what exceeds the threshold."""
    return laplace_upper_tail(q, edge * lift, q - q)


PAPERS = Displaced()

PROOF = Proof(
    claim="truncated_noise_needs_no_sparsity_bound",
    subject=PAPERS,
    steps=(
        exact_within_reach,
        beyond_is_mirrored,
        bound_beyond,
        starts_at_zero,
        superadditive,
        bernoulli,
        convex,
        in_proportion,
        not_vacuous,
    ),
    controls={
        "untruncated noise": replace(PAPERS, symbolic=untruncated),
        "a mirrored height one step further": replace(PAPERS, mirrored=lambda q, y: q * q * y),
        "failures half as often": replace(PAPERS, mass=halved),
        "a gain if nothing moves": replace(PAPERS, mass=gain_if_nothing_moves),
        "small changes that fail twice as often": replace(PAPERS, mass=twice_for_small_changes),
        "a bound below Bernoulli's": replace(
            PAPERS, linear=lambda value, q: value * (1 - q) * (1 - q)
        ),
        "a bound above Bernoulli's": replace(PAPERS, linear=lambda value, q: 2 * value * (1 - q)),
        "in proportion to the square of the value": replace(
            PAPERS,
            in_proportion=lambda part, value, whole, budget: (
                budget * budget * part <= value * value * whole
            ),
        ),
    },
    unproved_for={"nothing fails within reach": replace(PAPERS, mass=nothing_within_reach)},
)

CHECK = check_of(PROOF, header=__doc__)
