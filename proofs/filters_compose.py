r"""The universal mechanism with a filter on the sums is private.

Claim: $\mathcal{M}_{\phi_{\varepsilon,\delta}}$ is $(\varepsilon, \delta)$-private against stable
    adversaries.
Paper: Lem. 4.9.
Method: Let $s$ be the sums of the parameters in the state. Whatever the adversary does from there
    on, every event $W$ has
    $P(W) \le e^{\varepsilon - s_\varepsilon} Q(W) + \delta - s_\delta$. This is shown by backward
    induction on the transcript. The mechanism's own step is run on a symbolic history and query:
    if it answers, the sums with the query's $\theta$ are within the caps; if it refuses, the sums
    stay and the answer is $\bot$ in both worlds. For an answered query, the two laws of the answer
    $r$ satisfy $P_1(r) \le e^{\varepsilon_1} Q_1(r) + \mu(r)$ with $\sum_r \mu(r) \le \delta_1$,
    and the rest of the transcript is bounded by the induction hypothesis. One inequality per answer
    and its sum over the answers give the step.
    A history enters by its sums only, so that one entry may stand for all that came before.
Assumes: Each query satisfies the $\theta$ that it claims. The adversary asks finitely often.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from proofs._check import check_of
from proofs._proof import Proof, assume, exists
from proofs._subjects import certain, for_all_rules, name, unchecked
from spec.distributions import Draw
from spec.filters import NOTHING, Filter, FilteredMechanism, Units, UniversalQuery, basic_filter
from spec.individual_privacy import Rollout, Theta

MakeFilter = Callable[[Theta], Filter]

X, Z = name(str, "unit x"), name(str, "unit z")
WITH_X: Units = frozenset({X, Z})
ANSWER = name(str, "the answer")


def theta(epsilon: Fraction, delta: Fraction) -> Theta:
    """Return privacy parameters."""
    assume(0 <= epsilon, 0 <= delta)
    return unchecked(Theta, epsilon=epsilon, delta=delta)


def asked(parameters: Theta) -> UniversalQuery[str]:
    """Return a query that always gives the same answer."""
    return UniversalQuery(answer=lambda _: ANSWER, theta=parameters)  # type: ignore[arg-type, return-value]


@dataclass(frozen=True, kw_only=True)
class Composition:
    """Hold the filter, the mechanism, the bound on one answer, and how bounds are added."""

    make: MakeFilter = basic_filter
    mechanism: type[FilteredMechanism[str]] = FilteredMechanism
    bound: Callable[[Fraction, Fraction, Fraction], Fraction] = lambda ratio, excess, rest: (
        ratio + excess + rest
    )
    add: Callable[[Fraction, Fraction], Fraction] = lambda first, second: first + second

    def with_caps(self, caps: Theta) -> FilteredMechanism[str]:
        """Return the mechanism with these caps."""
        return self.mechanism(go_on=self.make(caps))


def sums(state: Rollout) -> tuple[Fraction, Fraction]:
    """Add up the parameters of a history."""
    zero = Fraction(0)
    return sum((t.epsilon for t in state), zero), sum((t.delta for t in state), zero)


@for_all_rules("initiation: an empty history is within the caps")
def initiation(composition: Composition, epsilon_cap: Fraction, delta_cap: Fraction) -> bool:
    """Start with nothing spent."""
    mechanism = composition.with_caps(theta(epsilon_cap, delta_cap))
    epsilon, delta = sums(mechanism.initial)
    return (epsilon <= epsilon_cap) & (delta <= delta_cap)


@for_all_rules("preservation: an answer is paid within the caps, a refusal costs nothing")
def sums_stay_within(
    composition: Composition,
    epsilon_cap: Fraction,
    delta_cap: Fraction,
    spent_epsilon: Fraction,
    spent_delta: Fraction,
    epsilon: Fraction,
    delta: Fraction,
) -> bool:
    """Run the mechanism's step on a history of one entry and a query."""
    assume(spent_epsilon <= epsilon_cap, spent_delta <= delta_cap)
    mechanism = composition.with_caps(theta(epsilon_cap, delta_cap))
    before = (theta(spent_epsilon, spent_delta),)
    after, answer = mechanism.step(before, (WITH_X, asked(theta(epsilon, delta))), certain)
    now = sums(after)
    if answer is None:
        return (now[0] == spent_epsilon) & (now[1] == spent_delta)
    paid = (now[0] == spent_epsilon + epsilon) & (now[1] == spent_delta + delta)
    return paid & (now[0] <= epsilon_cap) & (now[1] <= delta_cap)


