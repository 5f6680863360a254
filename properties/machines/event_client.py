"""A machine for the event-level client: sources, triggers, windows in any order, drawn responses.

Beside the client with its drawn responses a truthful one runs in every world, in which no response
is drawn and every window passes by itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from properties.machines._loss import Loss
from properties.machines._machine import Choose, Needs, claim
from properties.machines._worlds import EVENT_LEVEL, WorldsMachine
from properties.strategies import NAMES, choices, event_sources, event_triggers
from properties.telling import unit_text
from spec.contributions import Unit
from spec.event_client import EventReport, EventSource, EventTrigger, SourceRecord, ends_of
from spec.event_outputs import Output, OutputSet
from spec.neighbours import Worlds, clients_of
from spec.system import Move, Observation, PassTime, System, on_events, step

OUTPUTS = "event_client_outputs_stay_in_the_output_set"
MOST = 2
"""The most event-level sources there are: the law of their responses is followed exactly."""


@dataclass(frozen=True, slots=True)
class StartOver:
    """Forget everything that happened."""


class EventMachine(WorldsMachine):
    """Register event-level sources and triggers, and let windows pass."""

    title = "event level"
    happens: ClassVar[tuple[str, ...]] = (
        "an event-level trigger was attributed",
        "an event-level trigger fell through",
        "a response was drawn",
        "a window sent reports",
        "a window sent nothing",
        "the maximum held a report back",
        "the responses told of a unit",
    )
    needs: ClassVar[Needs] = {
        "event_client_outputs_stay_in_the_output_set": ("a window sent reports",),
        "event_level_reports_are_private": ("the responses told of a unit",),
    }

    def begin(self) -> None:
        """Begin with nothing registered."""
        super().begin()
        self.event_sources: list[str] = []
        self.truthful: dict[Unit | None, System] = {None: self.system}
        self.outputs: dict[tuple[Unit | None, Unit], OutputSet] = {}
        self.sent: dict[tuple[Unit | None, Unit], dict[tuple[int, int], int]] = {}

    @precondition(lambda self: len(self.event_sources) < MOST)
    @rule(source=event_sources(), choice=choices())
    def register_an_event_source(self, source: EventSource, choice: int) -> None:
        """Register an event-level source."""
        name, expiry = NAMES[len(self.event_sources)], self.system.now + source.expiry
        self.play(replace(source, source_id=name, expiry=expiry), choice)

    @precondition(lambda self: bool(self.event_sources))
    @rule(trigger=event_triggers())
    def register_an_event_trigger(self, trigger: EventTrigger) -> None:
        """Register an event-level trigger."""
        self.play(trigger)

    @precondition(lambda self: self.event_sources and not self.just(EventTrigger))
    @rule(value=st.sampled_from((1, 5)))
    def reach_a_bucket(self, value: int) -> None:
        """Register a trigger that matches the newest source and reaches a bucket, or all."""
        newest = records_by_name(self.system)[self.event_sources[-1]].source
        self.play(
            EventTrigger(
                trigger_id="t", destination="shop", filters=newest.filters, data=0, value=value
            )
        )

    @precondition(lambda self: bool(window_ends(self.system)))
    @rule()
    def let_a_window_end(self) -> None:
        """Let time pass to the end of the next window."""
        self.play(PassTime(until=window_ends(self.system)[0]))

    @precondition(lambda self: bool(window_ends(self.system, self.event_sources[-1:])))
    @rule(value=st.sampled_from((1, 5)))
    def report_in_the_next_window(self, value: int) -> None:
        """Register a trigger that matches the newest source, and let its next window end."""
        self.reach_a_bucket(value)
        self.play(PassTime(until=window_ends(self.system, self.event_sources[-1:])[0]))

    def make(self, move: object, choice: int) -> None:
        """Make a move in every world, and tell the truth beside it."""
        super().make(move, choice)
        if self.examines(OUTPUTS) and isinstance(move, EventSource | EventTrigger | PassTime):
            self.tell_the_truth(move)

    def tell_the_truth(self, move: EventSource | EventTrigger | PassTime) -> None:
        """Make the move without drawing any response; windows pass one after the other."""
        if isinstance(move, EventSource) and move.source_id not in self.truthful:
            self.begin_without(move.source_id)
        before = self.truthful[None]
        moves: list[Move] = [move]
        if isinstance(move, PassTime):
            ends = [end for end in window_ends(before) if end < move.until]
            moves = [PassTime(until=end) for end in (*ends, move.until)]
        shown = replace(self.tested, event_visible=lambda _, report: report)
        for part in moves:
            before = self.truthful[None]
            for unit, own in self.truthful.items():
                if isinstance(part, EventSource):
                    at = on_events(self.tested, own, part)
                    self.outputs[unit, part.source_id] = self.tested.output_set(at, part)
                if unit is None:
                    after, seen = step(shown, own, part, Choose())
                else:
                    worlds, seen = self.relation_for(unit).move(
                        shown, unit, Worlds(real=clients_of(before), own=own), part, Choose()
                    )
                    after = worlds.own
                self.truthful[unit] = after
                self.note_reports(unit, after, seen)

    def begin_without(self, unit: Unit) -> None:
        """Begin a truthful world without a unit, which is the same so far."""
        self.truthful[unit] = self.truthful[None]
        for (world, name), outputs in list(self.outputs.items()):
            if world is None:
                self.outputs[unit, name] = outputs
        for (world, name), counts in list(self.sent.items()):
            if world is None:
                self.sent[unit, name] = dict(counts)

    def note_reports(self, world: Unit | None, system: System, seen: Observation) -> None:
        """Note how many reports each window of each source sent."""
        for report in seen:
            if not isinstance(report, EventReport):
                continue
            record = records_by_name(system)[report.source_id]
            for datum, each in enumerate(record.source.specifications):
                if each.data == report.data:
                    counts = self.sent.setdefault((world, report.source_id), {})
                    ends = system.now - record.registered_at
                    if ends not in each.windows:
                        counts[datum, -1] = 1
                    else:
                        place = (datum, each.windows.index(ends))
                        counts[place] = counts.get(place, 0) + 1

    def count_what_happened(self, move: Move) -> None:
        """Count what happened."""
        super().count_what_happened(move)
        before, after = records_by_name(self.before), records_by_name(self.system)
        match move:
            case EventSource():
                self.event_sources.append(move.source_id)
                response = after[move.source_id].response
                self.count("a response was drawn", response is not None)
            case EventTrigger():
                changed = [
                    name for name, record in after.items() if record.values != before[name].values
                ]
                self.count("an event-level trigger was attributed", len(changed))
                fell = bool(changed) and changed[0] != self.event_sources[-1]
                self.count("an event-level trigger fell through", fell)
            case PassTime():
                passed = any(end <= move.until for end in window_ends(self.before))
                self.count("a window sent reports", passed and bool(self.seen))
                self.count("a window sent nothing", passed and not self.seen)
                for record in after.values():
                    sold_out = record.sent >= record.source.maximum_reports
                    reached = sum(
                        bucket <= record.reported.get(each.data, 0)
                        for each in record.source.specifications
                        for bucket in each.buckets
                    )
                    self.count("the maximum held a report back", sold_out and reached > record.sent)
                if self.examines(EVENT_LEVEL):
                    losses = map(self.responses.loss, self.without)
                    told_of = any(loss != Loss() for loss in losses)
                    self.count("the responses told of a unit", told_of)
            case _:
                pass

    @claim
    def event_client_outputs_stay_in_the_output_set(self) -> Iterator[str]:
        """Demand that what every truthful client has sent begins an output of its source's set."""
        for world, system in self.truthful.items():
            for name, record in records_by_name(system).items():
                counts = self.sent.get((world, name), {})
                prefix = tuple(
                    tuple(
                        counts.get((datum, window), 0)
                        for window, end in enumerate(each.windows)
                        if record.registered_at + end <= system.now
                    )
                    for datum, each in enumerate(record.source.specifications)
                )
                outputs = self.outputs[world, name]
                if any(window < 0 for _, window in counts):
                    yield f"source {name!r} sends a report when no window of its datum ends"
                if not any(begins(output, prefix) for output in outputs):
                    where = "" if world is None else f" without {unit_text(world)}"
                    yield f"source {name!r} truthfully sends {prefix}{where}, not in its output set"

    @claim
    def event_level_reports_are_private(self) -> Iterator[str]:
        """Demand that the event-level transcript tells at most its epsilon of any source."""
        for unit in self.without:
            loss = self.responses.loss(unit)
            yield from self.lost(unit, loss, self.tested.limits.event_epsilon)


