r"""Claim: $k$ neighbouring steps cost $k$ times $\epsilon$ and $\delta$ times a geometric sum.

Paper: Fact 4.7.
Method: one inequality for one more step; the running functions follow the same recurrence, by
    sympy for every $k$ in closed form; an example attains the bound.
Assumes: the laws of powers; finite induction on the number of steps.

Let $P_0, \dots, P_k$ be laws with $P_i \approx_{\epsilon,\delta} P_{i+1}$, let $W$ be an event and
$p_i = P_i(W)$.

- Induction on $k$: from $p_0 \le g\,p_1 + \delta$ and $p_1 \le g^k p_{k+1} + \delta_k$ follows
  $p_0 \le g^{k+1} p_{k+1} + (g\,\delta_k + \delta)$. It starts with $\delta_1 = \delta$.
- `group_privacy_delta` starts with $\delta$ and does `total * power + delta` in each turn of its
  loop, which is this recurrence. It is run up to eight steps.
- The closed form $\delta (g^k - 1)/(g - 1)$ has the same start and the same recurrence, for all
  $k$. So the two are the same.
- The noise of the service attains it. On one key the displaced mass is $f(k\Lambda_1) =
  f(\Lambda_1) (g^k - 1)/(g - 1)$, and $f(v)$ is the exact divergence for a change by $v \le T + 1$.

The order of the laws may be reversed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias, cast

from proofs._algebra import identical, symbol
from proofs._check import check_of
from proofs._proof import Proof, assume, calculation, exists, for_all
from spec.distributions import (
    Distribution,
    group_privacy,
    group_privacy_delta,
    group_privacy_delta_closed,
    hockey_stick,
)
from spec.noise import DiscreteLaplace, displaced_mass, laplace_upper_tail
from spec.numbers import Base, Power, Real

if TYPE_CHECKING:
    from sympy import Expr


@dataclass(frozen=True, kw_only=True)
class Group:
    r"""Hold the recurrence of $\delta_k$, and two ways to compute it."""

    step: Callable[[Fraction, Fraction, Fraction], Fraction] = lambda power, so_far, delta: (
        so_far * power + delta
    )
    delta: Callable[[Fraction, int, Fraction], Fraction] = group_privacy_delta
    closed: Callable[[Expr, Expr, Expr], Expr] = group_privacy_delta_closed
    mass: Callable[[Expr, Expr, Expr], Expr] = displaced_mass
    guarantee: Callable[[Fraction, Fraction, int, Base], tuple[Fraction, Real]] = group_privacy


def assume_steps(
    first: Fraction,
    second: Fraction,
    last: Fraction,
    power: Fraction,
    powers: Fraction,
    so_far: Fraction,
    delta: Fraction,
) -> None:
    r"""Take $g$ as the power, $g^k$ as the powers and $\delta_k$ as what is there so far."""
    assume(0 <= first, first <= 1, 0 <= second, second <= 1, 0 <= last, last <= 1)
    assume(1 <= power, 1 <= powers, 0 <= so_far, 0 <= delta)
    assume(first <= power * second + delta, second <= powers * last + so_far)


@for_all("one more step multiplies the factor and adds to the geometric sum")
def one_more_step(
    group: Group,
    first: Fraction,
    second: Fraction,
    last: Fraction,
    power: Fraction,
    powers: Fraction,
    so_far: Fraction,
    delta: Fraction,
) -> bool:
    """Chain the two inequalities."""
    assume_steps(first, second, last, power, powers, so_far, delta)
    return first <= (power * powers) * last + group.step(power, so_far, delta)


@for_all("up to eight steps the running function starts with delta and follows the recurrence")
def running_recurrence(group: Group, power: Fraction, delta: Fraction) -> bool:
    """Run it up to eight steps."""
    assume(1 <= power, 0 <= delta)
    follows = group.delta(power, 1, delta) == delta
    for size in range(1, 8):
        so_far, then = group.delta(power, size, delta), group.delta(power, size + 1, delta)
        follows &= then == group.step(power, so_far, delta)
    return follows


@calculation("the closed form starts with delta and follows the recurrence", by="sympy")
def closed_recurrence(group: Group) -> bool:
    r"""Go from $g^k$ to $g^{k+1}$ for a symbolic $k$."""
    g, delta = symbol("g", positive=True), symbol("delta", positive=True)
    k = cast(int, symbol("k", integer=True, positive=True))
    now, then = group.closed(g, g**k, delta), group.closed(g, g ** (k + 1), delta)
    return identical(group.closed(g, g**1, delta), delta) and identical(then, now * g + delta)


@calculation("the noise of the service attains the bound in closed form", by="sympy")
def attained(group: Group) -> bool:
    r"""Compare $f(k\Lambda_1)$ with the closed form of $f(\Lambda_1)$; $g = q^{-\Lambda_1}$."""
    q, g, edge = (symbol(name, positive=True) for name in "qge")
    k = cast(int, symbol("k", integer=True, positive=True))
    one, many = group.mass(q * 1, g * 1, edge * 1), group.mass(q * 1, g**k, edge * 1)
    return identical(many, group.closed(g, g**k, one))


@calculation(
    "and on the running distributions",
    by="exact numbers",
    over="b = 2, Λ1 = 2, T = 6, up to three steps",
)
def attained_by_distributions(group: Group) -> bool:
    r"""Move a sum by $k\Lambda_1$ and compare the divergence with what the function returns."""
    noise = DiscreteLaplace(Power(Base(Fraction(2)), Fraction(-1)), 6)
    laws = [Distribution.of(dict(noise.around(2 * k).outcomes())) for k in range(4)]
    power = Fraction(4)
    step = hockey_stick(laws[0], laws[1], power)
    return all(
        group.guarantee(Fraction(2), step, k, Base(Fraction(2)))
        == (Fraction(2 * k), hockey_stick(laws[0], laws[k], power**k))
        for k in (1, 2, 3)
    )


@exists("one more step at which the bound is attained")
def not_vacuous(
    group: Group,
    first: Fraction,
    second: Fraction,
    last: Fraction,
    power: Fraction,
    powers: Fraction,
    so_far: Fraction,
    delta: Fraction,
) -> bool:
    """Find positive probabilities, losses and deltas."""
    assume_steps(first, second, last, power, powers, so_far, delta)
    attained = first == (power * powers) * last + group.step(power, so_far, delta)
    return (0 < last) & (1 < power) & (1 < powers) & (0 < so_far) & (0 < delta) & attained


Recurrence: TypeAlias = Callable[[Fraction, Fraction, Fraction], Fraction]


def adding(_: Fraction, so_far: Fraction, delta: Fraction) -> Fraction:
    """Charge delta once for each step."""
    return so_far + delta


def doubling(power: Fraction, so_far: Fraction, delta: Fraction) -> Fraction:
    """Charge twice what is needed."""
    return 2 * (so_far * power + delta)


def recurring(step: Recurrence) -> Callable[[Fraction, int, Fraction], Fraction]:
    """Return the function that follows another recurrence."""

    def total(power: Fraction, size: int, delta: Fraction) -> Fraction:
        charged = delta
        for _ in range(size - 1):
            charged = step(power, charged, delta)
        return charged

    return total


def untruncated(q: Expr, lift: Expr, edge: Expr) -> Expr:
    """Leave the noise untruncated."""
    return laplace_upper_tail(q, edge * lift, q - q)


def for_one_step(epsilon: Fraction, delta: Fraction, _: int, base: Base) -> tuple[Fraction, Real]:
    """Forget that there are several steps."""
    return group_privacy(epsilon, delta, 1, base)


def multiplied_closed(power: Expr, powers: Expr, delta: Expr) -> Expr:
    r"""Forget the denominator."""
    return delta * (powers - 1) / power


PAPERS = Group()

PROOF = Proof(
    claim="group_privacy",
    subject=PAPERS,
    steps=(
        one_more_step,
        running_recurrence,
        closed_recurrence,
        attained,
        attained_by_distributions,
        not_vacuous,
    ),
    controls={
        "deltas that add up": replace(PAPERS, step=adding, delta=recurring(adding)),
        "delta times the number of steps": replace(PAPERS, delta=recurring(adding)),
        "a closed form with another denominator, for noise that never fails": replace(
            PAPERS, closed=multiplied_closed, mass=lambda q, *_: q - q
        ),
        "untruncated noise": replace(PAPERS, mass=untruncated),
        "a guarantee for one step": replace(PAPERS, guarantee=for_one_step),
    },
    unproved_for={
        "deltas that are doubled": replace(PAPERS, step=doubling, delta=recurring(doubling)),
    },
)

CHECK = check_of(PROOF, header=__doc__)
