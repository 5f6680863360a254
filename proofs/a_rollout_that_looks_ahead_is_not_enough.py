r"""As repaired by "for every sequence there is a rollout", individual privacy is not enough.

Claim: A mechanism for which every sequence of databases and queries has a rollout within
    $(3 \ln 2, 1/4)$ has an adversary that reaches $\delta = 25/72$ at $3 \ln 2$: the parameters of
    its first step depend on the query that follows. With $\delta_* = 0$ such rollouts are enough:
    then there is an online rollout as well.
Paper: Def. 4.1; Thm. 4.2.
Method: One mechanism is run on exact laws. Its first answer is $b$ with probability 1/2 if $x$ is
    there and 1/4 if not. Then query $A$ shows the bit, marked, with probability 1/4 and else
    answers with odds 4; query $B$ answers with odds 8. Before $A$ the first answer is paid by
    $(\ln 2, 0)$, and $A$ by $(2 \ln 2, 1/4)$; before $B$ it is paid by $(0, 1/4)$, and $B$ by
    $(3 \ln 2, 0)$. The adversary asks $A$ after $a$ and $B$ after $b$. Neither way to pay for the
    first answer is online within the caps. All of this runs through the predicates of the
    definitions. The subject of the proof is who may look ahead.
    For $\delta_* = 0$: take for each step the infimum of its $\varepsilon_t$ over the rollouts of
    all sequences that go on from it. It depends on the sequence up to $t$ alone. It bounds the
    step, because of two factors that bound it the smaller one does, and a bound for every larger
    factor is one for the infimum. It is at most the $\varepsilon_t$ of each rollout, so that its
    sums stay within the caps. With $\delta > 0$ two pairs that bound a step may have a smaller of
    each that does not, which is shown as well.
Assumes: Nothing for the counterexample. For $\delta_* = 0$: an infimum of factors that bound a step
    bounds it, as the inequality is not strict.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

from proofs._check import check_of
from proofs._proof import Proof, assume, exists
from proofs._subjects import for_all_rules, search
from spec.contributions import Unit
from spec.distributions import Distribution, Draw, explore, hockey_stick
from spec.individual_privacy import (
    Rollout,
    Steps,
    Theta,
    individually_private,
    is_rollout,
    within,
)
from spec.interaction import Adversary, Without, interactively_private, transcript
from spec.numbers import Base

State = tuple[int, int]
Asked = tuple[int, str]
Response = str | int | tuple[str, int]
HindsightRollout = Callable[[Steps[int, str]], Rollout]

TWO = Base(Fraction(2))
CAPS = Theta(epsilon=Fraction(3), delta=Fraction(1, 4))


@dataclass(frozen=True, kw_only=True)
class Bit:
    """Remember whether x was ever there, answer twice about it, and then nothing."""

    initial: State = (0, 0)

    def step(self, state: State, action: Asked, draw: Draw) -> tuple[State, Response]:
        """Count the query, remember the bit, and answer by its place and name."""
        answered, bit = state
        database, query = action
        bit |= database
        half, quarter = Fraction(1, 2), Fraction(1, 4)
        law: dict[Response, Fraction] = {"-": Fraction(1)}
        if answered == 0:
            law = {"b": half if bit else quarter, "a": half if bit else 1 - quarter}
        elif answered == 1 and query == "A":
            told, lied = 3 * quarter * Fraction(4, 5), 3 * quarter * Fraction(1, 5)
            law = {("marked", bit): quarter, bit: told, 1 - bit: lied}
        elif answered == 1:
            law = {bit: Fraction(8, 9), 1 - bit: Fraction(1, 9)}
        return (answered + 1, bit), draw(Distribution.of(law))


def emptied(_: int, __: Unit) -> int:
    """Remove x."""
    return 0


def sequences() -> Iterator[list[Asked]]:
    """List the sequences of three databases, with x or without it, and queries."""
    for length in (1, 2, 3):
        for databases in product((0, 1), repeat=length):
            for queries in product("AB", repeat=length):
                yield list(zip(databases, queries, strict=True))


def private_in_hindsight(
    menu: Iterable[Steps[int, str]], pay: HindsightRollout, caps: Theta = CAPS
) -> bool:
    """Decide individual privacy if the parameters of a step may depend on what follows it."""
    return all(
        within(chosen := pay(steps), caps) and is_rollout(Bit(), emptied, "x", steps, chosen, TWO)
        for steps in menu
    )


FIRST_BEFORE = {"A": Theta(epsilon=Fraction(1)), "B": Theta(delta=Fraction(1, 4))}
SECOND = {"A": Theta(epsilon=Fraction(2), delta=Fraction(1, 4)), "B": Theta(epsilon=Fraction(3))}


def in_hindsight(steps: Steps[int, str]) -> tuple[Theta, ...]:
    """Pay for the first answer by what is asked next."""
    queries = [query for _, query in steps]
    if len(queries) == 1:
        return (FIRST_BEFORE["A"],)
    return (FIRST_BEFORE[queries[1]], SECOND[queries[1]], *(Theta() for _ in queries[2:]))


def by_the_answer(responses: tuple[Response, ...]) -> Asked | None:
    """Ask A after a and B after b."""
    if not responses:
        return 1, "A"
    return (0, "A" if responses[0] == "a" else "B") if len(responses) == 1 else None


def always_a(responses: tuple[Response, ...]) -> Asked | None:
    """Ask A twice, whatever the answer."""
    return (1, "A") if len(responses) < 2 else None


@dataclass(frozen=True, kw_only=True)
class Hindsight:
    """Hold how steps are paid, who asks, within what an online rollout stays, and the formulas."""

    pay: HindsightRollout = in_hindsight
    adversary: Adversary[Response, Asked] = by_the_answer
    online_caps: Theta = CAPS
    smaller: Callable[[Fraction, Fraction], Fraction] = min
    add: Callable[[Fraction, Fraction], Fraction] = lambda first, second: first + second
    smaller_delta: Callable[[Fraction, Fraction], Fraction] = min


@search(
    "every sequence has a rollout within the caps, chosen in hindsight",
    by="exact laws",
    over="84 sequences of up to three databases and queries",
)
def every_sequence_has_a_rollout(hindsight: Hindsight) -> Mapping[str, object] | None:
    """Look for a sequence without one."""
    for steps in sequences():
        if not private_in_hindsight([steps], hindsight.pay):
            return {"sequence": steps}
    return None


@search(
    "an adaptive adversary reaches 25/72, above the cap of 1/4",
    by="exact laws",
    over="one mechanism, one adversary",
)
def the_adversary_reaches_more(hindsight: Hindsight) -> Mapping[str, object] | None:
    """Compute the exact delta, and decide privacy against this adversary."""
    without = Without(mechanism=Bit(), neighbour=emptied, unit="x")
    law = explore(lambda draw: transcript(Bit(), hindsight.adversary, draw))
    other = explore(lambda draw: transcript(without, hindsight.adversary, draw))
    power = Fraction(2) ** 3
    found = max(hockey_stick(law, other, power), hockey_stick(other, law, power))
    menu = (hindsight.adversary,)
    private = interactively_private(Bit(), emptied, "x", menu, power, CAPS.delta)
    return {"delta": found} if found != Fraction(25, 72) or private else None


@search(
    "paid online, neither way stays within the caps",
    by="exact laws",
    over="both ways to pay for the first answer, 84 sequences",
)
def neither_is_online(hindsight: Hindsight) -> Mapping[str, object] | None:
    """Look for parameters of the first step that do for both second queries."""
    for first in FIRST_BEFORE.values():
        rollout, caps = online(first), hindsight.online_caps
        if individually_private(Bit(), emptied, "x", sequences(), rollout, caps, TWO):
            return {"epsilon": first.epsilon, "delta": first.delta}
    return None


def online(first: Theta) -> Callable[[Steps[int, str]], Theta]:
    """Return the online rollout that pays for the first answer in one way, whatever follows."""
    return lambda steps: (first, SECOND[steps[-1][1]], Theta())[len(steps) - 1]


@for_all_rules("with delta 0, of two factors that bound a response the smaller one does")
def smaller_factor_bounds(
    hindsight: Hindsight, p: Fraction, q: Fraction, first: Fraction, second: Fraction
) -> bool:
    """Bound a response by both factors, then by the smaller one."""
    assume(0 <= p, 0 <= q, 1 <= first, 1 <= second, p <= first * q, p <= second * q)
    return p <= hindsight.smaller(first, second) * q


@for_all_rules("parameters that are at most those of a rollout have sums within its caps")
def smaller_sums_stay(
    hindsight: Hindsight,
    so_far: Fraction,
    least_so_far: Fraction,
    epsilon: Fraction,
    least: Fraction,
) -> bool:
    """Add one step to two sums of which this is known already."""
    assume(0 <= least_so_far, least_so_far <= so_far, 0 <= least, least <= epsilon)
    return hindsight.add(least_so_far, least) <= so_far + epsilon


@exists("with delta above 0, the smaller of each of two parameters may bound nothing")
def smaller_of_each_does_not(
    hindsight: Hindsight,
    p: Fraction,
    q: Fraction,
    first: Fraction,
    second: Fraction,
    delta: Fraction,
) -> bool:
    r"""Find $(e^{\epsilon}, 0)$ and $(e^{\epsilon'}, \delta)$ that bound a response."""
    assume(0 < p, p <= 1, 0 < q, q <= 1, 1 <= second, second < first, 0 < delta, delta < 1)
    assume(p <= first * q, p <= second * q + delta)
    return p > min(first, second) * q + hindsight.smaller_delta(Fraction(0), delta)


def never_in_hindsight(steps: Steps[int, str]) -> tuple[Theta, ...]:
    """Pay for the first answer as before A, whatever is asked next."""
    return (FIRST_BEFORE["A"], *in_hindsight(steps)[1:])


def below(_: Fraction, __: Fraction) -> Fraction:
    """Take a factor below both."""
    return Fraction(1)


PAPERS = Hindsight()

PROOF = Proof(
    claim="a_rollout_that_looks_ahead_is_not_enough",
    subject=PAPERS,
    bound="one mechanism and adversary; that delta 0 is another matter for all values",
    steps=(
        every_sequence_has_a_rollout,
        the_adversary_reaches_more,
        neither_is_online,
        smaller_factor_bounds,
        smaller_sums_stay,
        smaller_of_each_does_not,
    ),
    controls={
        "the first step is paid without looking ahead": replace(PAPERS, pay=never_in_hindsight),
        "the adversary does not look at the answer": replace(PAPERS, adversary=always_a),
        "caps that an online rollout stays within": replace(
            PAPERS, online_caps=replace(CAPS, epsilon=Fraction(4))
        ),
        "a factor below both": replace(PAPERS, smaller=below),
        "sums with one step too many": replace(PAPERS, add=lambda a, b: a + b + b),
    },
    unproved_for={"the larger delta of two": replace(PAPERS, smaller_delta=max)},
)

CHECK = check_of(
    PROOF,
    method="one mechanism run on exact laws; for δ = 0 the infimum over what follows",
    assumes="an infimum of factors that bound a step bounds it",
)
