r"""Claim: mixtures of indistinguishable pairs are indistinguishable; random adversaries too.

Paper: Fact 5.2; Cor. 5.3.
Method: mixture and randomized_transcript run on symbolic weights; induction on the components.
Assumes: sums over countably many components keep inequalities; an adversary that is random in the
    middle of the interaction may toss all its coins before.

Fix an event $W$ and let $p_i = P_i(W)$ and $q_i = Q_i(W)$ with $p_i \le e^\epsilon q_i + \delta$.

- The mixture gives $W$ the probability $\sum_i \alpha_i p_i$. `mixture` is run for two components,
  all weights and all probabilities, zero and one included; it adds up one component after another,
  so that more components are more of the same steps.
- Induction on the components: if $S \le e^\epsilon R + A\delta$ holds for the sums so far with the
  weights' sum $A$, then $S + \alpha p \le e^\epsilon (R + \alpha q) + (A + \alpha)\delta$. It
  starts with zeros, and all the weights sum to one.
- A random adversary is drawn first. So the law of its transcript is the mixture of the laws of
  deterministic adversaries' transcripts, with the same weights in both worlds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import TypeAlias

from proofs._check import check_of
from proofs._proof import Proof, assume, exists, for_all
from spec.distributions import Distribution, Draw, Law, explore, mixture
from spec.interaction import Adversary, randomized_transcript, transcript


def event(probability: Fraction) -> Distribution[bool]:
    """Return the law of whether an event happens."""
    return Distribution.of({True: probability, False: 1 - probability})


@dataclass(frozen=True, kw_only=True)
class Coin:
    """Answer every question with a coin of the probability asked for."""

    initial: None = None

    def step(self, state: None, action: Fraction, draw: Draw) -> tuple[None, bool]:
        """Toss the coin."""
        return state, draw(event(action))


Tossing: TypeAlias = Adversary[bool, Fraction]


@dataclass(frozen=True, kw_only=True)
class Mixing:
    """Hold how laws are mixed, a component's weight in the other world, and random adversaries."""

    mixture: Callable[[Sequence[Fraction], Sequence[Distribution[bool]]], Distribution[bool]] = (
        mixture
    )
    weight: Callable[[Fraction], Fraction] = lambda weight: weight
    transcript: Callable[[Coin, Law[Tossing], Draw], tuple[bool, ...]] = randomized_transcript


@for_all("a mixture gives an event the weighted sum of its probabilities")
def weighted_sum(mixing: Mixing, weight: Fraction, p: Fraction, r: Fraction) -> bool:
    """Mix two laws; every number is between zero and one, or zero, or one."""
    assume(0 < weight, weight < 1, 0 < p, p < 1, 0 < r, r < 1)
    zero, one = Fraction(0), Fraction(1)
    holds = True
    for first, second in ((weight, 1 - weight), (one, zero), (zero, one)):
        for left, right in product((p, zero, one), (r, zero, one)):
            mixed = mixing.mixture((first, second), (event(left), event(right)))
            holds &= mixed.probability_of(True) == first * left + second * right
    return holds


def assume_component(
    total: Fraction,
    other_total: Fraction,
    weights: Fraction,
    weight: Fraction,
    p: Fraction,
    q: Fraction,
    factor: Fraction,
    delta: Fraction,
) -> None:
    r"""Take sums $S$, $R$ and $A$ for which the inequality holds, and one more component."""
    assume(0 <= weights, 0 <= weight, weights + weight <= 1, 1 <= factor, 0 <= delta)
    assume(0 <= total, 0 <= other_total, 0 <= p, p <= 1, 0 <= q, q <= 1)
    assume(total <= factor * other_total + weights * delta, p <= factor * q + delta)


@for_all("induction on the components: one more keeps the inequality")
def one_more_component(
    mixing: Mixing,
    total: Fraction,
    other_total: Fraction,
    weights: Fraction,
    weight: Fraction,
    p: Fraction,
    q: Fraction,
    factor: Fraction,
    delta: Fraction,
) -> bool:
    r"""Go from $S$, $R$ and $A$ to the sums with one more component."""
    assume_component(total, other_total, weights, weight, p, q, factor, delta)
    other = other_total + mixing.weight(weight) * q
    return total + weight * p <= factor * other + (weights + weight) * delta


def once(responses: tuple[bool, ...]) -> Fraction | None:
    """Toss one coin."""
    return None if responses else Fraction(1, 3)


def twice_after_heads(responses: tuple[bool, ...]) -> Fraction | None:
    """Toss a second coin if the first shows true."""
    return Fraction(1, 4) if responses in ((), (True,)) else None


def law_of(adversary: Tossing) -> Distribution[tuple[bool, ...]]:
    """Return the law of the transcript with one adversary."""
    return explore(lambda draw: transcript(Coin(), adversary, draw))


@for_all("a random adversary's transcript is the mixture of its adversaries' transcripts")
def random_adversary(mixing: Mixing, weight: Fraction) -> bool:
    """Draw one of two adversaries, with any weight, and compare every transcript's probability."""
    assume(0 < weight, weight < 1)
    adversaries: Distribution[Tossing] = Distribution(
        ((once, weight), (twice_after_heads, 1 - weight))
    )
    drawn = explore(lambda draw: mixing.transcript(Coin(), adversaries, draw))
    mixed = mixture((weight, 1 - weight), (law_of(once), law_of(twice_after_heads)))
    outcomes = {*drawn.support(), *mixed.support()}
    return len(outcomes) == 4 and all(
        drawn.probability_of(seen) == mixed.probability_of(seen) for seen in outcomes
    )


@exists("one more component at which the inequality is attained")
def not_vacuous(
    mixing: Mixing,
    total: Fraction,
    other_total: Fraction,
    weights: Fraction,
    weight: Fraction,
    p: Fraction,
    q: Fraction,
    factor: Fraction,
    delta: Fraction,
) -> bool:
    """Find a component that counts, with a loss and a delta that are positive."""
    assume_component(total, other_total, weights, weight, p, q, factor, delta)
    other = other_total + mixing.weight(weight) * q
    attained = total + weight * p == factor * other + (weights + weight) * delta
    return (0 < weights) & (0 < weight) & (0 < q) & (1 < factor) & (0 < delta) & attained


def uniform_mixture(
    weights: Sequence[Fraction], distributions: Sequence[Distribution[bool]]
) -> Distribution[bool]:
    """Let every component count the same."""
    return mixture([Fraction(1, len(weights)) for _ in weights], distributions)


def first_adversary(coin: Coin, adversaries: Law[Tossing], draw: Draw) -> tuple[bool, ...]:
    """Draw an adversary, and let the first one interact all the same."""
    draw(adversaries)
    return transcript(coin, once, draw)


PAPERS = Mixing()

PROOF = Proof(
    claim="joint_convexity",
    subject=PAPERS,
    steps=(weighted_sum, one_more_component, random_adversary, not_vacuous),
    controls={
        "weights that are ignored": replace(PAPERS, mixture=uniform_mixture),
        "weights that differ between the worlds": replace(
            PAPERS, weight=lambda weight: weight * weight
        ),
        "an adversary that is not the one drawn": replace(PAPERS, transcript=first_adversary),
    },
    unproved_for={
        "components that count twice in the other world": replace(
            PAPERS, weight=lambda weight: 2 * weight
        ),
    },
)

CHECK = check_of(PROOF, header=__doc__)
