r"""Claim: the smallest sound truncation point is sound; for $\delta < 1/2$ the next one is not.

Paper: none (E3).
Method: z3 and cvc5 on sound_edge, displaced_mass and smallest_sound_truncation, which is run with
    floor_log and the enclosure of the edge by their contracts; exact instances.
Assumes: the laws of powers; the contract of floor_log, see threshold_meets_the_tail_lemma; bounds
    enclose what they bound; $\delta < 1/2$ for tightness.

Let $f(v) = \Pr[X > T - v]$ and $e = q^{T+1}$. A truncation point is sound if $f(\Lambda_1) \le
\delta$; truncated_noise_needs_no_sparsity_bound says why this is enough for any number of keys.

- The closed form of $f(\Lambda_1)$ is at most $\delta$ exactly if $e \le e_* = \delta (1 + q) /
  (e^\epsilon - 1 + 2\delta)$. Always $e_* \le q$, so that a truncation point that is sound exists.
- The function returns $T = -m - 1$ where $m$ is the floor of the logarithm of a lower and of an
  upper bound of $e_*$ alike. So $q^{T+1} \le e_* < q^T$. The first says that $T$ is sound, because
  the closed form is never below $f$.
- The second says that the closed form for $T - 1$ exceeds $\delta$. It is exact if
  $\Lambda_1 \le T$. Otherwise $T - 1 - \Lambda_1 < -1$, and half of the noise is above. So for
  $\delta < 1/2$ the truncation at $T - 1$ shows a change by $\Lambda_1$ more often than $\delta$
  allows, by answers that are impossible without it.

For $\delta \ge 1/2$ the closed form may exceed the true tail, and the next smaller point may be
sound as well; an instance is run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import product
from unittest.mock import patch

from proofs._check import check_of
from proofs._contracts import FloorLog
from proofs._proof import Proof, assume, calculation, exists, for_all
from proofs._service import PRECISION, at_most
from proofs._solvers import Exact
from proofs._subjects import search, unchecked
from spec import noise
from spec.noise import (
    DiscreteLaplace,
    displaced_mass,
    laplace_upper_tail,
    smallest_sound_truncation,
    sound_edge,
)
from spec.numbers import NATURAL, Base, Power, decide


@dataclass(frozen=True, kw_only=True)
class Truncation:
    """Hold the choice of the truncation point, the edge that it aims at, and the closed forms.

    `encloses` is the contract of the bounds between which the edge is searched.
    """

    choose: Callable[[int, Fraction, Fraction, Base], int] = smallest_sound_truncation
    edge: Callable[[Fraction, Fraction, Fraction], Fraction] = sound_edge
    mass: Callable[[Fraction, Fraction, Fraction], Fraction] = displaced_mass
    upper_tail: Callable[[Fraction, Fraction, Fraction], Fraction] = laplace_upper_tail
    encloses: Callable[[Fraction, Fraction, Fraction], bool] = lambda low, edge, high: (
        (low <= edge) & (edge <= high)
    )


def assume_parameters(q: Fraction, power: Fraction, delta: Fraction) -> None:
    r"""Take $e^\epsilon = q^{-\Lambda_1} \ge 1/q$ as the power."""
    assume(0 < q, q < 1, 1 <= power * q, 0 < delta, delta <= 1)


@for_all("the closed form is at most delta exactly below the sound edge")
def sound_below_the_edge(
    truncation: Truncation, q: Fraction, power: Fraction, delta: Fraction, edge: Fraction
) -> bool:
    """Take any edge of a truncation point."""
    assume_parameters(q, power, delta)
    assume(0 < edge, edge <= q)
    sound = truncation.mass(q, power, edge) <= delta
    return sound == (edge <= truncation.edge(q, power, delta))


@for_all("the sound edge is that of some truncation point")
def edge_is_within_reach(
    truncation: Truncation, q: Fraction, power: Fraction, delta: Fraction
) -> bool:
    r"""Show $0 < e_* \le q$."""
    assume_parameters(q, power, delta)
    edge = truncation.edge(q, power, delta)
    return (0 < edge) & (edge <= q)


@for_all("the function returns the truncation point whose edge is the floored power")
def returns_the_floor(
    truncation: Truncation,
    contribution_budget: int,
    epsilon: Fraction,
    delta: Fraction,
    low: Fraction,
    high: Fraction,
    floor: int,
) -> bool:
    """Run it with bounds of the edge whose logarithms have one floor, as they have at the end."""
    assume(1 <= contribution_budget, 0 < epsilon, 0 < delta, delta < 1, 0 < low, low <= high)
    assume(high < 1)
    base, stand_in = unchecked(Base), FloorLog(result=floor)
    enclosed = patch.object(noise, "_sound_edge_bounds", lambda *_: (low, high))
    with patch.object(noise, "floor_log", stand_in), enclosed:
        found = truncation.choose(contribution_budget, epsilon, delta, base)
    steps = [power for power, _ in stand_in.calls if power.base is base]
    asked = [bound for _, bound in stand_in.calls]
    whole = all(step.exponent * contribution_budget == epsilon for step in steps)
    return found + 1 == -floor and len(steps) == 2 and whole and asked == [low, high]


@for_all("the edge lies between the floored power and the next")
def between_powers(
    truncation: Truncation,
    edge: Fraction,
    low: Fraction,
    high: Fraction,
    power: Fraction,
    q: Fraction,
) -> bool:
    r"""Take $p^m = q^{T+1} \le$ low and $p^{m+1} = q^T >$ high."""
    assume(0 < q, q < 1, truncation.encloses(low, edge, high), power <= low, power > q * high)
    return (power <= edge) & (power > q * edge)


@for_all("with one unit and certainty the truncation is zero")
def certainty(truncation: Truncation, epsilon: Fraction) -> bool:
    r"""Run the function for $\Lambda_1 = 1$ and $\delta = 1$: there the edge $q$ is sound."""
    assume(0 < epsilon)
    return truncation.choose(1, epsilon, Fraction(1), NATURAL) == 0


@for_all("where the closed form is not exact, half of the noise is above")
def half_is_above(truncation: Truncation, q: Fraction, edge: Fraction) -> bool:
    r"""Show $\Pr[X \ge 0] \ge 1/2$, the tail at the height one."""
    assume(0 < q, q < 1, 0 < edge, edge <= q)
    return 2 * truncation.upper_tail(q, Fraction(1), edge) >= 1


@search(
    "at exact parameters the point is sound and the next smaller one is not",
    by="instances",
    over="18 small parameters and those of production",
)
def instances(truncation: Truncation) -> Mapping[str, Exact] | None:
    """Compare the true tails with delta, for a rational base and for the natural one."""
    small = product((Base(Fraction(2)), Base(Fraction(3, 2))), (1, 2, 4), (2, 8, 1000))
    production = ((NATURAL, 2**16, 10**8),)
    for base, budget, inverse in (*small, *production):
        epsilon, delta = Fraction(min(budget, 10)), Fraction(1, inverse + 1)
        found = truncation.choose(budget, epsilon, delta, base)
        for point, sound in ((found, True), (found - 1, False)):
            if point < 0:
                continue
            law = DiscreteLaplace(Power(base, -epsilon / budget), point)
            if decide(partial(at_most, law, point - budget, delta), PRECISION) is not sound:
                return {
                    "base": base.value or Fraction(0),
                    "contribution_budget": budget,
                    "epsilon": epsilon,
                    "delta": delta,
                    "truncation": found,
                    "wrong_at": point,
                }
    return None


WITH_LARGE_DELTA = Base(Fraction(2))
"""The base of the instance with a large delta, and of no other."""


@calculation(
    "for a large delta the next smaller point may be sound",
    by="exact numbers",
    over="b = 2, Λ1 = 4, δ = 19/20",
)
def not_tight_for_large_delta(truncation: Truncation) -> bool:
    """Run an instance, so that the restriction to small delta is seen to be needed."""
    base, budget, delta = WITH_LARGE_DELTA, 4, Fraction(19, 20)
    found = truncation.choose(budget, Fraction(budget), delta, base)
    law = DiscreteLaplace(Power(base, Fraction(-1)), found - 1)
    return law.tail(found - 1 - budget) == Fraction(9, 10) and Fraction(9, 10) <= delta


@exists("an edge that is sound while the next larger power is not")
def not_vacuous(
    truncation: Truncation, q: Fraction, power: Fraction, delta: Fraction, edge: Fraction
) -> bool:
    r"""Find $q^{T+1}$ and $q^T$ on the two sides."""
    assume_parameters(q, power, delta)
    assume(0 < edge, edge <= q)
    tight = truncation.edge(q, power, delta)
    sound = truncation.mass(q, power, edge) <= delta
    return (2 * delta < 1) & (edge <= q * q) & (edge <= tight) & (tight * q < edge) & sound


def edge_times_delta(q: Fraction, power: Fraction, delta: Fraction) -> Fraction:
    """Aim at a smaller edge, unless delta is one."""
    return delta * sound_edge(q, power, delta)


def edge_out_of_reach(q: Fraction, power: Fraction, delta: Fraction) -> Fraction:
    """Aim beyond the truncation at zero where that is sound."""
    edge = sound_edge(q, power, delta)
    return 2 * edge if edge == q else edge


def one_smaller_for_the_natural_base(
    budget: int, epsilon: Fraction, delta: Fraction, base: Base
) -> int:
    """Return the next smaller point for the natural base, if there is one."""
    found = smallest_sound_truncation(budget, epsilon, delta, base)
    return max(0, found - 1) if base is NATURAL else found


def one_larger_for_large_budgets(
    budget: int, epsilon: Fraction, delta: Fraction, base: Base
) -> int:
    """Return the next larger point, which is sound and not the smallest."""
    found = smallest_sound_truncation(budget, epsilon, delta, base)
    return found if budget < 10**6 else found + 1


def one_larger_for_certainty(budget: int, epsilon: Fraction, delta: Fraction, base: Base) -> int:
    """Return the next larger point if delta is one."""
    found = smallest_sound_truncation(budget, epsilon, delta, base)
    return found if delta < 1 else found + 1


def one_larger_for_the_large_delta(
    budget: int, epsilon: Fraction, delta: Fraction, base: Base
) -> int:
    """Return the next larger point at the instance with a large delta."""
    found = smallest_sound_truncation(budget, epsilon, delta, base)
    return found + 1 if base is WITH_LARGE_DELTA else found


PAPERS = Truncation()

PROOF = Proof(
    claim="smallest_sound_truncation_is_tight",
    subject=PAPERS,
    steps=(
        instances,
        sound_below_the_edge,
        edge_is_within_reach,
        returns_the_floor,
        between_powers,
        certainty,
        half_is_above,
        not_tight_for_large_delta,
        not_vacuous,
    ),
    controls={
        "the next smaller point for the natural base": replace(
            PAPERS, choose=one_smaller_for_the_natural_base
        ),
        "an edge that is too small": replace(PAPERS, edge=edge_times_delta),
        "an edge out of reach": replace(PAPERS, edge=edge_out_of_reach),
        "the next larger point for large budgets": replace(
            PAPERS, choose=one_larger_for_large_budgets
        ),
        "bounds that do not enclose from above": replace(
            PAPERS, encloses=lambda low, edge, _: low <= edge
        ),
        "the next larger point for certainty": replace(PAPERS, choose=one_larger_for_certainty),
        "a tail that leaves out zero": replace(
            PAPERS, upper_tail=lambda q, height, edge: laplace_upper_tail(q, q * height, edge)
        ),
        "the next larger point for a large delta": replace(
            PAPERS, choose=one_larger_for_the_large_delta
        ),
    },
    unproved_for={
        "every edge is sound": replace(PAPERS, mass=lambda *_: Fraction(0), edge=lambda q, *_: q),
    },
)

CHECK = check_of(PROOF, header=__doc__)
