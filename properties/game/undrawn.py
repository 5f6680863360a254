"""Event-level sources in a game: their responses are kept beside the clients, and drawn late.

The paper's client draws a source's response at registration, and looks at it when one of the
source's windows passes, for what is then shown. Neither its account nor anything else depends on
it. So a response is kept beside the state, and every other move is made once, whatever the
responses are. When a window passes, no more is drawn than whether the source answers truthfully
and what that window shows. What time that passes shows depends on the sources of
which a window ends alone, so it is found once for all states that have these in common.

After a source's last window nothing depends on its response and its account any more: they are
forgotten. In the run on D of the world without a unit a response never matters, because nobody
sees what is sent there.

All of this holds for the paper's event-level rules, with whichever truth probability, and for no
others: a changed rule may look at the records of sources.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from operator import itemgetter
from typing import NamedTuple, TypeAlias, TypeVar, cast

from immutables import Map

from properties.game.counting import Steps
from properties.game.world import Numbered
from spec.distributions import Distribution, Draw, Law, explore
from spec.event_client import EventClient, EventSource, SourceRecord, TriggerData, ends_of
from spec.event_outputs import Output
from spec.interaction import Mechanism
from spec.neighbours import RELATIONS, Relation, Worlds
from spec.paper import PAPER
from spec.randomized_response import RandomizedResponse
from spec.reports import Sent
from spec.rules import Rules
from spec.system import Observation, PassTime, System, step

T = TypeVar("T")
Windows: TypeAlias = tuple[tuple[int, int], ...]

LOOK_AT_RECORDS = (
    "register_event_source",
    "event_matches",
    "event_attribute",
    "register_event_trigger",
    "pass_windows",
    "event_visible",
    "output_set",
)
"""The rules that are shown the records of sources, with their responses and accounts."""


def draws_may_wait(rules: Rules, relation: Relation) -> bool:
    """Tell whether nothing looks at a response but a window that passes."""
    papers = all(getattr(rules, name) is getattr(PAPER, name) for name in LOOK_AT_RECORDS)
    nothing_yet = type(rules.initial.events) is EventClient and not rules.initial.events.records
    return papers and nothing_yet and relation in RELATIONS


@dataclass(frozen=True, slots=True, eq=False)
class Undrawn:
    """Stand for a source's response, with its law and the outcomes that are still possible."""

    law: RandomizedResponse[Output]
    outcomes: Distribution[Output | None]


@dataclass(frozen=True, slots=True)
class Late:
    """Hold a state in which all sources answer truthfully, and the responses of those that do not.

    The clients are a system, or a world without a unit.
    """

    clients: Hashable
    responses: tuple[tuple[str, Undrawn], ...] = ()


class Passing(NamedTuple):
    """Hold all that time which passes may show: reports in flight, and sources whose windows end.

    `looked` are these sources, device by device, each with its windows by datum and place, and
    `closed` all of which no window is left. `place` is a number for the rest.
    """

    now: int
    in_flight: tuple[Sent, ...]
    looked: tuple[tuple[str, SourceRecord, Windows], ...]
    closed: frozenset[str]
    place: int


Part: TypeAlias = tuple[Output, Undrawn] | None
PartLaw: TypeAlias = Distribution[Part]


