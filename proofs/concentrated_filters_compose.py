r"""Claim: the filter on $(\rho, \delta)$ keeps the sums below the caps.

Paper: Lem. B.2.
Method: inductive invariant on the filtered mechanism, run on symbolic parameters; for
    $\delta = 0$ also the composition, by backward induction at every order. This is weaker than the
    lemma of the paper, which is about every $\delta$.
Assumes: for $\delta > 0$, that sums within the caps compose adaptively: the filter theorem, which
    the paper cites and which is not proved here; the laws of powers; sums over countably many
    responses keep inequalities.

What is proved for all $(\rho, \delta)$ is about the sums.

- The filter goes on exactly if both sums are within the caps. It looks at the sums only, so that a
  history of any length may be replaced by one entry that holds its sums.
- The empty history is within the caps. A step of the mechanism appends the parameters of a query if
  the filter goes on, and zeros if not. Both keep the sums within the caps. So, by induction, the
  sums are within the caps after any number of queries.

What is proved for $\delta = 0$ is the lemma. Fix an order $\alpha > 1$ and write
$M = \sum_r P(r)^\alpha Q(r)^{1-\alpha} = e^{(\alpha-1) D_\alpha}$. After some responses, let the
next one contribute the terms $a_r$, with $\sum_r a_r \le e^{\alpha(\alpha-1)\rho_1}$, and let
$M_r$ be the same sum for all that follows $r$. The claim of the induction is
$M_r \le e^{\alpha(\alpha-1)\rho_2}$, whatever $r$ is, with $\rho_2$ what is left of the caps. The
terms of both steps are products, so the sum over both is
$\sum_r a_r M_r \le e^{\alpha(\alpha-1)\rho_1} e^{\alpha(\alpha-1)\rho_2}$. Where the adversary
halts, $M = 1$.

For $\delta > 0$ this does not carry over at once: conditioning each step on its event is not
conditioning the transcript on all events.

The instances rest on `spec.concentrated`, which is asked by itself. Orders are taken at which the
sum of powers is rational, so that a bound on the divergence is one comparison of a fraction with a
power of $e$. All orders are covered by a recursion on halves of intervals, which is written down
here once more, and events are chosen so that each of their sizes is the one that decides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import count, product
from math import isqrt
from typing import TypeAlias, cast

from proofs._check import check_of
from proofs._proof import Proof, assume, calculation, exists, for_all
from proofs._subjects import search
from spec.concentrated import (
    concentrated_indistinguishable,
    divergence_at_most,
    divergence_within_every_order,
)
from spec.distributions import Distribution, Draw, Law, T
from spec.filters import (
    Filter,
    FilteredMechanism,
    Units,
    UniversalQuery,
    basic_filter,
)
from spec.individual_privacy import Theta
from spec.numbers import NATURAL, Power

Answer: TypeAlias = bool | None
HALF = Fraction(1, 2)

Every: TypeAlias = Callable[[Distribution[str], Distribution[str], Fraction, int], Answer]
Close: TypeAlias = Callable[[Distribution[str], Distribution[str], Fraction, Fraction, int], Answer]


def filter_on_sums(rho: Fraction, delta: Fraction) -> Filter:
    """Return the filter of the specification for these caps."""
    return basic_filter(Theta(epsilon=rho, delta=delta))


@dataclass(frozen=True, kw_only=True)
class Filters:
    """Hold the filter for given caps, the mechanism, two formulas, and what two steps may use.

    `steps` is what the composition of two equal steps is compared with, in budgets of one.
    `order`, `every_order` and `close` decide about divergences at an order, at every order, and
    after something is cut off.
    """

    filter: Callable[[Fraction, Fraction], Filter] = filter_on_sums
    mechanism: type[FilteredMechanism[str]] = FilteredMechanism
    add: Callable[[Fraction, Fraction], Fraction] = lambda first, second: first + second
    multiply: Callable[[Fraction, Fraction], Fraction] = lambda first, second: first * second
    steps: int = 2
    order: Callable[[Distribution[str], Distribution[str], Fraction, Fraction], bool] = (
        divergence_at_most
    )
    every_order: Every = divergence_within_every_order
    close: Close = concentrated_indistinguishable


def within(history: tuple[Theta, ...], rho: Fraction, delta: Fraction) -> bool:
    """State the invariant: both sums are within the caps."""
    spent_rho = sum((theta.epsilon for theta in history), Fraction(0))
    spent_delta = sum((theta.delta for theta in history), Fraction(0))
    return (spent_rho <= rho) & (spent_delta <= delta)


def only(law: T | Law[T]) -> T:
    """Draw from a law that has one outcome."""
    return cast(Distribution[T], law).support()[0]


def asked(
    filters: Filters, history: tuple[Theta, ...], theta: Theta, caps: Theta
) -> tuple[tuple[Theta, ...], object]:
    """Ask the filtered mechanism one query with the given parameters."""
    mechanism = filters.mechanism(go_on=filters.filter(caps.epsilon, caps.delta))
    query = UniversalQuery(answer=lambda _: Distribution.certain("answer"), theta=theta)
    return mechanism.step(history, (frozenset(), query), only)


@for_all("the filter goes on exactly if both sums are within the caps")
def exactly_the_sums(
    filters: Filters,
    rho_1: Fraction,
    delta_1: Fraction,
    rho_2: Fraction,
    delta_2: Fraction,
    rho_3: Fraction,
    delta_3: Fraction,
    rho: Fraction,
    delta: Fraction,
) -> bool:
    """Run it on three entries, of which the first stands for a history of any length."""
    assume(0 <= rho_1, 0 <= rho_2, 0 <= rho_3, 0 <= delta_1, 0 <= delta_2, 0 <= delta_3)
    assume(delta_1 <= 1, delta_2 <= 1, delta_3 <= 1, 0 <= rho, 0 <= delta, delta <= 1)
    first, second = Theta(epsilon=rho_1, delta=delta_1), Theta(epsilon=rho_2, delta=delta_2)
    history = (first, second, Theta(epsilon=rho_3, delta=delta_3))
    return filters.filter(rho, delta)(history) == within(history, rho, delta)


@for_all("initiation: the empty history is within the caps")
def initiation(filters: Filters, rho: Fraction, delta: Fraction) -> bool:
    """Start the mechanism."""
    assume(0 <= rho, 0 <= delta, delta <= 1)
    mechanism = filters.mechanism(go_on=filters.filter(rho, delta))
    return mechanism.initial == () and within(mechanism.initial, rho, delta)


@for_all("preservation: a query keeps the sums within the caps, answered or not")
def preservation(
    filters: Filters,
    spent_rho: Fraction,
    spent_delta: Fraction,
    query_rho: Fraction,
    query_delta: Fraction,
    rho: Fraction,
    delta: Fraction,
) -> bool:
    """Run one step; an answer is given exactly if its parameters are recorded."""
    assume(0 <= spent_rho, spent_rho <= rho, 0 <= spent_delta, spent_delta <= delta)
    assume(0 <= query_rho, 0 <= query_delta, query_delta <= 1, delta <= 1)
    spent = Theta(epsilon=spent_rho, delta=spent_delta)
    query = Theta(epsilon=query_rho, delta=query_delta)
    after, answer = asked(filters, (spent,), query, Theta(epsilon=rho, delta=delta))
    recorded = after == (spent, query if answer is not None else Theta())
    return recorded and within(after, rho, delta)


@for_all("composition at one order: what follows every response has one bound")
def responses_add_up(
    filters: Filters,
    total: Fraction,
    terms: Fraction,
    term: Fraction,
    follows: Fraction,
    rest: Fraction,
) -> bool:
    r"""Add a response: the term $a_r$ times $M_r$, below the bound of all that follows."""
    assume(0 <= terms, 0 <= term, 0 <= follows, follows <= rest, total <= terms * rest)
    return total + term * follows <= filters.add(terms, term) * rest


@for_all("composition at one order: the bounds of two steps multiply")
def steps_multiply(
    filters: Filters, total: Fraction, terms: Fraction, first: Fraction, rest: Fraction
) -> bool:
    r"""Take $e^{\alpha(\alpha-1)\rho_i}$ as the first and as the rest."""
    assume(0 <= terms, 1 <= first, 1 <= rest, total <= terms * rest, terms <= first)
    return total <= filters.multiply(first, rest)


@calculation(
    "an adaptive composition of two steps, at every order",
    by="enclosures",
    over="one mechanism and adversary",
)
def adaptive_run(filters: Filters) -> bool:
    """Let the second law depend on the first response, with less to spend after one of them."""
    low, high = coin(Fraction(1, 3)), coin(Fraction(2, 3))
    weak, strong = (coin(Fraction(2, 5)), coin(Fraction(3, 5))), (low, high)
    p = low.then(lambda r: (weak if r else strong)[0].map(lambda s: (r, s)))
    q = high.then(lambda r: (weak if r else strong)[1].map(lambda s: (r, s)))
    rho = Fraction(1, 4)
    single = divergence_within_every_order(low, high, rho)
    return bool(single and divergence_within_every_order(p, q, filters.steps * rho))


def coin(probability: Fraction) -> Distribution[bool]:
    """Return the law of a coin."""
    return Distribution.of({True: probability, False: 1 - probability})


def law(*shares: int) -> Distribution[str]:
    """Return a law on the first letters, with probabilities in these proportions."""
    return Distribution.of(
        {"abc"[place]: Fraction(n, sum(shares)) for place, n in enumerate(shares)}
    )


LAWS = (law(1, 1), law(4, 1), law(1, 4), law(1, 0), law(0, 1), law(16, 4, 5), law(4, 16, 5))
LEVELS = tuple(Fraction(n, 20) for n in (-20, 0, *range(1, 36, 2), 10**7))
SQUARES = {(law(4, 1), law(1, 4)), (law(16, 4, 5), law(4, 16, 5))}
"""Pairs of laws whose ratios are squares, so that orders in halves give fractions."""


def moment(p: Distribution[str], q: Distribution[str], order: Fraction) -> Fraction:
    r"""Return $\sum_x P(x)^\alpha Q(x)^{1-\alpha}$ for $2\alpha$ a whole number."""
    total = Fraction(0)
    for x, share in p.items():
        ratio = share / q.probability_of(x)
        root = Fraction(isqrt(ratio.numerator), isqrt(ratio.denominator))
        total += share * (
            root ** int(2 * order - 2) if root**2 == ratio else ratio ** int(order - 1)
        )
    return total


def is_below(p: Distribution[str], q: Distribution[str], order: Fraction, bound: Fraction) -> bool:
    r"""Compare the sum with $e^{(\alpha-1)d}$, which is a fraction for $d = 0$ only."""
    if p == q:
        return bound >= 0
    if bound <= 0 or not set(p.support()) <= set(q.support()):
        return False
    return not Power(NATURAL, (order - 1) * bound).at_most(moment(p, q, order))


@search(
    "a divergence is compared with a bound as its sum with a power of e",
    over="seven laws, orders from 3/2 to 4, bounds on either side",
)
def orders_are_decided(filters: Filters) -> Mapping[str, object] | None:
    """Take whole orders, and halves where all roots are fractions."""
    for p, q in product(LAWS, LAWS):
        halves = (3, 5) if (p, q) in SQUARES else ()
        orders = [Fraction(n, 2) for n in (4, 6, 8, *halves)]
        for order, bound in product(orders, LEVELS):
            if filters.order(p, q, order, bound) is not is_below(p, q, order, bound):
                return {"P": str(p), "Q": str(q), "order": order, "bound": bound}
    return None


def by_halves(
    p: Distribution[str],
    q: Distribution[str],
    rho: Fraction,
    depth: int,
    ends: tuple[Fraction, ...],
) -> Answer:
    """Decide an interval of orders by its ends, or else by its halves."""
    low, high = ends
    if divergence_at_most(p, q, high, rho * low):
        return True
    if not divergence_at_most(p, q, high, rho * high):
        return False
    if depth == 0:
        return None
    middle = (low + high) / 2
    halves = [by_halves(p, q, rho, depth - 1, each) for each in ((low, middle), (middle, high))]
    return False if False in halves else None if None in halves else True


def at_every_order(p: Distribution[str], q: Distribution[str], rho: Fraction, depth: int) -> Answer:
    """Decide all orders up to the first whole one at which the greatest ratio is within."""
    if p == q:
        return rho >= 0
    if rho <= 0 or not set(p.support()) <= set(q.support()):
        return False
    greatest = max(share / q.probability_of(x) for x, share in p.items())
    last = next(m for m in count(2) if not Power(NATURAL, rho * m).at_most(greatest))
    return by_halves(p, q, rho, depth, (Fraction(1), Fraction(last)))


RARE, RARER, OUTLIER, RARE_OUTLIER = law(1, 10**6), law(1, 10**9), law(147, 853), law(3, 997)
EVERY = (
    (law(3, 2), law(1, 1), Fraction(1, 40)),
    (OUTLIER, RARE_OUTLIER, Fraction(23, 20)),
    (law(52, 948), law(26, 9974), Fraction(151, 100)),
    (law(1, 1), law(1, 1), Fraction(0)),
    (law(1, 1), law(1, 1), HALF),
    (law(1, 1), law(1, 1), -HALF),
    (law(3, 2), law(1, 1), Fraction(0)),
    (law(1, 1), law(1, 0), Fraction(9)),
    (law(1, 0), law(1, 1), Fraction(3, 4)),
    (law(3, 2), law(1, 1), Fraction(1, 60)),
    (OUTLIER, RARE_OUTLIER, Fraction(1)),
    (RARE, RARER, HALF),
    (RARER, RARE, HALF),
)
"""Two laws and what is promised. What holds comes first, where more depth can only help."""


@search(
    "every order is decided by halves of intervals, as often as the depth allows",
    over=f"{len(EVERY)} pairs of laws, depths up to six",
)
def every_order_is_decided(filters: Filters) -> Mapping[str, object] | None:
    """Compare with the recursion, at depths at which this and that is decided."""
    for (p, q, rho), depth in product(EVERY, range(7)):
        if filters.every_order(p, q, rho, depth) is not at_every_order(p, q, rho, depth):
            return {"P": str(p), "Q": str(q), "rho": rho, "depth": depth}
    return None


SMALL, NOTHING, TENTH = Fraction(1, 50), Fraction(0), Fraction(1, 10)
CLOSE: tuple[tuple[Distribution[str], Distribution[str], Fraction, Fraction, int, Answer], ...] = (
    (law(1, 1), law(1, 1), NOTHING, NOTHING, 0, True),
    (law(1, 0), law(0, 1), Fraction(99), Fraction(1), 9, False),
    (law(9, 1), law(99, 1), NOTHING, TENTH, 9, True),
    (law(9, 1), law(99, 1), NOTHING, TENTH - Fraction(1, 10**9), 9, False),
    (law(45, 45, 10), law(500, 499, 1), SMALL, TENTH, 9, True),
    (law(45, 45, 10), law(500, 499, 1), SMALL, NOTHING, 9, False),
    (law(3, 2), law(1, 1), Fraction(2013, 100_000), NOTHING, 0, None),
    (law(3, 2), law(1, 1), Fraction(1, 40), NOTHING, 9, True),
    (law(1, 10**9), law(1, 10**6), TENTH, NOTHING, 9, False),
    (law(1, 10**6), law(1, 10**9), TENTH, NOTHING, 9, False),
)
"""Two laws, what is promised, how deep it is searched, and the answer."""


@search(
    "two laws are close if they are within rho where something is cut off",
    over=f"{len(CLOSE)} pairs of laws",
)
def closeness_is_decided(filters: Filters) -> Mapping[str, object] | None:
    """Cut off nothing, one outcome, all but one, and slightly less than one."""
    for p, q, rho, delta, depth, wanted in CLOSE:
        if filters.close(p, q, rho, delta, depth) is not wanted:
            return {"P": str(p), "Q": str(q), "rho": rho, "delta": delta, "wanted": str(wanted)}
    return None


@exists("a query that is answered, after which the same query is refused")
def not_vacuous(filters: Filters, query_rho: Fraction, rho: Fraction) -> bool:
    """Show that the filter lets through and that it stops."""
    assume(0 < query_rho, 0 < rho)
    query, caps = Theta(epsilon=query_rho), Theta(epsilon=rho)
    after, first = asked(filters, (), query, caps)
    _, second = asked(filters, after, query, caps)
    return first is not None and second is None


def strictly_below(rho: Fraction, delta: Fraction) -> Filter:
    """Stop where a sum reaches its cap."""
    go_on = filter_on_sums(rho, delta)
    return lambda spent: go_on(spent) and sum(theta.epsilon for theta in spent) < rho


class Prepaid(FilteredMechanism[str]):
    """Begin with something spent."""

    @property
    def initial(self) -> tuple[Theta, ...]:
        """Return a history that nobody asked for."""
        return (Theta(epsilon=Fraction(1)),)


class PayTwice(FilteredMechanism[str]):
    """Record an answered query twice."""

    def step(
        self, state: tuple[Theta, ...], action: tuple[Units, UniversalQuery[str]], draw: Draw
    ) -> tuple[tuple[Theta, ...], str | None]:
        """Add the parameters once more."""
        after, answer = super().step(state, action, draw)
        return (after if answer is None else (*after, after[-1])), answer


class RefuseAll(FilteredMechanism[str]):
    """Answer nothing."""

    def step(
        self, state: tuple[Theta, ...], _: tuple[Units, UniversalQuery[str]], __: Draw
    ) -> tuple[tuple[Theta, ...], str | None]:
        """Refuse the query."""
        return (*state, Theta()), None


PAPERS = Filters()

PROOF = Proof(
    claim="concentrated_filters_compose",
    subject=PAPERS,
    steps=(
        exactly_the_sums,
        initiation,
        preservation,
        responses_add_up,
        steps_multiply,
        adaptive_run,
        orders_are_decided,
        every_order_is_decided,
        closeness_is_decided,
        not_vacuous,
    ),
    controls={
        "a filter that stops too early": replace(PAPERS, filter=strictly_below),
        "the mechanism begins with something spent": replace(PAPERS, mechanism=Prepaid),
        "an answer is recorded twice": replace(PAPERS, mechanism=PayTwice),
        "the larger of two terms stands for their sum": replace(PAPERS, add=max),
        "the larger of two bounds stands for their product": replace(PAPERS, multiply=max),
        "two steps use what one uses": replace(PAPERS, steps=1),
        "a bound that is never attained": replace(
            PAPERS,
            order=lambda p, q, order, bound: bound > 0 and divergence_at_most(p, q, order, bound),
        ),
        "half of the depth": replace(
            PAPERS,
            every_order=lambda p, q, rho, depth: divergence_within_every_order(
                p, q, rho, depth // 2
            ),
        ),
        "nothing is cut off": replace(
            PAPERS,
            close=lambda p, q, rho, _, depth: concentrated_indistinguishable(
                p, q, rho, Fraction(0), depth
            ),
        ),
    },
    unproved_for={"every query is refused": replace(PAPERS, mechanism=RefuseAll)},
)

CHECK = check_of(PROOF, header=__doc__)
