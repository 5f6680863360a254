r"""A machine for $\mathcal{M}_{\mathrm{ER}}$: two sources, records at any time, window by window.

Each step asks every source how many reports its next window sends, as the noiseless client would
send them. The law over all responses is followed exactly, on $D$ and on every $D^{-x}$.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from properties.machines._loss import Loss, loss_of
from properties.machines._machine import Choose, Machine, Needs, claim
from properties.machines._responses import States, law_of_seen, moved_states
from properties.machines._sequences import WindowSequences
from properties.machines.event_client import begins
from properties.numerals import beside
from properties.strategies import event_sources
from properties.telling import move_text, unit_text
from spec.contributions import Unit
from spec.distributions import Draw
from spec.event_client import EventSource, EventTrigger
from spec.event_mechanism import Answers, EventMechanism, EventState, records_of
from spec.event_outputs import Output, OutputSet
from spec.numbers import Power
from spec.randomized_response import Events, Question, RandomizedResponse
from spec.rules import OnDevice
from spec.summary_mechanism import Database, Record, without_source

if TYPE_CHECKING:
    from spec.rules import AtEventSource

UNITS = ("A", "B")

Followed = States[EventState]


@dataclass(frozen=True, slots=True, kw_only=True)
class Begin:
    """Fix the sources, which are public."""

    sources: tuple[EventSource, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Happen:
    """Add a record to the database: a trigger that is credited to a source."""

    unit: str
    trigger: EventTrigger


@dataclass(frozen=True, slots=True)
class PassWindow:
    """Ask every source about its next window."""


class ResponseMachine(Machine):
    """Let things happen, and ask every source window by window."""

    title = "M_ER"
    cost = 2
    happens: ClassVar[tuple[str, ...]] = (
        "a window passed",
        "a source had reports to send",
        "all windows had passed",
        "the answers told of a unit",
    )
    needs: ClassVar[Needs] = {
        "randomized_response_is_private": ("the answers told of a unit",),
        "event_level_reports_are_private": ("the answers told of a unit",),
        "event_client_outputs_stay_in_the_output_set": ("a source had reports to send",),
    }

    def __init__(self) -> None:
        super().__init__()
        self.sources: dict[Unit, EventSource] = {}
        self.orders: dict[Unit, tuple[tuple[int, int], ...]] = {}
        self.forget()

    def forget(self) -> None:
        """Return to the beginning."""
        self.triggers: list[EventTrigger] = []
        self.database: Database = ()
        self.passed = [0]
        self.mechanism = EventMechanism(laws=())
        self.states: Followed = [(EventState(), (), Fraction(1))]
        self.without: dict[Unit, Followed] = {}
        self.losses: dict[Unit, Loss] = {}
        self.truths: dict[tuple[Unit, Events, int], tuple[int, ...]] = {}

    @initialize(sources=st.tuples(event_sources(), event_sources()))
    def begin(self, sources: tuple[EventSource, ...]) -> None:
        """Fix two sources and start from nothing."""
        named = zip(UNITS, sources, strict=True)
        self.play(Begin(sources=tuple(replace(each, source_id=name) for name, each in named)))

    @precondition(lambda self: not self.windows_left())
    @rule(sources=st.tuples(event_sources(), event_sources()))
    def start_over(self, sources: tuple[EventSource, ...]) -> None:
        """Fix two other sources once all windows have passed."""
        self.begin(sources)

    @precondition(lambda self: self.windows_left())
    @rule(unit=st.sampled_from(UNITS), data=st.sampled_from((0, 0, 1)), value=st.integers(1, 5))
    def let_something_happen(self, unit: str, data: int, value: int) -> None:
        """Add a trigger that is credited to a source."""
        trigger = EventTrigger(
            trigger_id="t", destination="shop", filters=frozenset("a"), data=data, value=value
        )
        self.play(Happen(unit=unit, trigger=trigger))

    @precondition(lambda self: self.windows_left())
    @rule()
    def let_a_window_pass(self) -> None:
        """Ask every source about its next window."""
        self.play(PassWindow())

    def windows_left(self) -> bool:
        """Tell whether every source has a window that has not passed."""
        return len(self.passed) <= min(map(len, self.orders.values()), default=0)

    def tell(self, move: object) -> str:
        """Tell a move in a sentence."""
        match move:
            case Begin():
                return " ".join(map(move_text, move.sources))
            case Happen():
                return (
                    f"A trigger with data {move.trigger.data} and value {move.trigger.value} "
                    f"is credited to source {move.unit!r}."
                )
        return "The next window of every source passes."

    def make(self, move: object, choice: int) -> None:
        """Make a move in every state of every world."""
        del choice
        match move:
            case Begin():
                self.forget()
                self.sources = {source.source_id: source for source in move.sources}
                self.orders = {unit: order_of(each) for unit, each in self.sources.items()}
                self.mechanism = EventMechanism(
                    laws=tuple((unit, self.law_of_response(unit)) for unit in self.sources)
                )
                self.without = dict.fromkeys(self.sources, self.states)
            case Happen():
                record = Record(unit=move.unit, report_id=len(self.triggers))
                self.triggers.append(move.trigger)
                self.database += (record,)
            case PassWindow():
                self.ask_every_source()

    def law_of_response(self, unit: Unit) -> RandomizedResponse[Events]:
        """Return the law of a source's response, as sequences of its windows."""
        outputs = self.outputs_of(unit)
        return RandomizedResponse(
            outputs=WindowSequences(outputs=outputs, order=self.orders[unit]),
            power=Power(self.tested.limits.base, self.tested.limits.event_epsilon),
            truth_probability=self.tested.truth_probability,
        )

    def at_source(self, unit: Unit) -> AtEventSource:
        """Return what a new client sees when a source is registered."""
        return OnDevice(
            rules=self.tested, now=0, client=self.tested.initial.events, cause=self.sources[unit]
        )

    def outputs_of(self, unit: Unit) -> OutputSet:
        """Return the output set of a source."""
        return self.tested.output_set(self.at_source(unit), self.sources[unit])

    def ask_every_source(self) -> None:
        """Make a step of the mechanism on the database and on every neighbour."""
        self.passed.append(len(self.triggers))
        questions: Mapping[Unit, Question] = {
            unit: lambda events, unit=unit: self.truth(unit, events)[-1]  # type: ignore[misc]
            for unit in self.sources
        }

        def moved(states: Followed, database: Database) -> Followed:
            def step(state: EventState, draw: Draw) -> tuple[EventState, Answers]:
                return self.mechanism.step(state, (database, questions), draw)

            return moved_states(states, step)

        self.count("a window passed")
        self.count("all windows had passed", not self.windows_left())
        for unit in self.sources:
            sent = self.truth(unit, records_of(self.database, unit))
            self.count("a source had reports to send", any(sent))
        if not self.examines("event_level_reports_are_private", "randomized_response_is_private"):
            return
        self.states = moved(self.states, self.database)
        for unit, states in self.without.items():
            self.without[unit] = moved(states, without_source(self.database, unit))
            laws = (law_of_seen(self.states), law_of_seen(self.without[unit]))
            self.losses[unit] = loss_of(*laws)
            self.count("the answers told of a unit", laws[0] != laws[1])

    def truth(self, unit: Unit, events: Events) -> tuple[int, ...]:
        """Return how many reports each window so far sends, if nothing is randomized."""
        key = (unit, events, len(self.passed))
        if key not in self.truths:
            self.truths[key] = self.sent_by_client(unit, events)
        return self.truths[key]

    def sent_by_client(self, unit: Unit, events: Events) -> tuple[int, ...]:
        """Let the client of one source run alone, on its own records."""
        rules, source, truth = self.tested, self.sources[unit], Choose()
        client = rules.register_event_source(self.at_source(unit), source, truth)
        counts: list[int] = []
        now = 0
        for step, (first, last) in enumerate(pairwise(self.passed)):
            for event in range(first, last):
                if event in events:
                    trigger = self.triggers[event]
                    at = OnDevice(rules=rules, now=now, client=client, cause=trigger)
                    client = rules.register_event_trigger(at, (unit,))
            datum, window = self.orders[unit][step]
            end = source.specifications[datum].windows[window]
            windows = OnDevice(rules=rules, now=end, client=client, cause=None)
            client, sent = rules.pass_windows(windows, now, truth)
            counts.append(len(sent))
            now = end
        return tuple(counts)

    def truthful_prefixes(self) -> Iterator[tuple[Unit, Output]]:
        """Return what every source truthfully sends with and without its records."""
        for unit in self.sources:
            for events in (records_of(self.database, unit), ()):
                counts = self.truth(unit, events)
                prefix: list[tuple[int, ...]] = [() for _ in self.sources[unit].specifications]
                for (datum, _), count in zip(self.orders[unit], counts, strict=False):
                    prefix[datum] += (count,)
                yield unit, tuple(prefix)

    def in_the_set(self, unit: Unit, prefix: Output) -> bool:
        """Tell whether an output of the source's set begins like this."""
        outputs = self.outputs_of(unit)
        return any(begins(output, prefix) for output in outputs)

    def told(self) -> Iterator[str]:
        """Complain of every source of which the answers tell more than its epsilon."""
        epsilon = self.tested.limits.event_epsilon
        power = Power(self.tested.limits.base, epsilon).exact()
        for unit, loss in self.losses.items():
            delta = loss.delta(power)
            if delta > 0:
                yield (
                    f"exact delta {beside(delta)} at epsilon {epsilon} where 0 is "
                    f"promised, for {unit_text(unit)}"
                )

    @claim
    def event_level_reports_are_private(self) -> Iterator[str]:
        """Demand that the answers tell at most their epsilon of any source."""
        yield from self.told()

    @claim
    def randomized_response_is_private(self) -> Iterator[str]:
        """Demand the same, as long as every truthful sequence begins one of the output set."""
        if all(self.in_the_set(unit, prefix) for unit, prefix in self.truthful_prefixes()):
            yield from self.told()

    @claim
    def event_client_outputs_stay_in_the_output_set(self) -> Iterator[str]:
        """Demand that every truthful sequence begins a sequence of the output set."""
        for unit, prefix in self.truthful_prefixes():
            if not self.in_the_set(unit, prefix):
                yield f"source {unit!r} truthfully sends {prefix}, not in its output set"


def order_of(source: EventSource) -> tuple[tuple[int, int], ...]:
    """Return the windows of a source as pairs of datum and window, in the order of their ends."""
    ends = [
        (end, datum, window)
        for datum, each in enumerate(source.specifications)
        for window, end in enumerate(each.windows)
    ]
    return tuple((datum, window) for _, datum, window in sorted(ends))