@for_all_rules("whether a query is answered does not depend on the database")
def refusal_is_public(
    composition: Composition,
    epsilon_cap: Fraction,
    delta_cap: Fraction,
    spent_epsilon: Fraction,
    spent_delta: Fraction,
    epsilon: Fraction,
    delta: Fraction,
) -> bool:
    """Run the step with a unit and without it, beside another one."""
    mechanism = composition.with_caps(theta(epsilon_cap, delta_cap))
    before = (theta(spent_epsilon, spent_delta),)
    query = asked(theta(epsilon, delta))
    with_x, answer = mechanism.step(before, (WITH_X, query), certain)
    without, other = mechanism.step(before, (WITH_X - {X}, query), certain)
    same = (sums(with_x)[0] == sums(without)[0]) & (sums(with_x)[1] == sums(without)[1])
    return same & ((answer is None) == (other is None))


@for_all_rules("induction step: one answer, then the rest of the transcript")
def one_answer(
    composition: Composition,
    p: Fraction,
    q: Fraction,
    excess: Fraction,
    rest_p: Fraction,
    rest_q: Fraction,
    factor: Fraction,
    rest_factor: Fraction,
    rest_delta: Fraction,
) -> bool:
    r"""Show $P_1 P_2 \le e^{\varepsilon_1 + \varepsilon_2} Q_1 Q_2 + \mu + P_1 \delta_2$."""
    assume(0 <= p, p <= 1, 0 <= q, q <= 1, 0 <= rest_p, rest_p <= 1, 0 <= rest_q, rest_q <= 1)
    assume(factor >= 1, rest_factor >= 1, excess >= 0, rest_delta >= 0)
    assume(p <= factor * q + excess, rest_p <= rest_factor * rest_q + rest_delta)
    ratio = factor * rest_factor * q * rest_q
    return p * rest_p <= composition.bound(ratio, excess, p * rest_delta)


@for_all_rules("induction step: answers add up to the delta of the query and that of the rest")
def answers_add_up(
    composition: Composition,
    excess: Fraction,
    more: Fraction,
    query_delta: Fraction,
    p: Fraction,
    more_p: Fraction,
    rest_delta: Fraction,
) -> bool:
    """Add the terms of two answers, or of one answer and all others."""
    assume(0 <= excess, 0 <= more, excess + more <= query_delta, 0 <= rest_delta)
    assume(0 <= p, 0 <= more_p, p + more_p <= 1)
    total = composition.add(excess + p * rest_delta, more + more_p * rest_delta)
    return total <= query_delta + rest_delta


@exists("not vacuous: a query is answered, and the same query again is refused")
def answered_then_refused(composition: Composition, epsilon: Fraction) -> bool:
    """Find a query that fits once."""
    assume(epsilon > 0)
    mechanism = composition.with_caps(theta(Fraction(1), Fraction(0)))
    query = asked(theta(epsilon, Fraction(0)))
    state, first = mechanism.step((), (WITH_X, query), certain)
    _, second = mechanism.step(state, (WITH_X, query), certain)
    return first is not None and second is None


def compare_before_adding(caps: Theta) -> Filter:
    """Look at the parameters before the last."""
    return lambda spent: basic_filter(caps)(spent[:-1])


def forget_delta(caps: Theta) -> Filter:
    """Look at ε only."""
    return lambda spent: sums(spent)[0] <= caps.epsilon


def refuse_all(_: Theta) -> Filter:
    """Refuse every query."""
    return lambda _: False


class Prepaid(FilteredMechanism[str]):
    """Begin with something spent."""

    @property
    def initial(self) -> tuple[Theta, ...]:
        """Return a history that nobody asked for."""
        return (Theta(epsilon=Fraction(1)),)


class OnlyIfThere(FilteredMechanism[str]):
    """Answer only if x is in the database."""

    def step(
        self, state: tuple[Theta, ...], action: tuple[Units, UniversalQuery[str]], draw: Draw
    ) -> tuple[tuple[Theta, ...], str | None]:
        """Refuse the query if x is not there."""
        after, answer = super().step(state, action, draw)
        return (after, answer) if X in action[0] else ((*state, NOTHING), None)


PAPERS = Composition()

PROOF = Proof(
    claim="filters_compose",
    subject=PAPERS,
    steps=(
        initiation,
        sums_stay_within,
        refusal_is_public,
        one_answer,
        answers_add_up,
        answered_then_refused,
    ),
    controls={
        "the mechanism begins with something spent": replace(PAPERS, mechanism=Prepaid),
        "the filter compares before adding": replace(PAPERS, make=compare_before_adding),
        "the filter forgets delta": replace(PAPERS, make=forget_delta),
        "the mechanism answers only if x is there": replace(PAPERS, mechanism=OnlyIfThere),
        "the delta of an answer is forgotten": replace(
            PAPERS, bound=lambda ratio, _, rest: ratio + rest
        ),
        "an answer is counted twice": replace(PAPERS, add=lambda first, second: first + 2 * second),
    },
    unproved_for={"every query is refused": replace(PAPERS, make=refuse_all)},
)

CHECK = check_of(
    PROOF,
    method="invariant on the sums, backward induction on the transcript",
    assumes="queries satisfy what they claim; finitely many queries",
)
