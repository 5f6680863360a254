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

from flint import arb, ctx

from spec.distributions import Draw, Law, coin
from spec.numbers import (
    FIRST_PRECISION,
    NATURAL,
    Base,
    N,
    OutOfRange,
    Power,
    Real,
    SpecError,
    bounds,
    certainly_at_most,
    decide,
    enclose,
    enclosed,
    exact,
    positive_whole,
    unit_interval,
)
from spec.sampling import Uniform, uniform_below

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
Events: TypeAlias = tuple[Hashable, ...]


class BadSequences(SpecError):
    """Report sequences of answers that are not distinct or not of one length."""


class AfterTheEnd(SpecError):
    """Report a query beyond the last step of the output set's sequences."""


class Outputs(Protocol[T_co]):
    r"""Be a finite set $\mathcal{O}$ that is counted and enumerated.

    Paper: Alg. 8.
    """

    def size(self) -> int:
        """Return the number of elements."""
        ...

    def output(self, index: int) -> T_co:
        """Return the element with the given index."""
        ...

    def __iter__(self) -> Iterator[T_co]: ...


@dataclass(frozen=True, slots=True)
class Sequences:
    r"""Be a set $\mathcal{O}$ of sequences that are simply listed.

    Paper: Alg. 8.
    """

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


def response_rate(power: N, size: int) -> N:
    r"""Return $|\mathcal{O}| / (e^{\epsilon} + |\mathcal{O}| - 1)$, how often an output is drawn.

    Paper: Sec. 2.2; Alg. 8.
    """
    return size / (power + (size - 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomizedResponse(Law[T | None], Generic[T]):
    r"""Be the law of $s^*$: None for the truth, otherwise a uniform element of $\mathcal{O}$.

    Paper: Alg. 8.
    """

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

    def drawn(self, draw: Draw) -> T | None:
        """Draw from fair coins, exactly even if the truth probability is irrational."""
        coins, size = FairCoins(draw), self.outputs.size()
        if Uniform(coins).below(lambda: self.truth_probability(self.power.value(), size)):
            return None
        return self.outputs.output(uniform_below(size, coins))


FAIR = coin(Fraction(1, 2))


@dataclass(frozen=True, slots=True)
class FairCoins:
    """Give bits by drawing fair coins.

    Paper: none (the paper samples without saying how).
    """

    draw: Draw

    def bits(self, count: int) -> int:
        """Return a uniform integer below two to the power of the count."""
        return sum(1 << place for place in range(count) if self.draw(FAIR))


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

    Paper: Alg. 8.
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
    r"""Hold the step $i$ and the response $s^*$.

    Paper: Alg. 8.
    """

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


def channel_capacity(
    power: Power, size: int, precision: int = 2 * FIRST_PRECISION
) -> tuple[Fraction, Fraction]:
    r"""Return bounds on the capacity, in bits, of the symmetric channel on $\mathcal{O}$.

    Write $E = e^{\epsilon}$ and $k = |\mathcal{O}|$. An output passes unchanged with probability
    $p = E / (E + k - 1)$ and otherwise becomes a uniform other one. The capacity is $\log_2 k$ less
    the entropy of what arrives given what was sent, and comes to
    $\log_2 k + p \log_2 E - \log_2(E + k - 1)$.

    Paper: none (a limit of the shipped API).
    """
    with ctx.workprec(precision):
        return bounds(_capacity(power, positive_whole(size, "size")))


def _capacity(power: Power, size: int) -> Real:
    """Return the capacity at the current precision, exactly where nothing or all is random."""
    if power.exponent == 0 or size == 1:
        return Fraction(0)
    ball = enclosed(power.value())
    logarithm = enclose(power.exponent)
    if power.base.value is not None:
        logarithm = logarithm * enclose(power.base.value).log()
    total = ball + (size - 1)
    return (arb(size).log() + ball * logarithm / total - total.log()) / arb(2).log()


def largest_epsilon(
    size: int,
    capacity: Fraction,
    limit: Fraction,
    base: Base = NATURAL,
    precision: int = FIRST_PRECISION,
) -> tuple[Fraction, Fraction]:
    r"""Return bounds on the largest $\epsilon$ up to a limit whose channel stays within a capacity.

    The capacity grows with $\epsilon$. The lower bound certainly stays within it. The upper bound
    is the limit or certainly goes beyond it. The interval is cut at two points, because the
    capacity may equal the bound at one of them, and there no precision decides.

    Paper: none (a limit of the shipped API).
    """
    positive_whole(size, "size")
    most, within, beyond = exact(capacity, "capacity"), Fraction(0), exact(limit, "limit")
    if beyond < 0 or most < 0:
        raise OutOfRange(f"limit and capacity must not be negative, not {limit} and {capacity}")

    def fits(epsilon: Fraction) -> bool | None:
        return certainly_at_most(_capacity(Power(base, epsilon), size), most)

    def cut() -> tuple[Fraction, Fraction] | None:
        for point in (within + (beyond - within) * third / 3 for third in (1, 2)):
            inside = fits(point)
            if inside is not None:
                return (point, beyond) if inside else (within, point)
        return None

    if fits(beyond):
        return beyond, beyond
    while beyond - within > Fraction(1, 1 << precision):
        within, beyond = decide(cut)
    return within, beyond
