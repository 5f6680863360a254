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

The laws themselves are those of `spec.distributions`. They are asked by themselves: for weights and
what is made of them, for the divergence against every event, and for all runs of a step that draws.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import TypeAlias

from proofs._check import check_of
from proofs._proof import Proof, assume, exists, for_all
from proofs._subjects import search
from spec.distributions import (
    Distribution,
    Draw,
    Law,
    coin,
    explore,
    hockey_stick,
    indistinguishable,
    mixture,
)
from spec.interaction import Adversary, randomized_transcript, transcript
from spec.numbers import NATURAL, Base, Power, SpecError


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
Weights: TypeAlias = Mapping[str, Fraction | int]
Bound: TypeAlias = Fraction | Power
Explore: TypeAlias = Callable[[Callable[[Draw], object]], Distribution[object]]


@dataclass(frozen=True, kw_only=True)
class Mixing:
    """Hold how laws are mixed, a component's weight in the other world, and random adversaries.

    `law` makes a law, `close` compares two of them, and `explored` is the law of a step that draws.
    """

    mixture: Callable[[Sequence[Fraction], Sequence[Distribution[bool]]], Distribution[bool]] = (
        mixture
    )
    weight: Callable[[Fraction], Fraction] = lambda weight: weight
    transcript: Callable[[Coin, Law[Tossing], Draw], tuple[bool, ...]] = randomized_transcript
    law: Callable[[Weights], Distribution[str]] = Distribution.of
    close: Callable[[Distribution[str], Distribution[str], Bound, Fraction], bool] = (
        indistinguishable
    )
    explored: Explore = explore


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


def refused(make: Callable[[], object]) -> bool:
    """Tell whether something is refused."""
    try:
        make()
    except SpecError:
        return True
    return False


def first_wrong(found: Mapping[str, tuple[object, object]]) -> Mapping[str, object] | None:
    """Write down the first of several things that is not what it should be."""
    for name, (there, wanted) in found.items():
        if there != wanted:
            return {"what": name, "came out": str(there), "wanted": str(wanted)}
    return None


HALF, THIRD, SIXTH = Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)


@search(
    "what is made of a law has the weights that it should have", over="laws of up to three outcomes"
)
def weights_are_exact(mixing: Mixing) -> Mapping[str, object] | None:
    """Make laws, ask for events, take images, draw again, and condition."""
    law = mixing.law({"a": HALF, "b": THIRD, "c": SIXTH, "d": 0})
    again = mixing.law({"c": SIXTH, "b": THIRD, "a": HALF})
    twice = law.then(lambda x: coin(HALF) if x == "a" else Distribution.certain(True))
    bad: tuple[Weights, ...] = ({}, {"a": HALF}, {"a": Fraction(3, 2), "b": -HALF}, {"a": 2})
    return first_wrong(
        {
            "weights": (dict(law.items()), {"a": HALF, "b": THIRD, "c": SIXTH}),
            "support": (list(law), ["a", "b", "c"]),
            "outcomes": ([law.probability_of(x) for x in "ad"], [HALF, 0]),
            "events": ([law.probability(set(x).__contains__) for x in ("", "bc")], [0, HALF]),
            "image": (dict(law.map("a".__eq__).items()), {True: HALF, False: HALF}),
            "second draw": (dict(twice.items()), {True: Fraction(3, 4), False: Fraction(1, 4)}),
            "given b or c": (
                dict(law.given("bc".__contains__).items()),
                {"b": 2 * THIRD, "c": THIRD},
            ),
            "given anything": (law.given("abc".__contains__), law),
            "certain": (dict(Distribution.certain("a").items()), {"a": 1}),
            "uniform": (dict(Distribution.uniform("abc").items()), dict.fromkeys("abc", THIRD)),
            "coins": (
                [dict(coin(each).items()) for each in (Fraction(1), THIRD)],
                [{True: 1}, {True: THIRD, False: 2 * THIRD}],
            ),
            "equal": (
                (law == again, hash(law) == hash(again), law == twice, law == "law"),
                (True, True, False, False),
            ),
            "refused": (
                [refused(lambda given=each: mixing.law(given)) for each in bad],  # type: ignore[misc]
                [True] * len(bad),
            ),
            "refused as they are": (
                [
                    refused(lambda given=each: Distribution(given))  # type: ignore[misc]
                    for each in (
                        (("a", HALF), ("a", HALF)),
                        (("a", Fraction(1)), ("b", Fraction(0))),
                    )
                ],
                [True, True],
            ),
            "refused events": (refused(lambda: law.given("d".__eq__)), True),
            "refused uniform": (refused(lambda: Distribution.uniform("")), True),
            "refused mixture": (refused(lambda: mixture((HALF, HALF), (law,))), True),
        }
    )


DIVERGING = tuple(
    Distribution.of(dict(zip("abc", (Fraction(n, 8) for n in each), strict=True)))
    for each in ((8, 0, 0), (4, 4, 0), (5, 2, 1), (1, 2, 5), (0, 4, 4))
)
TWO = Base(Fraction(2))
BITS = 128
"""The precision of the fractions beside an irrational power."""