class EventClientMachine(EventMachine):
    """Do the same, and start over once all windows have passed."""

    title = "event client"
    cost = 2

    @precondition(lambda self: self.event_sources and not window_ends(self.system))
    @rule()
    def start_over(self) -> None:
        """Begin again with nothing registered."""
        self.play(StartOver())

    def tell(self, move: object) -> str:
        """Tell a move in a sentence."""
        return "Everything starts over." if isinstance(move, StartOver) else super().tell(move)

    def make(self, move: object, choice: int) -> None:
        """Make a move in every world, or forget everything."""
        if isinstance(move, StartOver):
            self.begin()
        else:
            super().make(move, choice)


def records_by_name(system: System) -> dict[str, SourceRecord]:
    """Return the event-level sources of all devices with their accounts, by name."""
    clients = system.events.values()
    return {each.source.source_id: each for client in clients for each in client.records}


def window_ends(system: System, names: Collection[str] | None = None) -> list[int]:
    """Return the moments that are still to come at which windows end, of some sources or all."""
    ends = {
        end
        for name, record in records_by_name(system).items()
        for end in ends_of(record)
        if names is None or name in names
    }
    return sorted(end for end in ends if system.now < end)


def begins(output: Output, prefix: Output) -> bool:
    """Tell whether an output begins with the counts of the windows that have passed."""
    pairs = zip(output, prefix, strict=True)
    return all(counts[: len(passed)] == passed for counts, passed in pairs)
