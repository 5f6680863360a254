r"""The mechanism $\mathcal{M}_{\mathrm{ER}}$: one interactive randomized response per source.

A database is a sequence of records $(x, y)$. At step $i$ every source $x$ of a fixed, public set is
asked its own query about its own records, and answers by randomized response over its own output
set.

The event-level client is this mechanism: the steps are the windows as they pass, the query of a
step asks how many reports its window sends, and `WindowSequences` is the output set written as
sequences.

Deviates: A5 the truthful sequence must stay within the output set; B7 the step is counted, and the
next state is drawn.
Paper: Sec. 5; Alg. 9.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from immutables import Map

from spec.contributions import Unit
from spec.distributions import Draw
from spec.event_outputs import Output, OutputSet
from spec.numbers import SpecError
from spec.randomized_response import Events, Question, RandomizedResponse, respond
from spec.summary_mechanism import Database

Answers: TypeAlias = tuple[tuple[Unit, Hashable], ...]
Questions: TypeAlias = Mapping[Unit, Question]


class NoQuestion(SpecError):
    """Report a step that asks some source nothing, or asks a source that is not there."""


class BadOrder(SpecError):
    """Report an order of windows that leaves some out, or lets one datum's windows swap."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventState:
    r"""Hold the step $i$ and each source's response $s^*_x$, with None for the truth.

    Paper: Alg. 9.
    """

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


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowSequences:
    r"""Be an output set as sequences: in each step one window passes, in the given order.

    `order` lists pairs of the position of a trigger datum and the position of its window.

    Paper: Sec. 5.
    """

    outputs: OutputSet
    order: tuple[tuple[int, int], ...]

    def __post_init__(self) -> None:
        """Refuse an order in which the windows of some datum do not all pass in their order."""
        for datum, windows in enumerate(self.outputs.windows):
            passed = [window for other, window in self.order if other == datum]
            if passed != list(range(windows)):
                raise BadOrder(f"the windows of datum {datum} pass in the order {passed}")
        if len(self.order) != sum(self.outputs.windows):
            raise BadOrder(f"{self.order!r} has windows of a datum that is not there")

    def size(self) -> int:
        """Return the number of sequences, which is that of the outputs."""
        return self.outputs.size()

    def output(self, index: int) -> Events:
        """Return the sequence of the output with the given index."""
        return self.sequence(self.outputs.output(index))

    def __iter__(self) -> Iterator[Events]:
        """List the sequences in the order of the outputs."""
        return map(self.sequence, self.outputs)

    def sequence(self, output: Output) -> Events:
        """Return the output's counts in the order in which its windows pass."""
        return tuple(output[datum][window] for datum, window in self.order)

    def extends(self, prefix: tuple[int, ...]) -> bool:
        """Tell whether a sequence of the set begins with the given counts."""
        counts: list[tuple[int, ...]] = [()] * len(self.outputs.windows)
        for (datum, _), count in zip(self.order, prefix, strict=False):
            counts[datum] += (count,)
        return len(prefix) <= len(self.order) and self.outputs.extends(tuple(counts))