@dataclass(slots=True, kw_only=True)
class Shown:
    """Hold what waits and what time that passes shows, for all worlds of some games."""

    rules: Rules
    budget: Steps
    outcomes: Callable[[Law[object]], Iterable[tuple[object, Fraction]]]
    waiting: dict[Hashable, Undrawn] = field(default_factory=dict)
    parts: dict[tuple[int, Windows], tuple[Undrawn, PartLaw]] = field(default_factory=dict)
    observations: dict[Hashable, Observation] = field(default_factory=dict)
    looked_at: dict[tuple[int, Output | None], tuple[SourceRecord, int]] = field(
        default_factory=dict
    )
    sources: Numbered = field(default_factory=Numbered)
    places: Numbered = field(default_factory=Numbered)

    def response_of(self, source: EventSource, law: RandomizedResponse[Output]) -> Undrawn:
        """Return what stands for the response of a source, which is registered once."""
        # A rule need not be hashable; what is remembered holds on to it.
        key = (source.source_id, law.outputs, law.power, id(law.truth_probability))
        found = self.waiting.get(key)
        if found is None:

            def run(draw: Draw) -> Output | None:
                self.budget.take()
                return draw(law)

            found = self.waiting[key] = Undrawn(law, explore(run, self.outcomes))
            self.budget.hold(len(found.outcomes.weights))
        return found

    def part_of(self, response: Undrawn, windows: Windows) -> PartLaw:
        """Return the law of what some windows show: an output that does, and what is then open.

        None stands for the truth.
        """
        known = self.parts.get((id(response), windows))
        if known is None:
            groups: dict[tuple[int, ...] | None, dict[Output | None, Fraction]] = {}
            for output, weight in response.outcomes.items():
                shown = None if output is None else tuple(output[d][w] for d, w in windows)
                groups.setdefault(shown, {})[output] = weight
            law: dict[Part, Fraction] = {}
            for outputs in groups.values():
                mass = sum(outputs.values(), Fraction(0))
                shares = {output: weight / mass for output, weight in outputs.items()}
                first = next(iter(outputs))
                left = Undrawn(response.law, Distribution.of(shares))
                law[None if first is None else (first, left)] = mass
            self.budget.hold(len(law))
            # What is remembered holds on to its response, so that no other gets its identity.
            known = self.parts[id(response), windows] = response, Distribution.of(law)
        return known[1]

    def seen(self, passing: Passing, action: PassTime, drawn: list[Output | None]) -> Observation:
        """Return what is seen of the windows that pass, with the responses of their sources."""
        sources = zip(passing.looked, drawn, strict=True)
        numbers = tuple([self.source(each[1], response) for each, response in sources])
        key = (passing.place, action.until, numbers)
        found = self.observations.get(key)
        if found is None:
            self.budget.hold(1)
            records: dict[str, tuple[SourceRecord, ...]] = {}
            for (device, *_), number in zip(passing.looked, numbers, strict=True):
                record = cast(SourceRecord, self.sources.values[number])
                records[device] = (*records.get(device, ()), record)
            events = {device: EventClient(records=each) for device, each in records.items()}
            before = System(now=passing.now, in_flight=passing.in_flight, events=Map(events))
            _, found = step(self.rules, before, action, nothing_is_drawn)
            self.observations[key] = found
        return found

    def source(self, record: SourceRecord, response: Output | None) -> int:
        """Return the number of a source with its account, or with its response alone."""
        known = self.looked_at.get((id(record), response))
        if known is None:
            view = record
            if response is not None:
                view = SourceRecord(
                    source=record.source, registered_at=record.registered_at, response=response
                )
            # What is remembered holds on to its record, so that no other gets its identity.
            known = self.looked_at[id(record), response] = record, self.sources(view)
        return known[1]

    def passing(self, own: System, until: int) -> Passing:
        """Return the sources of a system of which a window ends until a moment."""
        listed = [
            (device, each) for device in sorted(own.events) for each in own.events[device].records
        ]
        windows = [(*each, passing_windows(own.now, until, each[1])) for each in listed]
        looked = tuple(each for each in windows if each[2])
        devices = tuple(device for device, *_ in looked)
        return Passing(
            now=own.now,
            in_flight=own.in_flight,
            looked=looked,
            closed=frozenset(x.source.source_id for _, x in listed if not ends_after(until, x)),
            place=self.places((own.now, own.in_flight, devices)),
        )


