r"""Claim: truncated noise hides a change of L1 norm $\Delta$ in $s$ coordinates, up to $\delta$.

Paper: Fact 3.3.
Method: threshold and noise of the rules run for all parameters; one coordinate, then induction on
    the dimension; the first half of the fact is discrete_laplace_is_private.
Assumes: the laws of powers; the contract of floor_log, see threshold_meets_the_tail_lemma; an
    event's probability is the sum of its points'; coordinates of the noise are independent.

Let $u, v \in \mathbb{Z}^d$ differ by $\Delta \le \Lambda_1$ in L1 norm and in $s \le \Lambda_0$
coordinates, and let $P$, $Q$ be the laws of $u + \xi$ and $v + \xi$ with noise truncated at $T$.
Let $S$ be the points that both can reach.

- On $S$ masses follow heights as without truncation, because both have the same normaliser. The
  induction on the dimension of discrete_laplace_is_private gives $P(w) \le g\,Q(w)$ there, with
  $g = e^{\epsilon\Delta/\Lambda_1}$.
- One coordinate that differs by $d$: $u + X$ is out of reach for $v$ exactly if $X$, or $-X$ for
  negative $d$, exceeds $T - |d|$. Masses depend on $|x|$ only, so the probability is
  $\Pr[X > T - |d|]$. This is at most $\Pr[X > T - \Lambda_1]$, a longer tail, and with the
  threshold of the rules at most $\delta/\Lambda_0$. A coordinate that does not differ never fails.
- Induction on the coordinates: if the first ones are out of reach with probability at most
  $k\delta/\Lambda_0$ and the next one with probability at most $\delta/\Lambda_0$, all together are
  with probability at most $(k+1)\delta/\Lambda_0$. So $P(\bar S) \le s\delta/\Lambda_0$.
- For every event, $P(E) = P(E \cap S) + P(E \setminus S) \le g\,Q(E) + s\delta/\Lambda_0$.

With $\Delta = \Lambda_1$ and $s = \Lambda_0$ this is the paper's fact. With less it is the share of
$\epsilon$ and $\delta$ that individual privacy uses. The roles of $u$ and $v$ are symmetric.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from proofs._check import check_of
from proofs._contracts import by_contract
from proofs._proof import Proof, assume, exists, for_all
from proofs._service import (
    ANY_BATCH,
    OfTheRules,
    asked_for,
    narrow_noise,
    noise_of,
    without_first_budget,
)
from proofs._subjects import for_all_rules
from spec import PAPER, Rules
from spec.noise import laplace_mass, laplace_upper_tail


@dataclass(frozen=True, kw_only=True)
class Truncated:
    """Hold the rules, the closed forms of masses and tails, and the steps of the argument.

    Noise within the `room` shows no change. Two coordinates fail with the probability of `either`.
    An event has the probability `bound`, from its factor, the other world and the failures.
    """

    rules: Rules = PAPER
    mass: Callable[[Fraction, Fraction, Fraction], Fraction] = laplace_mass
    upper_tail: Callable[[Fraction, Fraction, Fraction], Fraction] = laplace_upper_tail
    room: Callable[[int, int], int] = lambda truncation, change: truncation - abs(change)
    either: Callable[[Fraction, Fraction], Fraction] = lambda p, q: 1 - (1 - p) * (1 - q)
    bound: Callable[[Fraction, Fraction, Fraction], Fraction] = lambda g, q, d: g * q + d


@for_all_rules("the service's noise is as wide as the budget demands, for the threshold it chooses")
def scale(
    noise: Truncated,
    contribution_budget: int,
    sparsity_budget: int,
    epsilon: Fraction,
    delta: Fraction,
    lists_keys: bool,
    steps: int,
) -> bool:
    r"""Show $c \Lambda_1 \le \epsilon$ for the ratio $q = b^{-c}$ that the rules choose.

    It is asked of every query, and whether or not the threshold truncates the noise.
    """
    assume(1 <= contribution_budget, 1 <= sparsity_budget, 0 < epsilon, 0 <= delta, delta <= 1)
    given = (contribution_budget, sparsity_budget, epsilon, delta)
    at = asked_for(noise.rules, *given, lists_keys=bool(lists_keys))
    with by_contract(noise.rules, steps):
        threshold = noise.rules.threshold(at, ANY_BATCH)
        rate, _ = noise_of(at, threshold)
    return rate * contribution_budget <= epsilon


@for_all("where both worlds reach, masses grow by at most the factor of their heights")
def masses_follow_heights(
    noise: Truncated,
    q: Fraction,
    height: Fraction,
    other: Fraction,
    edge: Fraction,
    factor: Fraction,
) -> bool:
    r"""Take $q^{|w-u|} \le g\,q^{|w-v|}$ as given; heights are above the edge."""
    assume(0 < q, q < 1, 0 < edge, edge <= q, height <= 1, other <= 1)
    assume(edge <= height * q, edge <= other * q, height <= factor * other)
    return noise.mass(q, height, edge) <= factor * noise.mass(q, other, edge)


@for_all("one coordinate is out of reach exactly if the noise exceeds what the change leaves")
def out_of_reach(noise: Truncated, u: int, v: int, x: int, truncation: int) -> bool:
    """Compare with the tail on the side of the change."""
    assume(0 <= truncation, -truncation <= x, x <= truncation)
    room = noise.room(truncation, u - v)
    outside = abs(u + x - v) > truncation
    return outside == ((x > room) if u >= v else (-x > room))


@for_all("a smaller change leaves a shorter tail")
def shorter_tail(
    noise: Truncated, q: Fraction, height: Fraction, longer: Fraction, edge: Fraction
) -> bool:
    r"""Compare the heights $q^{T-|d|+1} \le q^{T-\Lambda_1+1}$."""
    assume(0 < q, q < 1, 0 < edge, edge <= height, height <= longer, longer <= 1, edge <= q)
    return noise.upper_tail(q, height, edge) <= noise.upper_tail(q, longer, edge)


def assume_powers(q: Fraction, height: Fraction, lift: Fraction, share: Fraction) -> None:
    r"""Take $q^{T+1-\Lambda_1}$ as the height and $q^{\Lambda_1}$ as the lift to the edge."""
    assume(0 < q, q < 1, 0 < height, height <= q, 0 < lift, lift <= q, height <= share)


@for_all("the tail at the height of the threshold is at most the share of delta")
def tail_is_at_most_the_share(
    noise: Truncated, q: Fraction, height: Fraction, lift: Fraction, share: Fraction
) -> bool:
    """Use the inequality of the tail lemma."""
    assume_powers(q, height, lift, share)
    return noise.upper_tail(q, height, height * lift) <= share


@for_all("induction on the coordinates: failures add up")
def failures_add_up(
    noise: Truncated, failed: Fraction, fails: Fraction, count: Fraction, share: Fraction
) -> bool:
    """Add one more independent coordinate."""
    assume(0 <= failed, failed <= 1, 0 <= fails, fails <= 1, 0 <= share, 0 <= count)
    assume(failed <= count * share, fails <= share)
    return noise.either(failed, fails) <= (count + 1) * share


@for_all("events: what both reach by its factor, the rest by its failures")
def events(
    noise: Truncated,
    inside: Fraction,
    outside: Fraction,
    other_inside: Fraction,
    other: Fraction,
    factor: Fraction,
    failures: Fraction,
) -> bool:
    r"""Split an event at $S$."""
    assume(0 <= other_inside, other_inside <= other, 1 <= factor)
    assume(inside <= factor * other_inside, outside <= failures)
    return inside + outside <= noise.bound(factor, other, failures)


@exists("a change that is seen with a positive probability below its share")
def not_vacuous(
    noise: Truncated, q: Fraction, height: Fraction, lift: Fraction, share: Fraction
) -> bool:
    """Show that the assumptions can hold."""
    assume_powers(q, height, lift, share)
    tail = noise.upper_tail(q, height, height * lift)
    return (0 < tail) & (tail < share) & (share < 1)


def both_tails(q: Fraction, height: Fraction, edge: Fraction) -> Fraction:
    """Count the failures on both sides, though a change moves to one only."""
    return 2 * laplace_upper_tail(q, height, edge)


def no_tail_from_zero(q: Fraction, height: Fraction, edge: Fraction) -> Fraction:
    """Forget the tails that start at zero or below."""
    return laplace_upper_tail(q, height, edge) if height <= q else Fraction(0)


def uneven_mass(q: Fraction, height: Fraction, edge: Fraction) -> Fraction:
    """Halve the masses far from zero."""
    mass = laplace_mass(q, height, edge)
    return mass if 2 * height >= 1 else mass / 2


PAPERS = Truncated()

PROOF = Proof(
    claim="truncated_laplace_is_private",
    subject=PAPERS,
    steps=(
        OfTheRules[Truncated](),
        scale,
        masses_follow_heights,
        out_of_reach,
        shorter_tail,
        tail_is_at_most_the_share,
        failures_add_up,
        events,
        not_vacuous,
    ),
    controls={
        "noise of half the scale": replace(PAPERS, rules=replace(PAPER, noise=narrow_noise)),
        "threshold without its first contribution budget": replace(
            PAPERS, rules=replace(PAPER, threshold=without_first_budget)
        ),
        "masses that are halved far from zero": replace(PAPERS, mass=uneven_mass),
        "room for changes upwards only": replace(
            PAPERS, room=lambda truncation, change: truncation - change
        ),
        "no tail from zero on": replace(PAPERS, upper_tail=no_tail_from_zero),
        "failures on both sides": replace(PAPERS, upper_tail=both_tails),
        "failures that draw each other": replace(PAPERS, either=lambda p, q: p + q + p * q),
        "failures that are not paid for": replace(PAPERS, bound=lambda g, q, _: g * q),
    },
    unproved_for={"a tail of nothing": replace(PAPERS, upper_tail=lambda *_: Fraction(0))},
)

CHECK = check_of(PROOF, header=__doc__, subject=lambda rules: Truncated(rules=rules))
