r"""Claim: a mechanism with an online rollout within the caps is private, whoever asks.

Paper: Thm. 4.2.
Method: one inequality per response, summed over the responses; backward induction on the
    transcript; an adaptive run of a mechanism with a state.
Assumes: the next state is determined by state, database and query; a rollout compares the two
    histories, and its parameters are a function of the databases and queries so far; the adversary
    halts with probability one, and a transcript of any length is the limit of those up to a length;
    sums over countably many responses keep inequalities.

Fix a unit, an adversary and a set $W$ of transcripts. After the responses so far everything but the
next response is determined: the databases and queries so far and the next, both states, and
therefore the next parameters $(\epsilon_1, \delta_1)$ of the online rollout. Let $P(W)$ and
$Q(W)$ be the probabilities that the transcript ends up in $W$, in the two worlds, given the
responses so far. Let $(\epsilon, \delta)$ be what the responses so far have left of the caps. The
claim of the induction is $P(W) \le e^\epsilon Q(W) + \delta$.

- Where the adversary halts, $P(W) = Q(W)$ is zero or one.
- Otherwise let the next response $r$ have the probabilities $P_1$ and $Q_1$, and let $P_2$ and
  $Q_2$ be those of $W$ given $r$ as well. By the claim for one step later,
  $P_2 \le e^{\epsilon_2} Q_2 + \delta_2$ with $\epsilon_2 = \epsilon - \epsilon_1$ and
  $\delta_2 = \delta - \delta_1$, whatever $r$ is. With $\mu = \max(0, P_1 - e^{\epsilon_1} Q_1)$
  the inequality is $P_1 P_2 \le e^{\epsilon_1 + \epsilon_2} Q_1 Q_2 + \mu + P_1 \delta_2$.
- Summed over $r$, the $\mu$ are the divergence between the two laws of the next response, at most
  $\delta_1$, and the $P_1$ sum to one. So $P(W) \le e^\epsilon Q(W) + \delta_1 + \delta_2$.

The last step needs one $(\epsilon_1, \delta_1)$ for all $r$. The next query depends on $r$, so
that a rollout which looks ahead has others for each $r$; then the $\mu$ belong to different
divergences and may sum to more. The step runs `along`, which asks for the parameters of a step with
the sequence up to it, and is refuted for a copy that looks one step ahead. What follows from such a
rollout is shown by a_rollout_that_looks_ahead_is_not_enough.

Before the first response the claim is the theorem, for adversaries that halt after a bounded number
of steps. For others, $W$ is the limit of its transcripts up to a length. The worlds are symmetric.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction

from proofs._check import check_of
from proofs._proof import Proof, assume, calculation, exists, for_all
from proofs._subjects import unchecked
from spec.contributions import Unit
from spec.distributions import Distribution, Draw, hockey_stick
from spec.individual_privacy import (
    OnlineRollout,
    Rollout,
    Steps,
    Theta,
    along,
    individually_private,
    within,
)
from spec.interaction import Mechanism, interactively_private
from spec.numbers import Base

Asked = tuple[int, tuple[int, Fraction]]
"""A database, and a question: the odds of the truth, and how often it is marked as the truth."""


def paper_bound(
    factor: Fraction, rest: Fraction, q1: Fraction, q2: Fraction, excess: Fraction, missed: Fraction
) -> Fraction:
    r"""Return $e^{\epsilon_1} e^{\epsilon_2} Q_1 Q_2 + \mu + P_1 \delta_2$."""
    return factor * rest * (q1 * q2) + excess + missed


@dataclass(frozen=True, kw_only=True)
class Parity:
    """Store every database, and answer with the parity of all so far, randomly and with a leak.

    A question is a pair: the odds of the truth, and the probability to say that it is the truth,
    of which `louder` is added.
    """

    initial: int = 0
    louder: Fraction = Fraction(0)

    def step(self, state: int, action: Asked, draw: Draw) -> tuple[int, tuple[bool, int]]:
        """Answer with the parity of the new state."""
        database, (odds, leak) = action
        leak += self.louder
        state += database
        truth, kept = state % 2, (1 - leak) / (odds + 1)
        law = {(True, truth): leak, (False, truth): kept * odds, (False, 1 - truth): kept}
        return state, draw(Distribution.of(law))


@dataclass(frozen=True, kw_only=True)
class Composition:
    """Hold what the induction is made of.

    It has the bound on one response, how the bounds of responses are added, the divergence, the
    sums of a rollout, who is asked for its parameters with what, and a mechanism to run.
    """

    bound: Callable[[Fraction, Fraction, Fraction, Fraction, Fraction, Fraction], Fraction] = (
        paper_bound
    )
    add: Callable[[Fraction, Fraction], Fraction] = lambda first, second: first + second
    divergence: Callable[[Distribution[str], Distribution[str], Fraction], Fraction] = hockey_stick
    within: Callable[[Rollout, Theta], bool] = within
    along: Callable[[OnlineRollout[str, str], Steps[str, str]], Rollout] = along
    mechanism: Mechanism[int, Asked, tuple[bool, int]] = field(default_factory=Parity)


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
    composition: Composition,
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
    return p + r <= factor * (q + s) + composition.add(m, n)


@for_all("the divergence of three responses is the sum of their excesses")
def excesses_are_the_divergence(
    composition: Composition, a: Fraction, b: Fraction, c: Fraction, d: Fraction, factor: Fraction
) -> bool:
    """Run `hockey_stick` on two laws of three responses."""
    assume(0 < a, 0 < b, a + b < 1, 0 < c, 0 < d, c + d < 1, 1 <= factor)
    p = Distribution((("r", a), ("s", b), ("t", 1 - a - b)))
    q = Distribution((("r", c), ("s", d), ("t", 1 - c - d)))
    excesses = [p.probability_of(r) - factor * q.probability_of(r) for r in "rst"]
    total = sum(max(Fraction(0), excess) for excess in excesses)
    return composition.divergence(p, q, factor) == total


def step_with(factor: Fraction, delta: Fraction) -> Theta:
    r"""Return parameters of a step, with $e^\epsilon$ in the place of $\epsilon$."""
    assume(1 <= factor, 0 <= delta)
    return unchecked(Theta, epsilon=factor, delta=delta)


@for_all("one set of parameters for all responses: the deltas add up to what is left of the cap")
def deltas_add_up(
    composition: Composition,
    p: Fraction,
    q: Fraction,
    factor: Fraction,
    factor_a: Fraction,
    factor_b: Fraction,
    delta: Fraction,
    delta_a: Fraction,
    delta_b: Fraction,
    later_a: Fraction,
    later_b: Fraction,
    cap: Fraction,
) -> bool:
    """Let the second query, A or B, depend on the first response, a or b; then one more follows.

    An online rollout has one entry for the first step, one for each second query, and one for what
    follows. The laws of the first response are as close as the entry for the first step says.
    """
    assume(0 < p, p < 1, 0 < q, q < 1, cap <= 1)
    entries = {
        ("first",): step_with(factor, delta),
        ("first", "A"): step_with(factor_a, delta_a),
        ("first", "B"): step_with(factor_b, delta_b),
        ("first", "A", "last"): step_with(Fraction(1), later_a),
        ("first", "B", "last"): step_with(Fraction(1), later_b),
    }

    def rollout(steps: Steps[str, str]) -> Theta:
        return entries[tuple(question for _, question in steps)]

    law = Distribution((("a", p), ("b", 1 - p)))
    other = Distribution((("a", q), ("b", 1 - q)))
    total = Fraction(0)
    for second, with_x, without_x in (("A", p, q), ("B", 1 - p, 1 - q)):
        steps = [("D", "first"), ("D", second), ("D", "last")]
        now, *later = composition.along(rollout, steps)
        rest = sum((theta.delta for theta in later), Fraction(0))
        assume(hockey_stick(law, other, now.epsilon) <= now.delta, now.delta + rest <= cap)
        total += max(Fraction(0), with_x - now.epsilon * without_x) + with_x * rest
    return total <= cap


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


def parity_rollout(steps: Steps[int, tuple[int, Fraction]]) -> Theta:
    r"""Return what the last question of a sequence costs, in units of $\ln 2$."""
    _, (odds, leak) = steps[-1]
    return Theta(epsilon=Fraction(odds.bit_length() - 1), delta=leak)


@calculation(
    "an adaptive run: an online rollout within the caps, and so are the transcripts",
    by="exact laws",
    over="one mechanism, two sequences, one adversary",
)
def adaptive_run(composition: Composition) -> bool:
    r"""Count $\epsilon$ in units of $\ln 2$; the worst path uses three of them."""
    caps, base = Theta(epsilon=Fraction(3), delta=Fraction(3, 20)), Base(Fraction(2))
    mechanism, menu = composition.mechanism, [[(1, FIRST), (0, q)] for q in (LIKELY, OTHERWISE)]
    individual = individually_private(mechanism, emptied, "x", menu, parity_rollout, caps, base)
    whoever = (mechanism, emptied, "x", (adaptive,))
    private = interactively_private(*whoever, Fraction(2) ** 3, caps.delta)
    return individual and private and not interactively_private(*whoever, Fraction(4), Fraction(0))


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


def bound_above_one(
    factor: Fraction, rest: Fraction, q1: Fraction, q2: Fraction, excess: Fraction, missed: Fraction
) -> Fraction:
    """Add one to the bound, so that no probability attains it."""
    return paper_bound(factor, rest, q1, q2, excess, missed) + 1


def larger(first: Fraction, second: Fraction) -> Fraction:
    """Take the larger of two bounds instead of their sum."""
    return max(first, second)


def differences(p: Distribution[str], q: Distribution[str], power: Fraction) -> Fraction:
    """Add up the excesses without cutting the negative ones off."""
    return sum((p.probability_of(r) - power * q.probability_of(r) for r in "rst"), Fraction(0))


def each_within(rollout: Rollout, caps: Theta) -> bool:
    """Compare every step with the caps instead of the sum."""
    return all(within((theta,), caps) for theta in rollout)


def one_step_ahead(rollout: OnlineRollout[str, str], steps: Steps[str, str]) -> tuple[Theta, ...]:
    """Ask for the parameters of a step with the step that follows it."""
    return tuple(rollout(steps[: place + 2]) for place in range(len(steps)))


PAPERS = Composition()

PROOF = Proof(
    claim="individual_privacy_implies_privacy",
    subject=PAPERS,
    steps=(
        one_response,
        responses_add_up,
        excesses_are_the_divergence,
        deltas_add_up,
        rest_of_the_caps,
        adaptive_run,
        not_vacuous,
    ),
    controls={
        "the delta of a step is forgotten": replace(PAPERS, bound=bound_without_excess),
        "epsilons do not add up": replace(PAPERS, bound=bound_by_the_worse_step),
        "the larger of two bounds stands for their sum": replace(PAPERS, add=larger),
        "the divergence counts negative excesses": replace(PAPERS, divergence=differences),
        "a rollout that looks one step ahead": replace(PAPERS, along=one_step_ahead),
        "steps are compared with the caps one by one": replace(PAPERS, within=each_within),
        "a mechanism that leaks more than its parameters say": replace(
            PAPERS, mechanism=Parity(louder=Fraction(1, 100))
        ),
    },
    unproved_for={"a bound that is never attained": replace(PAPERS, bound=bound_above_one)},
)

CHECK = check_of(PROOF, header=__doc__)
