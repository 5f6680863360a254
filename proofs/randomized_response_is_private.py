r"""Claim: interactive randomized response is $\epsilon$-private if truthful prefixes stay in $O$.

Paper: Thm. 5.1; Alg. 8; Alg. 9.
Method: the rules' truth probability run on a symbolic power and size; one inequality for every
    number of sequences that extend a prefix; the interactive mechanisms run on exact instances.
Assumes: joint_convexity, for several sources; sums over countably many prefixes keep inequalities;
    every prefix of a truthful sequence extends to one in the output set, see
    event_client_outputs_stay_in_the_output_set.

The mechanism is truthful with probability $t$ and otherwise follows a sequence drawn uniformly from
$O$, each with probability $u = (1-t)/|O|$. Fix an adversary that asks about one source; it halts
after some prefix of responses. Let $n$ sequences of $O$ extend the prefix.

- If the truth gives this prefix in one world, $n \ge 1$. The prefix has the probability $t + nu$
  there, and at least $nu$ in the other world. The inequality is $t + nu \le e^\epsilon nu$.
- If the truth does not give it, the probability is $nu$, and at least $nu$ in the other world.

So every prefix is at most $e^\epsilon$ times as likely, and so is every set of prefixes. With
several sources only one depends on the unit. The others' responses, once $s^*$ is fixed for them,
are functions of what the adversary has seen, so that asking about all sources is asking about one
with an adversary that is drawn first: joint_convexity applies.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from operator import add, mul
from typing import Any, cast

from proofs._check import check_of
from proofs._flow import unguarded
from proofs._opaque import Enclosed, bare
from proofs._proof import Proof, assume, exists, for_all
from proofs._solvers import Exact
from proofs._subjects import for_all_rules, search
from spec import PAPER, Rules
from spec.distributions import Distribution, Draw, explore, hockey_stick
from spec.event_mechanism import Answers, EventMechanism, EventState, Questions
from spec.interaction import Mechanism, Without, transcript
from spec.numbers import Base, N, Power, Real
from spec.randomized_response import (
    Events,
    InteractiveRandomizedResponse,
    Question,
    RandomizedResponse,
    ResponseState,
    Sequences,
    truth_probability,
)
from spec.summary_mechanism import Database, Record, without_source

X, Z = "x", "z"


@dataclass(frozen=True, kw_only=True)
class Response:
    """Hold the rules, the law and the mechanism that run, and what the argument takes of prefixes.

    At least the `fewest` sequences extend a truthful prefix, and one of two prefixes is seen with
    the probability of `either`.
    """

    rules: Rules = PAPER
    law: Callable[..., RandomizedResponse[Any]] = RandomizedResponse
    mechanism: Callable[..., InteractiveRandomizedResponse] = InteractiveRandomizedResponse
    fewest: int = 1
    either: Callable[[Fraction, Fraction], Fraction] = add

    def truth(self, power: Fraction, size: int) -> Fraction:
        """Return the rules' truth probability, which may calculate with the power and no more."""
        enclosed = cast(Fraction, Enclosed("the power, an enclosure,", power))
        return bare(unguarded(self.rules.truth_probability)(enclosed, size))


def assume_parameters(power: Fraction, size: int) -> None:
    r"""Take any $e^\epsilon \ge 1$ and any number of outputs."""
    assume(1 <= power, 1 <= size)


@for_all_rules("the truth is told with a probability from zero to one")
def probability(response: Response, power: Fraction, size: int) -> bool:
    """Compute the truth probability."""
    assume_parameters(power, size)
    told = response.truth(power, size)
    return (0 <= told) & (told <= 1)


@for_all_rules("a truthful output is at most the power as likely as any output")
def one_sequence(response: Response, power: Fraction, size: int) -> bool:
    r"""Show $t + u \le e^\epsilon u$, with $u = (1-t)/|O|$ multiplied out."""
    assume_parameters(power, size)
    told = response.truth(power, size)
    return told * size <= (power - 1) * (1 - told)


@for_all("so is a prefix, however many sequences extend it")
def one_prefix(
    response: Response, told: Fraction, each: Fraction, count: Fraction, power: Fraction
) -> bool:
    r"""Show $t + nu \le e^\epsilon nu$ for $n \ge 1$."""
    assume(0 <= told, 0 <= each, 1 <= power, told + each <= power * each)
    assume(response.fewest <= count)
    return told + count * each <= power * (count * each)


@for_all("and a set of prefixes")
def prefixes_add_up(
    response: Response, p: Fraction, q: Fraction, r: Fraction, s: Fraction, power: Fraction
) -> bool:
    """Add one more prefix."""
    assume(0 <= p, 0 <= q, 0 <= r, 0 <= s, 1 <= power, p <= power * q, r <= power * s)
    return response.either(p, r) <= power * response.either(q, s)


def count(events: Events) -> int:
    """Answer with the number of the source's records."""
    return len(events)


def adaptive(responses: tuple[Answers, ...]) -> tuple[Database, Questions] | None:
    """Ask both sources, and ask again if the answers differ; the other source's record stays."""
    if not responses:
        return (Record(unit=X, report_id=0), Record(unit=Z, report_id=1)), {X: count, Z: count}
    if len(responses) == 1 and dict(responses[0])[X] != dict(responses[0])[Z]:
        return (Record(unit=X, report_id=0),), {X: count, Z: count}
    return None


