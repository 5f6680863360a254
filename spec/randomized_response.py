r"""Interactive randomized response: one random decision, made before the first answer.

At its first step the mechanism decides whether it will answer all queries truthfully or follow a
sequence of answers drawn uniformly from a set $\mathcal{O}$. It is truthful with probability
$(e^{\epsilon} - 1) / (e^{\epsilon} + |\mathcal{O}| - 1)$. Every sequence of $\mathcal{O}$ is then
at most $e^{\epsilon}$ times as likely under one database as under another.

This needs more than the paper asks of its queries. Each query promises an answer that is possible
at its own step, but the *sequence* of truthful answers must be in $\mathcal{O}$ as well, and so
must every prefix extend to one there: an answer outside is only ever given truthfully.

Deviates: A5 the truthful sequence must stay within the output set.
Paper: Sec. 5; Alg. 8.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Generic, Protocol, TypeAlias, TypeVar

from flint import arb

from spec.distributions import Draw, Law
from spec.numbers import N, OutOfRange, Power, Real, SpecError, unit_interval

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
Events: TypeAlias = tuple[Hashable, ...]


class Outputs(Protocol[T_co]):
    r"""Be a finite set $\mathcal{O}$ that is counted and enumerated."""

    def size(self) -> int:
        """Return the number of elements."""
        ...

    def output(self, index: int) -> T_co:
        """Return the element with the given index."""
        ...

    def __iter__(self) -> Iterator[T_co]: ...


@dataclass(frozen=True, slots=True)
class Sequences:
    r"""Be a set $\mathcal{O}$ of sequences that are simply listed."""

    listed: tuple[Events, ...]

    def __post_init__(self) -> None:
        if len(set(self.listed)) != len(self.listed) or not self.listed:
            raise BadSequences(f"sequences must be distinct, and at least one: {self.listed!r}")
        if len({len(sequence) for sequence in self.listed}) != 1:
            raise BadSequences(f"sequences must be of one length: {self.listed!r}")

    def size(self) -> int:
        """Return the number of sequences."""
        return len(self.listed)

    def output(self, index: int) -> Events:
        """Return the sequence with the given index."""
        return self.listed[index]

    def __iter__(self) -> Iterator[Events]:
        """List the sequences."""
        return iter(self.listed)

    def extends(self, prefix: Events) -> bool:
        """Tell whether a sequence of the set begins with the given answers."""
        return any(sequence[: len(prefix)] == prefix for sequence in self.listed)


def truth_probability(power: N, size: int) -> N:
    r"""Return $(e^{\epsilon} - 1) / (e^{\epsilon} + |\mathcal{O}| - 1)$, given $e^{\epsilon}$.

    Paper: Sec. 2.2; Alg. 8.
    """
    return (power - 1) / (power + (size - 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomizedResponse(Law[T | None], Generic[T]):
    r"""Be the law of $s^*$: None for the truth, otherwise a uniform element of $\mathcal{O}$."""

    outputs: Outputs[T]
    power: Power
    truth_probability: Callable[[Real, int], Real] = truth_probability

    def outcomes(self) -> Iterable[tuple[T | None, Fraction]]:
        """List the outcomes with their probabilities, if those are rational."""
        size = self.outputs.size()
        truth = self.truth_probability(self.power.exact(), size)
        if isinstance(truth, arb):
            raise OutOfRange(f"the truth probability {truth} is not exact")
        truth = unit_interval(truth, "truth_probability")
        yield None, truth
        for output in self.outputs:
            yield output, (1 - truth) / size


Question: TypeAlias = Callable[[Events], Hashable]


def respond(
    law: RandomizedResponse[Events],
    step: int,
    response: Events | None,
    events: Events,
    question: Question,
    draw: Draw,
) -> tuple[Events | None, Hashable]:
    r"""Answer one query: return $s^*$ and the answer.

    Steps count from one. At the first, $s^*$ is drawn, whatever `response` holds.
    """
    length = len(law.outputs.output(0))
    if step > length:
        raise AfterTheEnd(f"step {step} is beyond the {length} steps of the output set")
    if step == 1:
        response = draw(law)
    if response is None:
        return None, question(events)
    return response, response[step - 1]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseState:
    r"""Hold the step $i$ and the response $s^*$."""

    step: int = 1
    response: Events | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InteractiveRandomizedResponse:
    r"""Be the interactive mechanism $\mathcal{I}_{\epsilon, \mathcal{O}}$; an action is $(Y, q)$.

    Deviates: B7 the step is counted, and the next state is drawn.
    Paper: Alg. 8.
    """

    law: RandomizedResponse[Events]

    @property
    def initial(self) -> ResponseState:
        """Return the state before the first query."""
        return ResponseState()

    def step(
        self, state: ResponseState, action: tuple[Events, Question], draw: Draw
    ) -> tuple[ResponseState, Hashable]:
        """Answer one query on the events."""
        events, question = action
        response, answer = respond(self.law, state.step, state.response, events, question, draw)
        return ResponseState(step=state.step + 1, response=response), answer


class BadSequences(SpecError):
    """Report sequences of answers that are not distinct or not of one length."""


class AfterTheEnd(SpecError):
    """Report a query beyond the last step of the output set's sequences."""
