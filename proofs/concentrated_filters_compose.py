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
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import cast

from proofs._check import check_of
from proofs._proof import Proof, assume, calculation, exists, for_all
from spec.concentrated import divergence_within_every_order
from spec.distributions import Distribution, Draw, Law, T
from spec.filters import (
    Filter,
    FilteredMechanism,
    Units,
    UniversalQuery,
    basic_filter,
)
from spec.individual_privacy import Theta


def filter_on_sums(rho: Fraction, delta: Fraction) -> Filter:
    """Return the filter of the specification for these caps."""
    return basic_filter(Theta(epsilon=rho, delta=delta))


@dataclass(frozen=True, kw_only=True)
class Filters:
    """Hold the filter for given caps, the mechanism, two formulas, and what two steps may use.

    `steps` is what the composition of two equal steps is compared with, in budgets of one.
    """

    filter: Callable[[Fraction, Fraction], Filter] = filter_on_sums
    mechanism: type[FilteredMechanism[str]] = FilteredMechanism
    add: Callable[[Fraction, Fraction], Fraction] = lambda first, second: first + second
    multiply: Callable[[Fraction, Fraction], Fraction] = lambda first, second: first * second
    steps: int = 2


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
        not_vacuous,
    ),
    controls={
        "a filter that stops too early": replace(PAPERS, filter=strictly_below),
        "the mechanism begins with something spent": replace(PAPERS, mechanism=Prepaid),
        "an answer is recorded twice": replace(PAPERS, mechanism=PayTwice),
        "the larger of two terms stands for their sum": replace(PAPERS, add=max),
        "the larger of two bounds stands for their product": replace(PAPERS, multiply=max),
        "two steps use what one uses": replace(PAPERS, steps=1),
    },
    unproved_for={"every query is refused": replace(PAPERS, mechanism=RefuseAll)},
)

CHECK = check_of(PROOF, header=__doc__)
