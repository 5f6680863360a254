r"""Approximate zero-concentrated differential privacy, the other notion that has a filter.

Two distributions are $(\rho, \delta)$-close if, after cutting an event of probability at most
$\delta$ off each, their Rényi divergence of every order $\alpha > 1$ is at most $\rho\alpha$, in
nats and in both directions.

What is decided here, for finite distributions with rational probabilities and rational $\rho$:

- at a given rational order, always: $e^{(\alpha-1)\rho\alpha}$ is transcendental and the sum it is
  compared with is algebraic, so that rising precision separates them;
- at every order, by covering them with intervals, because the divergence does not fall as the order
  grows. This may stay undecided where the bound is tight, and then the answer is None.

The search over events is exhaustive and exponential in the support. The filter for this notion is
the one on sums, `spec.filters.basic_filter`, with $\rho$ in the place of $\varepsilon$.

Paper: App. B; Def. B.1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import combinations
from typing import TypeVar

from flint import arb

from spec.distributions import Distribution
from spec.numbers import (
    NATURAL,
    OutOfRange,
    Power,
    certainly_at_most,
    decide,
    enclose,
    exact,
    floor_log,
    positive,
    unit_interval,
)

T = TypeVar("T")


def concentrated_indistinguishable(
    p: Distribution[T], q: Distribution[T], rho: Fraction, delta: Fraction, depth: int = 12
) -> bool | None:
    r"""Decide $(\rho, \delta)$-AzCDP-indistinguishability over all events and orders, if it can.

    Both divergences are finite only if the two conditioned distributions have one support, so the
    two events may be taken equal and inside the common support. False means that every such event
    fails at some order; None that none was shown to hold and some stayed undecided.
    """
    allowed = unit_interval(delta, "delta")
    answer: bool | None = False
    for event in _events([x for x in p.support() if q.probability_of(x)]):
        if min(p.probability(event), q.probability(event)) < 1 - allowed:
            continue
        inside, other = p.given(event), q.given(event)
        there = divergence_within_every_order(inside, other, rho, depth)
        back = there if there is False else divergence_within_every_order(other, inside, rho, depth)
        if there and back:
            return True
        if there is not False and back is not False:
            answer = None
    return answer


def divergence_within_every_order(
    p: Distribution[T], q: Distribution[T], rho: Fraction, depth: int = 12
) -> bool | None:
    r"""Decide $D_\alpha(P \| Q) \le \rho\alpha$ for every $\alpha > 1$; None if it is too tight.

    The divergence does not fall as the order grows, so $D_h \le \rho l$ covers all orders from $l$
    to $h$; and it stays below the logarithm of the greatest ratio, which covers all orders from
    some point on.
    """
    if p == q:
        return exact(rho, "rho") >= 0
    if exact(rho, "rho") <= 0 or not _absolutely_continuous(p, q):
        return False
    greatest = max(weight / q.probability_of(x) for x, weight in p.items())
    last = Fraction(max(2, floor_log(Power(NATURAL, rho), greatest) + 1))
    pending = [(Fraction(1), last, depth)]
    undecided = False
    while pending:
        low, high, remaining = pending.pop()
        if divergence_at_most(p, q, high, rho * low):
            continue
        if not divergence_at_most(p, q, high, rho * high):
            return False
        if remaining == 0:
            undecided = True
            continue
        middle = (low + high) / 2
        pending += [(low, middle, remaining - 1), (middle, high, remaining - 1)]
    return None if undecided else True


def divergence_at_most(
    p: Distribution[T], q: Distribution[T], order: Fraction, bound: Fraction
) -> bool:
    r"""Decide $D_\alpha(P \| Q) \le d$ for a rational bound $d$.

    It means $\sum_x P(x)^\alpha Q(x)^{1-\alpha} \le e^{(\alpha-1)d}$. The divergence is zero only
    between equal distributions, so that equality is never met below.
    """
    alpha, limit = _order(order), exact(bound, "bound")
    if p == q:
        return limit >= 0
    if limit <= 0 or not _absolutely_continuous(p, q):
        return False
    allowed = Power(NATURAL, (alpha - 1) * limit)
    return decide(lambda: certainly_at_most(renyi_sum(p, q, alpha), allowed.ball()))


def renyi_sum(p: Distribution[T], q: Distribution[T], order: Fraction) -> arb:
    r"""Return $\sum_x P(x)^\alpha Q(x)^{1-\alpha} = e^{(\alpha-1) D_\alpha(P \| Q)}$, enclosed."""
    total = arb(0)
    for outcome, weight in p.items():
        ratio = enclose(weight / q.probability_of(outcome))
        total = total + enclose(weight) * (enclose(order - 1) * ratio.log()).exp()
    return total


def discrete_gaussian_rho(squared_distance: int | Fraction, variance: Fraction) -> Fraction:
    r"""Return $\rho = \Delta^2 / 2\sigma^2$ of discrete Gaussian noise: $\Delta = \|u - v\|_2$."""
    squared = exact(squared_distance, "squared distance")
    if squared < 0:
        raise OutOfRange(f"squared distance must not be negative, not {squared}")
    return squared / (2 * positive(variance, "variance"))


def _order(order: Fraction) -> Fraction:
    if exact(order, "order") <= 1:
        raise OutOfRange(f"the order must be above 1, not {order}")
    return Fraction(order)


def _absolutely_continuous(p: Distribution[T], q: Distribution[T]) -> bool:
    return all(q.probability_of(outcome) for outcome in p.support())


def _events(outcomes: Sequence[T]) -> Iterable[Callable[[T], bool]]:
    """List the non-empty events, the greatest first: the least that is cut off is tried first."""
    for size in range(len(outcomes), 0, -1):
        for chosen in combinations(outcomes, size):
            yield frozenset(chosen).__contains__