def gain(p: Distribution[str], q: Distribution[str], power: Fraction) -> Fraction:
    """Return what the best of all events gains."""
    events = ("", "a", "b", "c", "ab", "ac", "bc", "abc")
    chances = [
        (p.probability(set(x).__contains__), q.probability(set(x).__contains__)) for x in events
    ]
    return max(there - power * here for there, here in chances)


@search(
    "two laws are close exactly if no event gains more than delta",
    over="25 pairs of laws, fractions, powers of two and of e",
)
def events_decide(mixing: Mixing) -> Mapping[str, object] | None:
    """Take the delta that is needed and a little less; for e, ratios just beside its power."""
    least = Fraction(1, 10**9)
    for (p, q), exponent in product(product(DIVERGING, DIVERGING), (-1, 0, 1, 2)):
        power = Fraction(2) ** exponent
        needed = max(gain(p, q, power), gain(q, p, power))
        if hockey_stick(p, q, power) != gain(p, q, power):
            return {"P": str(p), "Q": str(q), "power": power}
        written: tuple[Bound, ...] = (power, Power(TWO, Fraction(exponent)))
        for each, delta in product(written, (needed, needed - least)):
            if mixing.close(p, q, each, delta) is not (delta == needed):
                return {"P": str(p), "Q": str(q), "power": str(each), "delta": delta}
    euler, even = Power(NATURAL, Fraction(1)), Distribution.of({"a": HALF, "b": HALF})
    for ratio, below in zip(euler.enclosure(BITS), (True, False), strict=True):
        bent = Distribution.of({"a": HALF / ratio, "b": 1 - HALF / ratio})
        if mixing.close(even, bent, euler, Fraction(0)) is not below:
            return {"ratio": ratio}
    return None


@dataclass(frozen=True)
class Listed(Law[str]):
    """List weights that need not be probabilities."""

    listed: tuple[tuple[str, Fraction], ...] = ()

    def outcomes(self) -> Iterable[tuple[str, Fraction]]:
        """List them."""
        return self.listed


def one_or_two_draws(draw: Draw) -> object:
    """Draw a second time after the first outcome, from what lists a weight of zero."""
    second = Listed((("x", THIRD), ("y", Fraction(0)), ("z", 2 * THIRD)))
    return draw("plain"), draw(second) if draw(coin(HALF)) else draw(Listed((("x", Fraction(1)),)))


def other_draws(laws: list[Law[bool]]) -> Callable[[Draw], object]:
    """Return a step that draws from another law, or none, whenever it is run."""
    return lambda draw: tuple(draw(laws.pop(0)) for _ in laws[:1])


@search(
    "a step that draws has the law of all its runs", over="two draws, and lists that are no laws"
)
def runs_are_explored(mixing: Mixing) -> Mapping[str, object] | None:
    """Explore a step, and steps that have no law."""
    bad = (
        (),
        (("x", HALF),),
        (("x", Fraction(3, 2)), ("y", -HALF)),
        (("x", Fraction(0)),),
    )
    steps: list[Callable[[Draw], object]] = [lambda draw, x=each: draw(Listed(x)) for each in bad]  # type: ignore[misc]
    steps += [other_draws([coin(HALF), coin(THIRD)]), other_draws([coin(HALF)])]
    wanted = {("plain", "x"): SIXTH + HALF, ("plain", "z"): THIRD}
    return first_wrong(
        {
            "runs": (dict(mixing.explored(one_or_two_draws).items()), wanted),
            "refused": (
                [refused(lambda run=each: mixing.explored(run)) for each in steps],  # type: ignore[misc]
                [True] * len(steps),
            ),
        }
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


def in_halves(weights: Weights) -> Distribution[str]:
    """Take a third for a half, where there are three outcomes."""
    return Distribution.uniform("abc") if len(weights) == 4 else Distribution.of(weights)


PAPERS = Mixing()

PROOF = Proof(
    claim="joint_convexity",
    subject=PAPERS,
    steps=(
        weighted_sum,
        one_more_component,
        random_adversary,
        weights_are_exact,
        events_decide,
        runs_are_explored,
        not_vacuous,
    ),
    controls={
        "weights that are ignored": replace(PAPERS, mixture=uniform_mixture),
        "weights that differ between the worlds": replace(
            PAPERS, weight=lambda weight: weight * weight
        ),
        "an adversary that is not the one drawn": replace(PAPERS, transcript=first_adversary),
        "weights that are made equal": replace(PAPERS, law=in_halves),
        "laws that are close below delta only": replace(
            PAPERS,
            close=lambda p, q, power, delta: indistinguishable(
                p, q, power, delta - Fraction(1, 10**12)
            ),
        ),
        "the first run for all runs": replace(
            PAPERS, explored=lambda step: Distribution.certain(explore(step).support()[0])
        ),
    },
    unproved_for={
        "components that count twice in the other world": replace(
            PAPERS, weight=lambda weight: 2 * weight
        ),
    },
)

CHECK = check_of(PROOF, header=__doc__)
