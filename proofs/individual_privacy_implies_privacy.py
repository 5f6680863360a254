r"""Claim: a mechanism whose rollouts sum to at most the caps is private, whoever asks.

Paper: Thm. 4.2.
Method: one inequality per response, summed over the responses; backward induction on the
    transcript; an adaptive run of a mechanism with a state.
Assumes: the next state is determined by state, database and query; a rollout compares the two
    histories; the adversary halts with probability one, and a transcript of any length is the limit
    of those up to a length; sums over countably many responses keep inequalities.

Fix a unit, an adversary and a set $W$ of transcripts. After the responses so far everything but the
next response is determined: the databases, the queries, both states, and the next parameters
$(\epsilon_1, \delta_1)$ of the rollout. Let $P(W)$ and $Q(W)$ be the probabilities that the
transcript ends up in $W$, in the two worlds, given the responses so far. Let $(\epsilon, \delta)$
be what the responses so far have left of the caps. The claim of the induction is
$P(W) \le e^\epsilon Q(W) + \delta$.

- Where the adversary halts, $P(W) = Q(W)$ is zero or one.
- Otherwise let the next response $r$ have the probabilities $P_1$ and $Q_1$, and let $P_2$ and
  $Q_2$ be those of $W$ given $r$ as well. By the claim for one step later,
  $P_2 \le e^{\epsilon_2} Q_2 + \delta_2$ with $\epsilon_2 = \epsilon - \epsilon_1$ and
  $\delta_2 = \delta - \delta_1$, whatever $r$ is. With $\mu = \max(0, P_1 - e^{\epsilon_1} Q_1)$
  the inequality is $P_1 P_2 \le e^{\epsilon_1 + \epsilon_2} Q_1 Q_2 + \mu + P_1 \delta_2$.
- Summed over $r$, the $\mu$ are the divergence between the two laws of the next response, at most
  $\delta_1$, and the $P_1$ sum to one. So $P(W) \le e^\epsilon Q(W) + \delta_1 + \delta_2$.

Before the first response the claim is the theorem, for adversaries that halt after a bounded number
of steps. For others, $W$ is the limit of its transcripts up to a length. The worlds are symmetric.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from proofs._check import check_of
from proofs._proof import Proof, assume, calculation, exists, for_all
from spec.contributions import Unit
from spec.distributions import Distribution, Draw, explore, hockey_stick
from spec.individual_privacy import Theta, is_rollout, within
from spec.interaction import Without, transcript
from spec.numbers import Base


def paper_bound(
    factor: Fraction, rest: Fraction, q1: Fraction, q2: Fraction, excess: Fraction, missed: Fraction
) -> Fraction:
    r"""Return $e^{\epsilon_1} e^{\epsilon_2} Q_1 Q_2 + \mu + P_1 \delta_2$."""
    return factor * rest * (q1 * q2) + excess + missed


@dataclass(frozen=True, kw_only=True)
class Composition:
    """Hold the bound on one response, and what is left of the caps."""

    bound: Callable[[Fraction, Fraction, Fraction, Fraction, Fraction, Fraction], Fraction] = (
        paper_bound
    )
    within: Callable[[tuple[Theta, ...], Theta], bool] = within


@for_all("one response: the next step and the rest compose")
def one_response(
    composition: Composition,
    p1: Fraction,
    q1: Fraction,
    p2: Fraction,
    q2: Fraction,
    factor: Fraction,
    rest: Fraction,
    excess: Fraction,
    delta2: Fraction,
) -> bool:
    r"""Take $e^{\epsilon_1}$ as the factor and $e^{\epsilon_2}$ as the rest, both at least one."""
    assume(0 <= p1, p1 <= 1, 0 <= q1, q1 <= 1, 0 <= p2, p2 <= 1, 0 <= q2, q2 <= 1)
    assume(1 <= factor, 1 <= rest, 0 <= excess, 0 <= delta2)
    assume(p1 <= factor * q1 + excess, p2 <= rest * q2 + delta2)
    return p1 * p2 <= composition.bound(factor, rest, q1, q2, excess, p1 * delta2)


@for_all("induction on the responses: bounds add up")
def responses_add_up(
    _: Composition,
    p: Fraction,
    q: Fraction,
    m: Fraction,
    r: Fraction,
    s: Fraction,
    n: Fraction,
    factor: Fraction,
) -> bool:
    """Add one more response."""
    assume(p <= factor * q + m, r <= factor * s + n)
    return p + r <= factor * (q + s) + (m + n)


@for_all("the divergence is the sum of the excesses of the responses")
def excesses_are_the_divergence(
    _: Composition, a: Fraction, b: Fraction, c: Fraction, d: Fraction, factor: Fraction
) -> bool:
    """Run `hockey_stick` on two laws of three responses."""
    assume(0 < a, 0 < b, a + b < 1, 0 < c, 0 < d, c + d < 1, 1 <= factor)
    p = Distribution((("r", a), ("s", b), ("t", 1 - a - b)))
    q = Distribution((("r", c), ("s", d), ("t", 1 - c - d)))
    excesses = [p.probability_of(r) - factor * q.probability_of(r) for r in "rst"]
    return hockey_stick(p, q, factor) == sum(max(Fraction(0), excess) for excess in excesses)


@for_all("what a step leaves of the caps is enough for the rest, and is not negative")
def rest_of_the_caps(
    composition: Composition,
    epsilon_1: Fraction,
    delta_1: Fraction,
    epsilon_2: Fraction,
    delta_2: Fraction,
    epsilon: Fraction,
    delta: Fraction,
) -> bool:
    """Run `within` on a rollout of two steps, the second of which stands for all that follow."""
    assume(0 <= epsilon_1, 0 <= epsilon_2, 0 <= delta_1, 0 <= delta_2, 0 <= epsilon)
    assume(delta_1 <= 1, delta_2 <= 1, 0 <= delta, delta <= 1)
    first, second = Theta(epsilon=epsilon_1, delta=delta_1), Theta(epsilon=epsilon_2, delta=delta_2)
    if not composition.within((first, second), Theta(epsilon=epsilon, delta=delta)):
        return True
    if not (epsilon_1 <= epsilon) & (delta_1 <= delta):
        return False
    return within((second,), Theta(epsilon=epsilon - epsilon_1, delta=delta - delta_1))


@exists("the inequality can be attained")
def not_vacuous(
    composition: Composition,
    p1: Fraction,
    q1: Fraction,
    p2: Fraction,
    q2: Fraction,
    delta2: Fraction,
) -> bool:
    r"""Take $e^{\epsilon_1} = e^{\epsilon_2} = 2$ and a response without excess."""
    assume(0 < p1, p1 <= 1, 0 < q1, q1 <= 1, 0 < p2, p2 <= 1, 0 < q2, q2 <= 1)
    assume(0 < delta2, p1 <= 2 * q1, p2 <= 2 * q2 + delta2)
    two = Fraction(2)
    return p1 * p2 == composition.bound(two, two, q1, q2, Fraction(0), p1 * delta2)


@dataclass(frozen=True, kw_only=True)
class Parity:
    """Store every database, and answer with the parity of all so far, randomly and with a leak.

    A question is a pair: the odds of the truth, and the probability to say that it is the truth.
    """

    initial: int = 0

    def step(
        self, state: int, action: tuple[int, tuple[int, Fraction]], draw: Draw
    ) -> tuple[int, tuple[bool, int]]:
        """Answer with the parity of the new state."""
        database, (odds, leak) = action
        state += database
        truth, kept = state % 2, (1 - leak) / (odds + 1)
        law = {(True, truth): leak, (False, truth): kept * odds, (False, 1 - truth): kept}
        return state, draw(Distribution.of(law))


FIRST, LIKELY, OTHERWISE = (2, Fraction(1, 10)), (2, Fraction(0)), (4, Fraction(1, 20))


def adaptive(responses: tuple[tuple[bool, int], ...]) -> tuple[int, tuple[int, Fraction]] | None:
    """Ask twice; the second question depends on the first answer, the database does not change."""
    if not responses:
        return 1, FIRST
    if len(responses) == 1:
        return 0, LIKELY if responses[0][1] else OTHERWISE
    return None


def emptied(_: int, __: Unit) -> int:
    """Remove the unit's records."""
    return 0


