r"""As written, truthful event-level answers may leave the output set, with infinite loss.

Claim: Each query promises an answer that is possible at its own step. With
    $\mathcal{O} = \{00, 11\}$ and queries that count and then negate, the truthful sequence is 10
    with an event and 01 without: neither is ever drawn, so that it shows with positive probability
    in one world and never in the other.
Paper: Thm. 5.1; Alg. 8.
Method: The interactive mechanism is run on exact laws for several $e^\varepsilon$; the loss at any
    $\varepsilon'$ is the truth probability, which z3 and cvc5 show to be positive for every
    $e^\varepsilon > 1$. The subject of the proof is the output set: one that holds every sequence
    does not show the loss.
Assumes: Nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

from proofs._check import check_of
from proofs._proof import Proof, assume, exists
from proofs._subjects import for_all_rules, search
from spec.distributions import Distribution, explore, hockey_stick
from spec.interaction import transcript
from spec.numbers import Base, Power
from spec.randomized_response import (
    Events,
    InteractiveRandomizedResponse,
    Question,
    RandomizedResponse,
    Sequences,
    truth_probability,
)

PAIRS = Sequences(((0, 0), (1, 1)))
ALL = Sequences(tuple(product((0, 1), repeat=2)))


@dataclass(frozen=True, kw_only=True)
class AsWritten:
    """Hold the output set, and the probability with which the truth is told."""

    outputs: Sequences = PAIRS
    truth: Callable[[Fraction, int], Fraction] = truth_probability


QUESTIONS: tuple[Question, ...] = (len, lambda events: 1 - len(events))


def answers(outputs: Sequences, exponent: int, events: Events) -> Distribution[tuple[object, ...]]:
    """Return the law of the answers to both queries, about the same events."""
    law = RandomizedResponse(outputs=outputs, power=Power(Base(Fraction(2)), Fraction(exponent)))

    def ask(responses: tuple[object, ...]) -> tuple[Events, Question] | None:
        asked = len(responses)
        return (events, QUESTIONS[asked]) if asked < len(QUESTIONS) else None

    mechanism = InteractiveRandomizedResponse(law=law)
    return explore(lambda draw: transcript(mechanism, ask, draw))


@search(
    "each query stays within what its own step allows",
    by="exact run",
    over="two databases, two queries",
)
def every_step_is_allowed(written: AsWritten) -> Mapping[str, object] | None:
    """Check the paper's condition on queries."""
    for events, (step, question) in product(((), ("y",)), enumerate(QUESTIONS)):
        if question(events) not in {sequence[step] for sequence in written.outputs}:
            return {"events": len(events), "step": step + 1}
    return None


@search(
    "the loss is the truth probability at every ε",
    by="exact laws",
    over="ε = ln 2, 2 ln 2 and 14 ln 2, compared at 1000 ln 2",
)
def loss_is_infinite(written: AsWritten) -> Mapping[str, object] | None:
    """Compare the laws with one event and with none, far beyond the mechanism's own ε."""
    outputs = written.outputs
    for exponent in (1, 2, 14):
        with_event, without = answers(outputs, exponent, ("y",)), answers(outputs, exponent, ())
        truth = truth_probability(Fraction(2) ** exponent, outputs.size())
        found = hockey_stick(with_event, without, Fraction(2) ** 1000)
        if found != truth:
            return {"epsilon in ln 2": exponent, "delta at 1000 ln 2": found, "truth": truth}
    return None


@for_all_rules("the truth probability is positive for every positive ε and every set")
def truth_is_possible(written: AsWritten, power: Fraction, size: int) -> bool:
    """Run the truth probability on symbolic numbers."""
    assume(power > 1, size >= 1)
    return written.truth(power, size) > 0


@exists("not vacuous: the truth can be less likely than not")
def truth_is_rare(written: AsWritten, power: Fraction, size: int) -> bool:
    """Find a set so large that a drawn output is more likely than the truth."""
    assume(power > 1, size >= 1)
    return written.truth(power, size) < Fraction(1, 2)


PAPERS = AsWritten()

PROOF = Proof(
    claim="truthful_outputs_may_leave_the_set_as_written",
    subject=PAPERS,
    bound="one output set; three values of ε, compared at 1000 ln 2",
    steps=(every_step_is_allowed, loss_is_infinite, truth_is_possible, truth_is_rare),
    controls={
        "every sequence is in the output set": replace(PAPERS, outputs=ALL),
        "answers that are impossible at their step": replace(
            PAPERS, outputs=Sequences(((0, 0), (0, 1)))
        ),
        "a truth that is never told": replace(PAPERS, truth=lambda *_: Fraction(0)),
    },
    unproved_for={"a truth that is always told": replace(PAPERS, truth=lambda *_: Fraction(1))},
)

CHECK = check_of(PROOF, method="exact laws of the interactive mechanism")
