r"""Claim: a truncation point at least $\ln(1/\delta)/a + \Delta$ leaves at most $\delta$ above it.

Paper: Lem. A.1.
Method: linear arithmetic with a floor, then one inequality between named powers.
Assumes: the laws of powers: $q^{m+n} = q^m q^n$, and $q^n \le q^m$ for real $m \le n$, $0 < q < 1$.

Let $0 < \delta \le 1$; beyond, there is nothing to show. The truncation point $\tau$ is real and
the noise lives on the integers up to $T = \lfloor\tau\rfloor$. Write $q = e^{-a}$ and
$\ell = \ln(1/\delta)/a \ge 0$, so that $q^\ell = \delta$.

- An integer exceeds $\tau - \Delta$ exactly if it exceeds $T - \Delta$, which is not negative.
- The floor loses less than one: $T - \Delta + 1 \ge \ell$. The laws of powers turn this into
  $A = q^{T-\Delta+1} \le q^\ell = \delta$, and the former into $A \le q$.
- With $B = q^\Delta \le q$ the tail above $T - \Delta$ is the closed form at the height $A$ and the
  edge $q^{T+1} = AB$, as discrete_laplace_is_normalised shows. It is at most $A$.

The paper's lemma takes $\tau$ as an integer, and then has one step to spare, $A \le q\delta$. The
floor uses it up, and the last inequality does without.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor

from proofs._check import check_of
from proofs._proof import Proof, assume, exists, for_all
from spec.noise import laplace_upper_tail


def paper_room(logarithm: Fraction, displacement: int) -> Fraction:
    r"""Return the least truncation point the lemma asks for, $\ell + \Delta$."""
    return logarithm + displacement


@dataclass(frozen=True, kw_only=True)
class TailLemma:
    """Hold the closed form of the tail, the room it needs, and the greatest value of the noise."""

    upper_tail: Callable[[Fraction, Fraction, Fraction], Fraction] = laplace_upper_tail
    room: Callable[[Fraction, int], Fraction] = paper_room
    greatest: Callable[[Fraction], int] = floor


def assume_room(lemma: TailLemma, tau: Fraction, logarithm: Fraction, displacement: int) -> None:
    """Take a truncation point with at least the room that the lemma asks for."""
    assume(0 <= logarithm, 1 <= displacement, lemma.room(logarithm, displacement) <= tau)


@for_all("the tail above the real bound is the tail above an integer that is not negative")
def integers_only(
    lemma: TailLemma, tau: Fraction, logarithm: Fraction, displacement: int, x: int
) -> bool:
    """Compare with the floor of the truncation point."""
    assume_room(lemma, tau, logarithm, displacement)
    bound = lemma.greatest(tau) - displacement
    return (bound >= 0) & ((x > tau - displacement) == (x > bound))


@for_all("the floor loses less than one step, so the exponent still reaches the logarithm")
def floor_loses_a_step(
    lemma: TailLemma, tau: Fraction, logarithm: Fraction, displacement: int
) -> bool:
    r"""Show $T - \Delta + 1 \ge \ell$."""
    assume_room(lemma, tau, logarithm, displacement)
    return lemma.greatest(tau) - displacement + 1 >= logarithm


def assume_powers(q: Fraction, height: Fraction, lift: Fraction, delta: Fraction) -> None:
    r"""Take $A = q^{T-\Delta+1}$ as the height and $B = q^\Delta$ as the lift down to the edge."""
    assume(0 < q, q < 1, 0 < height, height <= q, 0 < lift, lift <= q, height <= delta)


@for_all("the tail at the height A is at most A")
def below_its_height(
    lemma: TailLemma, q: Fraction, height: Fraction, lift: Fraction, delta: Fraction
) -> bool:
    """Compute the tail at the height."""
    assume_powers(q, height, lift, delta)
    return lemma.upper_tail(q, height, height * lift) <= delta


@exists("a tail that is positive and below delta")
def not_vacuous(
    lemma: TailLemma, q: Fraction, height: Fraction, lift: Fraction, delta: Fraction
) -> bool:
    """Show that the assumptions can hold, with something in the tail."""
    assume_powers(q, height, lift, delta)
    tail = lemma.upper_tail(q, height, height * lift)
    return (0 < tail) & (tail < delta)


def less_than_a_step(logarithm: Fraction, displacement: int) -> Fraction:
    """Leave out half a step, but keep room for the displacement."""
    return displacement + max(Fraction(0), logarithm - Fraction(1, 2))


def tail_with_its_point(q: Fraction, height: Fraction, edge: Fraction) -> Fraction:
    r"""Return $\Pr[X \ge T - \Delta]$, one mass too many."""
    return laplace_upper_tail(q, height / q, edge)


PAPERS = TailLemma()

PROOF = Proof(
    claim="truncated_tail_is_below_delta",
    subject=PAPERS,
    steps=(integers_only, floor_loses_a_step, below_its_height, not_vacuous),
    controls={
        "a truncation point that is rounded up": replace(PAPERS, greatest=ceil),
        "room for half a step less": replace(PAPERS, room=less_than_a_step),
        "tail that includes its point": replace(PAPERS, upper_tail=tail_with_its_point),
    },
    unproved_for={"a tail of nothing": replace(PAPERS, upper_tail=lambda *_: Fraction(0))},
)

CHECK = check_of(PROOF, header=__doc__)
