r"""The mechanism $\mathcal{M}_{\mathrm{ER}}$: one interactive randomized response per source.

A database is a sequence of records $(x, y)$. At step $i$ every source $x$ of a fixed, public set is
asked its own query about its own records, and answers by randomized response over its own output
set.

The event-level client is this mechanism: the steps are the windows as they pass, and the query of a
step asks how many reports its window sends.

Deviates: A5 the truthful sequence must stay within the output set; B7 the step is counted, and the
next state is drawn.
Paper: Sec. 5; Alg. 9.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from immutables import Map

from spec.contributions import Unit
from spec.distributions import Draw
from spec.numbers import SpecError
from spec.randomized_response import Events, Question, RandomizedResponse, respond
from spec.summary_mechanism import Database

Answers: TypeAlias = tuple[tuple[Unit, Hashable], ...]
Questions: TypeAlias = Mapping[Unit, Question]


@dataclass(frozen=True, slots=True, kw_only=True)
class EventState:
    r"""Hold the step $i$ and each source's response $s^*_x$, with None for the truth."""

    step: int = 1
    responses: Map[Unit, Events | None] = Map()


@dataclass(frozen=True, slots=True, kw_only=True)
class EventMechanism:
    r"""Be the interactive mechanism $\mathcal{M}_{\mathrm{ER}}$; an action is $(D, q)$.

    `laws` holds, per source $x \in \mathcal{X}$ in a fixed order, the law of its response.

    Deviates: B7 the step is counted, and the next state is drawn.
    Paper: Alg. 9.
    """

    laws: tuple[tuple[Unit, RandomizedResponse[Events]], ...]

    @property
    def initial(self) -> EventState:
        """Return the state before the first step, in which nothing has been drawn."""
        return EventState()

    def step(
        self, state: EventState, action: tuple[Database, Questions], draw: Draw
    ) -> tuple[EventState, Answers]:
        """Let every source answer its query about its own records."""
        database, questions = action
        if set(questions) != {unit for unit, _ in self.laws}:
            raise NoQuestion(f"the step asks {sorted(map(str, questions))}, not every source once")
        responses, answers = state.responses, []
        for unit, law in self.laws:
            response, answer = respond(
                law,
                state.step,
                state.responses.get(unit),
                records_of(database, unit),
                questions[unit],
                draw,
            )
            responses = responses.set(unit, response)
            answers.append((unit, answer))
        return EventState(step=state.step + 1, responses=responses), tuple(answers)


def records_of(database: Database, unit: Unit) -> Events:
    r"""Return $N_D(x)$: what the database holds about a source, in order.

    Deviates: B14 a database is a sequence.
    Paper: Alg. 9.
    """
    return tuple(record.report_id for record in database if record.unit == unit)


class NoQuestion(SpecError):
    """Report a step that asks some source nothing, or asks a source that is not there."""
