r"""Interactive mechanisms, adversaries, and the transcripts they produce.

In each round the adversary looks at the responses so far and picks an action: for a mechanism of
the paper, the next database and query. The mechanism moves to its next state and responds. The
adversary is deterministic; a random one is a law over deterministic ones.

A mechanism is written in direct style. It gets a function `draw` and writes `draw(law)` where the
pseudocode samples. So a mechanism's next state may be random too, which the paper's definition
does not allow but its event-level mechanism needs.

Deviates: B7 the next state may be random.
Paper: Sec. 3.1; Alg. 5; Alg. 7.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Generic, Protocol, TypeAlias, TypeVar

from spec.contributions import Unit
from spec.distributions import Draw, Law, explore, indistinguishable
from spec.numbers import Power

State = TypeVar("State")
Action = TypeVar("Action")
Response = TypeVar("Response")
Action_contra = TypeVar("Action_contra", contravariant=True)
Response_co = TypeVar("Response_co", covariant=True)
Data = TypeVar("Data")
Question = TypeVar("Question")


class Mechanism(Protocol[State, Action_contra, Response_co]):
    r"""Be an interactive mechanism: an initial state $S_0$ and a step.

    An action is the pair of database and query.

    Paper: Def. 3.4.
    """

    @property
    def initial(self) -> State:
        """Return the state before the first action."""
        ...

    def step(self, state: State, action: Action_contra, draw: Draw) -> tuple[State, Response_co]:
        """Return the next state and the response."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Without(Generic[State, Data, Question, Response]):
    r"""Be $\mathcal{M}^{-x}$: replace every database $D_t$ by its neighbour $D_t^{-x}$.

    Paper: Sec. 3.1; Def. 3.6.
    """

    mechanism: Mechanism[State, tuple[Data, Question], Response]
    neighbour: Callable[[Data, Unit], Data]
    unit: Unit

    @property
    def initial(self) -> State:
        """Return the mechanism's own initial state."""
        return self.mechanism.initial

    def step(
        self, state: State, action: tuple[Data, Question], draw: Draw
    ) -> tuple[State, Response]:
        """Remove the unit from the database, then do what the mechanism does."""
        database, question = action
        return self.mechanism.step(state, (self.neighbour(database, self.unit), question), draw)


Adversary: TypeAlias = Callable[[tuple[Response, ...]], Action | None]


def transcript(
    mechanism: Mechanism[State, Action, Response],
    adversary: Adversary[Response, Action],
    draw: Draw,
) -> tuple[Response, ...]:
    """Let the adversary interact with the mechanism until it halts; return the responses.

    The adversary halts by returning None.

    Paper: Alg. 5; Def. 3.5.
    """
    state = mechanism.initial
    responses: tuple[Response, ...] = ()
    while (action := adversary(responses)) is not None:
        state, response = mechanism.step(state, action, draw)
        responses += (response,)
    return responses


def randomized_transcript(
    mechanism: Mechanism[State, Action, Response],
    adversaries: Law[Adversary[Response, Action]],
    draw: Draw,
) -> tuple[Response, ...]:
    """Draw an adversary first, then let it interact with the mechanism.

    Paper: Alg. 7; Cor. 5.3.
    """
    return transcript(mechanism, draw(adversaries), draw)


def transcripts_are_close(
    first: Mechanism[State, Action, Response],
    second: Mechanism[State, Action, Response],
    adversaries: Iterable[Adversary[Response, Action]],
    power: Fraction | Power,
    delta: Fraction,
) -> bool:
    r"""Decide whether no listed adversary tells two mechanisms apart, up to $(\epsilon, \delta)$.

    The exact laws of both transcripts are compared, so every adversary must halt.

    Paper: Def. 3.1; Def. 3.5.
    """
    return all(
        indistinguishable(
            explore(lambda draw: transcript(first, adversary, draw)),  # noqa: B023
            explore(lambda draw: transcript(second, adversary, draw)),  # noqa: B023
            power,
            delta,
        )
        for adversary in adversaries
    )


def interactively_private(
    mechanism: Mechanism[State, tuple[Data, Question], Response],
    neighbour: Callable[[Data, Unit], Data],
    unit: Unit,
    adversaries: Iterable[Adversary[Response, tuple[Data, Question]]],
    power: Fraction | Power,
    delta: Fraction,
) -> bool:
    r"""Decide $(\epsilon, \delta)$-DP of a mechanism for one unit and a menu of adversaries.

    False refutes privacy. True is about these adversaries only.

    Paper: Def. 3.6.
    """
    without = Without(mechanism=mechanism, neighbour=neighbour, unit=unit)
    return transcripts_are_close(mechanism, without, adversaries, power, delta)