def law_of(
    mechanism: Mechanism[EventState, tuple[Database, Questions], Answers],
) -> Distribution[tuple[Answers, ...]]:
    """Return the law of the transcript."""
    return explore(lambda draw: transcript(mechanism, adaptive, draw))


@search(
    "the running mechanism of two sources is private at exact parameters",
    by="instances",
    over="two sources with five outputs, three powers",
)
def instances(response: Response) -> Mapping[str, Exact] | None:
    """Compare the exact laws of the transcripts with and without one source."""
    outputs = Sequences(((0, 0), (0, 1), (1, 1), (1, 0), (0, 2)))
    for power in (Fraction(2), Fraction(3, 2), Fraction(16)):
        law = response.law(
            outputs=outputs,
            power=Power(Base(power), Fraction(1)),
            truth_probability=response.rules.truth_probability,
        )
        mechanism = EventMechanism(laws=((X, law), (Z, law)))
        without = Without(mechanism=mechanism, neighbour=without_source, unit=X)
        p, q = law_of(mechanism), law_of(without)
        excess = max(hockey_stick(p, q, power), hockey_stick(q, p, power))
        if excess > 0:
            return {
                "power": power,
                "size": outputs.size(),
                "truth_probability": response.truth(power, outputs.size()),
                "excess": excess,
            }
    return None


@search(
    "the mechanism of one source follows one response from its first step to its last",
    by="instances",
    over="one source with three sequences of three answers, or with one",
)
def one_response(response: Response) -> Mapping[str, object] | None:
    """Compare the law of the answers with the truth and the sequences, each as likely as drawn."""
    power, truth = Fraction(3), (1, 2, 3)
    asked = [((Record(unit=X, report_id=0),) * records, count) for records in truth]
    for sequences in (((0, 0, 4), (0, 2, 5), truth), (truth,)):
        outputs = Sequences(sequences)
        law: RandomizedResponse[Any] = RandomizedResponse(
            outputs=outputs,
            power=Power(Base(power), Fraction(1)),
            truth_probability=response.rules.truth_probability,
        )
        told = response.truth(power, len(sequences))
        wanted = {each: (1 - told) / len(sequences) for each in sequences}
        wanted[truth] += told
        mechanism = response.mechanism(law=law)
        found = explore(
            lambda draw, running=mechanism: transcript(  # type: ignore[misc]
                running,
                lambda answers: asked[len(answers)] if len(answers) < len(asked) else None,
                draw,
            )
        )
        if dict(found.weights) != wanted:
            return {"answers": str(dict(found.weights))}
        for prefix in product(range(6), repeat=2):
            begins = prefix in {sequence[:2] for sequence in sequences}
            if outputs.extends(prefix) is not begins:
                return {"prefix": str(prefix)}
    return None


@exists("a truth that is told, and not always told")
def not_vacuous(response: Response, power: Fraction, size: int) -> bool:
    """Show that the mechanism is useful and random for some parameters."""
    assume_parameters(power, size)
    told = response.truth(power, size)
    return (0 < told) & (told < 1)


LARGE = 100
"""A number of outputs that no instance has."""


def negative_for_large_sets(power: N, size: int) -> N:
    """Make up for a truth that is told too often by one that is told less than never."""
    told = truth_probability(power, size)
    return told if size <= LARGE else told - 2 * told


def one_output_forgotten(power: N, size: int) -> N:
    """Count one output less than are drawn from, where there are many."""
    return (power - 1) / (power + (size - (1 if size <= LARGE else 2)))


def never_told(power: N, _: int) -> N:
    """Draw every time."""
    return power - power


def always_told(power: N, _: int) -> N:
    """Never draw."""
    return power / power


def always_truthful(outputs: Sequences, power: Power, **_: object) -> RandomizedResponse[Any]:
    """Never draw, whatever the truth probability is."""
    return RandomizedResponse(outputs=outputs, power=power, truth_probability=always_told)


class DrawnAgain(InteractiveRandomizedResponse):
    """Draw at every step."""

    def step(
        self, state: ResponseState, action: tuple[Events, Question], draw: Draw
    ) -> tuple[ResponseState, Hashable]:
        """Forget the response that was drawn."""
        response = draw(self.law)
        return super().step(replace(state, response=response), action, draw)


def with_truth(truth_probability: Callable[[Real, int], Real]) -> Response:
    """Return the subject with another truth probability."""
    return Response(rules=replace(PAPER, truth_probability=truth_probability))


PAPERS = Response()

PROOF = Proof(
    claim="randomized_response_is_private",
    subject=PAPERS,
    steps=(
        *(probability, one_sequence, one_prefix, prefixes_add_up),
        *(instances, one_response, not_vacuous),
    ),
    controls={
        "a negative probability for large sets": with_truth(negative_for_large_sets),
        "an output that is drawn but not counted": with_truth(one_output_forgotten),
        "a truthful prefix that no sequence extends": replace(PAPERS, fewest=0),
        "prefixes that must both be seen": replace(PAPERS, either=mul),
        "a mechanism that always tells the truth": replace(PAPERS, law=always_truthful),
        "a response that is drawn again": replace(PAPERS, mechanism=DrawnAgain),
    },
    unproved_for={"a truth that is never told": with_truth(never_told)},
)

CHECK = check_of(PROOF, header=__doc__, subject=lambda rules: Response(rules=rules))