def nothing_is_drawn(law: T | Law[T], /) -> T:
    """Refuse to draw: the paper's windows do not."""
    assert not isinstance(law, Law)
    return law


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnLate:
    """Be the same mechanism, the system or the world without a unit, with responses apart."""

    mechanism: Mechanism[Hashable, Hashable, Hashable]
    shown: Shown
    number: Numbered = field(default_factory=Numbered)
    moved: dict[tuple[int, int], tuple[Hashable, Late, Hashable]] = field(default_factory=dict)
    passing: dict[tuple[int, int], Passing] = field(default_factory=dict)
    states: dict[Hashable, Late] = field(default_factory=dict)

    @property
    def initial(self) -> Hashable:
        """Return the mechanism's own initial state, and no responses."""
        return Late(self.mechanism.initial)

    def step(self, state: Hashable, action: Hashable, draw: Draw) -> tuple[Hashable, Hashable]:
        """Make a move; draw the responses that it looks at, and let others wait."""
        if not isinstance(state, Late):
            return self.mechanism.step(state, action, draw)
        after, seen = self.move(state.clients, action, draw)
        responses = (*state.responses, *after.responses)
        if isinstance(action, PassTime):
            responses, seen = self.passed(state, action, draw)
        responses = tuple(sorted(responses, key=itemgetter(0)))
        key = (self.number(after.clients), responses)
        return self.states.setdefault(key, Late(after.clients, responses)), seen

    def passed(
        self, state: Late, action: PassTime, draw: Draw
    ) -> tuple[tuple[tuple[str, Undrawn], ...], Observation]:
        """Let time pass; return the responses that are still looked at, and what is seen."""
        key = (self.number(state.clients), action.until)
        passing = self.passing.get(key)
        if passing is None:
            passing = self.passing[key] = self.shown.passing(own_of(state), action.until)
        responses = dict(state.responses)
        drawn: list[Output | None] = []
        for _, record, windows in passing.looked:
            response = responses.pop(record.source.source_id, None)
            part = None if response is None else draw(self.shown.part_of(response, windows))
            drawn.append(None if part is None else part[0])
            if part is not None:
                responses[record.source.source_id] = part[1]
        left = tuple(each for each in responses.items() if each[0] not in passing.closed)
        return left, self.shown.seen(passing, action, drawn)

    def move(self, clients: Hashable, action: Hashable, draw: Draw) -> tuple[Late, Hashable]:
        """Make a move where all sources answer truthfully, once if nothing is drawn."""
        number = self.number(clients)
        known = self.moved.get((number, id(action)))
        if known is None:
            drew = False

            def wait(law: T | Law[T], /) -> T:
                nonlocal drew
                if type(law) is RandomizedResponse and isinstance(action, EventSource):
                    return cast(T, self.shown.response_of(action, law))
                drew = drew or isinstance(law, Law)
                return draw(law)

            after, seen = self.mechanism.step(self.number.values[number], action, wait)
            # What is remembered holds on to its action, so that no other gets its identity.
            known = action, self.apart(after), seen
            if not drew:
                self.moved[number, id(action)] = known
        return known[1:]

    def apart(self, state: Hashable) -> Late:
        """Take responses out of a state, and forget what nothing depends on any more."""
        responses: list[tuple[str, Undrawn]] = []

        def take_out(record: SourceRecord) -> SourceRecord:
            response: object = record.response
            if isinstance(response, Undrawn):
                responses.append((record.source.source_id, response))
            return cleared(record)

        def cleared(record: SourceRecord) -> SourceRecord:
            account = account_of(own.now, record)
            same = account == (record.values, record.reported, record.sent)
            if same and record.response is None:
                return record
            values, reported, sent = account
            return replace(record, response=None, values=values, reported=reported, sent=sent)

        own = own_of(state)
        system = with_records(own, take_out)
        if isinstance(state, Worlds):
            state = Worlds(real=with_records(state.real, cleared), own=system)
        else:
            state = system
        return Late(self.number.values[self.number(state)], tuple(responses))


def account_of(
    now: int, record: SourceRecord
) -> tuple[Map[TriggerData, int], Map[TriggerData, int], int]:
    """Return what later windows depend on in a source's account: values, reported and sent.

    After the last window that is nothing. Where all reports are sent it is that they are. Otherwise
    values beyond the last bucket do what the last bucket does, whatever is added to them.
    """
    if not ends_after(now, record):
        return Map(), Map(), 0
    if record.sent >= record.source.maximum_reports:
        return Map(), Map(), record.sent
    values = record.values
    for each in record.source.specifications:
        if each.data in values:
            values = values.set(each.data, min(values[each.data], max(each.buckets, default=0)))
    return values, record.reported, record.sent


def passing_windows(now: int, until: int, record: SourceRecord) -> Windows:
    """List the windows of a source that end after now and not after a moment."""
    return tuple(
        (datum, place)
        for datum, each in enumerate(record.source.specifications)
        for place, end in enumerate(each.windows)
        if now < record.registered_at + end <= until
    )


def ends_after(moment: int, record: SourceRecord) -> bool:
    """Tell whether a window of a source ends after a moment."""
    return any(moment < end for end in ends_of(record))


def own_of(state: object) -> System:
    """Return the system that the ad-tech sees."""
    if isinstance(state, Late):
        state = state.clients
    return state.own if isinstance(state, Worlds) else cast(System, state)


def with_records(system: System, change: Callable[[SourceRecord], SourceRecord]) -> System:
    """Return the system with every record of an event-level source changed, or itself."""
    for device, client in system.events.items():
        records = tuple(map(change, client.records))
        if any(new is not old for new, old in zip(records, client.records, strict=True)):
            after = replace(client, records=records)
            system = replace(system, events=system.events.set(device, after))
    return system