@calculation(
    "an adaptive run: two rollouts within the caps, and the transcripts are",
    by="exact",
    over="one mechanism and adversary",
)
def adaptive_run(composition: Composition) -> bool:
    r"""Count $\epsilon$ in units of $\ln 2$; the worst path uses three of them."""
    caps, base = Theta(epsilon=Fraction(3), delta=Fraction(3, 20)), Base(Fraction(2))
    rollouts = (
        (LIKELY, (Theta(epsilon=Fraction(1), delta=Fraction(1, 10)), Theta(epsilon=Fraction(1)))),
        (
            OTHERWISE,
            (
                Theta(epsilon=Fraction(1), delta=Fraction(1, 10)),
                Theta(epsilon=Fraction(2), delta=Fraction(1, 20)),
            ),
        ),
    )
    individual = all(
        is_rollout(Parity(), emptied, "x", ((1, FIRST), (0, second)), rollout, base)
        and composition.within(rollout, caps)
        for second, rollout in rollouts
    )
    without = Without(mechanism=Parity(), neighbour=emptied, unit="x")
    p = explore(lambda draw: transcript(Parity(), adaptive, draw))
    q = explore(lambda draw: transcript(without, adaptive, draw))
    power = Fraction(2) ** 3
    private = max(hockey_stick(p, q, power), hockey_stick(q, p, power)) <= caps.delta
    return individual and private and hockey_stick(p, q, Fraction(4)) > 0


def bound_without_excess(
    factor: Fraction, rest: Fraction, q1: Fraction, q2: Fraction, _: Fraction, missed: Fraction
) -> Fraction:
    r"""Forget the $\delta$ of the step itself."""
    return paper_bound(factor, rest, q1, q2, Fraction(0), missed)


def bound_by_the_worse_step(
    factor: Fraction, rest: Fraction, q1: Fraction, q2: Fraction, excess: Fraction, missed: Fraction
) -> Fraction:
    r"""Take the larger $\epsilon$ instead of the sum."""
    return paper_bound(max(factor, rest), Fraction(1), q1, q2, excess, missed)


def each_within(rollout: tuple[Theta, ...], caps: Theta) -> bool:
    """Compare every step with the caps instead of the sum."""
    return all(within((theta,), caps) for theta in rollout)


PAPERS = Composition()

PROOF = Proof(
    claim="individual_privacy_implies_privacy",
    subject=PAPERS,
    steps=(
        one_response,
        responses_add_up,
        excesses_are_the_divergence,
        rest_of_the_caps,
        adaptive_run,
        not_vacuous,
    ),
    controls={
        "the delta of a step is forgotten": replace(PAPERS, bound=bound_without_excess),
        "epsilons do not add up": replace(PAPERS, bound=bound_by_the_worse_step),
        "steps are compared with the caps one by one": replace(PAPERS, within=each_within),
    },
)

CHECK = check_of(PROOF, header=__doc__)
