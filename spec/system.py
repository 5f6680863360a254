r"""The APIs as one system: the devices, the aggregation service, and what the ad-tech sees.

A move is what can happen: a source, a trigger, an event or a query is registered, or time passes.
The observation is everything the ad-tech sees because of it: which reports arrive and what is
public in them, event-level reports, the answer of the service. This is the interactive mechanism
that users of the APIs talk to. Its privacy is what the theorems are about.

A step has three parts. To *decide* says who is credited with what. To *admit* changes what the
clients keep, and says what is granted of each credit. To *send* says what leaves and what is seen.
The world without a unit differs between the first two parts; `spec/neighbours/` says how.

Paper: Sec. 2; Sec. 4.2; Sec. 4.3; Sec. 5.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar

from immutables import Map

from spec.aggregation_service import Query, Service, named_reports
from spec.attribution_client import AttributionClient, DuplicateSource, Source, SourceId, Trigger
from spec.contributions import Credit, Unit
from spec.distributions import Draw
from spec.event_client import EventClient, EventSource, EventTrigger
from spec.numbers import SpecError, whole
from spec.private_aggregation_client import AggregationClient, Event
from spec.reports import Report, ReportId, Sent, checked_report
from spec.rules import AtService, OnDevice, Rules

M = TypeVar("M", bound=Source | Trigger | Event | EventSource | EventTrigger)
C = TypeVar("C", AttributionClient, AggregationClient)


@dataclass(frozen=True, slots=True, kw_only=True)
class PassTime:
    """Let time pass until the given moment."""

    until: int

    def __post_init__(self) -> None:
        whole(self.until, "until")


Move: TypeAlias = Source | Trigger | Event | EventSource | EventTrigger | PassTime | Query
Observation: TypeAlias = tuple[Hashable, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    """Hold every device's clients, the service, and the reports that the ad-tech holds.

    A device that is not in a map has done nothing yet. `registered` says on which device each
    source is, `used_ids` which report identifiers are taken.
    """

    now: int = 0
    attribution: Map[str, AttributionClient] = Map()
    aggregation: Map[str, AggregationClient] = Map()
    events: Map[str, EventClient] = Map()
    registered: Map[SourceId, str] = Map()
    service: Service = Service()
    reports: Map[ReportId, Report] = Map()
    in_flight: tuple[Sent, ...] = ()
    used_ids: Map[ReportId, None] = Map()


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Hold what a move decides: the client that decided, and who is credited with what.

    `credited` names the sources that an event-level trigger is credited to.
    """

    client: AttributionClient | AggregationClient | None = None
    credits: tuple[Credit, ...] = ()
    credited: tuple[Unit, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemMechanism:
    """Be the interactive mechanism of the whole system under the given rules."""

    rules: Rules

    @property
    def initial(self) -> System:
        """Return the system in which nothing has happened."""
        return System(service=self.rules.initial.service)

    def step(self, state: System, action: Move, draw: Draw) -> tuple[System, Observation]:
        """Make one move."""
        return step(self.rules, state, action, draw)


def step(rules: Rules, system: System, move: Move, draw: Draw) -> tuple[System, Observation]:
    """Make one move; return the next state and what the ad-tech sees."""
    decision = decide(rules, system, move, draw)
    system, granted = admit(rules, system, move, decision, draw)
    return send(rules, system, move, granted, draw)


def decide(rules: Rules, system: System, move: Move, draw: Draw) -> Decision:
    """Say who is credited with what, and what the client keeps of deciding but for budgets."""
    match move:
        case Trigger():
            at = on_attribution(rules, system, move)
            return decided(AttributionClient, at.client, *rules.attribute(at, draw))
        case Event():
            on_event = on_aggregation(rules, system, move)
            return decided(AggregationClient, on_event.client, *rules.propose(on_event, draw))
        case EventTrigger():
            return Decision(credited=draw(rules.event_attribute(on_events(rules, system, move))))
        case _:
            return Decision()


def admit(
    rules: Rules, system: System, move: Move, decision: Decision, draw: Draw
) -> tuple[System, tuple[Credit, ...]]:
    """Let the device's client take in the move; return what is granted of each credit."""
    match move:
        case Source():
            system = claim_source(system, move)
            client = rules.register_source(on_attribution(rules, system, move), move)
            return replace(system, attribution=system.attribution.set(move.device, client)), ()
        case Trigger():
            at = on_attribution(rules, system, move)
            client, granted = grant(AttributionClient, at, decision)
            system = claim_identifier(system, move.report_id)
            return replace(system, attribution=system.attribution.set(move.device, client)), granted
        case Event():
            on_event = on_aggregation(rules, system, move)
            after, granted = grant(AggregationClient, on_event, decision)
            system = claim_identifier(system, move.report_id)
            return replace(system, aggregation=system.aggregation.set(move.device, after)), granted
        case EventSource():
            system = claim_source(system, move)
            events = rules.register_event_source(on_events(rules, system, move), move, draw)
            return replace(system, events=system.events.set(move.device, events)), ()
        case EventTrigger():
            events = rules.register_event_trigger(on_events(rules, system, move), decision.credited)
            return replace(system, events=system.events.set(move.device, events)), ()
        case _:
            return system, ()


def send(
    rules: Rules, system: System, move: Move, granted: tuple[Credit, ...], draw: Draw
) -> tuple[System, Observation]:
    """Let leave what leaves because of the move; return what the ad-tech sees."""
    match move:
        case Trigger():
            sent = draw(rules.send(on_attribution(rules, system, move), granted))
            return deliver(system, move, sent)
        case Event():
            sent = draw(rules.send(on_aggregation(rules, system, move), granted))
            return deliver(system, move, sent)
        case PassTime():
            return pass_time(rules, system, move.until, draw)
        case Query():
            return ask(rules, system, move, draw)
        case Source() | EventSource() | EventTrigger():
            return system, ()
        case _:
            raise UnknownMove(f"{move!r} is not a move")


def decided(kind: type[C], client: C, after: C, credits: tuple[Credit, ...]) -> Decision:
    """Return the decision of a client: it stays a client of its kind, and its budgets stay."""
    if not isinstance(after, kind):
        raise ForeignClient(f"a rule decides with {after!r}, which is no {kind.__name__}")
    if after.budgets is not client.budgets and after.budgets != client.budgets:
        raise BudgetDecided("a rule that decides credits changes a budget: `contribute` does that")
    return Decision(client=after, credits=credits)


def grant(
    kind: type[C], at: OnDevice[C, Trigger | Event], decision: Decision
) -> tuple[C, tuple[Credit, ...]]:
    """Admit the credits of a client that has decided, on the budgets of this world."""
    if not isinstance(decision.client, kind):
        raise ForeignClient(f"{decision.client!r} is to admit credits, and is no {kind.__name__}")
    client = replace(decision.client, budgets=at.client.budgets)
    budgets, granted = at.rules.contribute(replace(at, client=client), decision.credits)
    return replace(client, budgets=budgets), granted


def deliver(
    system: System, move: Trigger | Event, sent: tuple[Sent, ...]
) -> tuple[System, Observation]:
    """Deliver the reports that arrive at once, and keep the others until they do.

    Of several reports one may bear the identifier of the trigger or event itself.
    """
    own = [each for each in sent if each.report.report_id == move.report_id]
    others = [each for each in sent if each.report.report_id != move.report_id]
    if len(own) > 1:
        raise DuplicateReport(f"two reports are sent with identifier {move.report_id}")
    for each in others:
        system = claim_identifier(system, each.report.report_id)
    for each in sent:
        checked_report(each.report)
        if whole(each.arrival, "arrival") < system.now:
            raise TimeRunsBackwards(f"a report of {system.now} arrives at {each.arrival}")
    arrived = tuple(each for each in sent if each.arrival == system.now)
    system = replace(
        system,
        reports=system.reports.update({each.report.report_id: each.report for each in arrived}),
        in_flight=system.in_flight + tuple(each for each in sent if each.arrival > system.now),
    )
    return system, tuple(each.shown for each in arrived)


def pass_time(rules: Rules, system: System, until: int, draw: Draw) -> tuple[System, Observation]:
    """Let time pass: reports in flight arrive, and the windows that end send their reports.

    Reports arrive in the order of their times. Event-level reports come device by device, for every
    device on which anything has happened.
    """
    since = system.now
    if until < since:
        raise TimeRunsBackwards(f"the time is {since} already, not {until}")
    arrived = [each for each in system.in_flight if each.arrival <= until]
    arrived.sort(key=lambda each: each.arrival)
    system = replace(
        system,
        now=until,
        reports=system.reports.update({each.report.report_id: each.report for each in arrived}),
        in_flight=tuple(each for each in system.in_flight if each.arrival > until),
    )
    seen = [each.shown for each in arrived]
    for device in sorted({*system.attribution, *system.aggregation, *system.events}):
        client = system.events.get(device, rules.initial.events)
        at = OnDevice(rules=rules, now=until, client=client, cause=None)
        client, reports = rules.pass_windows(at, since, draw)
        system = replace(system, events=system.events.set(device, client))
        at = replace(at, client=client)
        seen += [draw(rules.event_visible(at, report)) for report in reports]
    return system, tuple(seen)


def ask(rules: Rules, system: System, query: Query, draw: Draw) -> tuple[System, Observation]:
    """Send the reports that the query names to the service."""
    at = AtService(rules=rules, now=system.now, service=system.service, query=query)
    service, shown = rules.serve(at, named_reports(query, system.reports), draw)
    return replace(system, service=service), (shown,)


def on_attribution(rules: Rules, system: System, move: M) -> OnDevice[AttributionClient, M]:
    """Return what a rule of the move's device sees in its ARA client."""
    client = system.attribution.get(move.device, rules.initial.attribution)
    return OnDevice(rules=rules, now=system.now, client=client, cause=move)


def on_aggregation(rules: Rules, system: System, move: M) -> OnDevice[AggregationClient, M]:
    """Return what a rule of the move's device sees in its PAA client."""
    client = system.aggregation.get(move.device, rules.initial.aggregation)
    return OnDevice(rules=rules, now=system.now, client=client, cause=move)


def on_events(rules: Rules, system: System, move: M) -> OnDevice[EventClient, M]:
    """Return what a rule of the move's device sees in its event-level client."""
    client = system.events.get(move.device, rules.initial.events)
    return OnDevice(rules=rules, now=system.now, client=client, cause=move)


def claim_source(system: System, source: Source | EventSource) -> System:
    """Note the source's device, and refuse a source that is on another one already."""
    if system.registered.get(source.source_id, source.device) != source.device:
        raise DuplicateSource(f"source {source.source_id!r} is registered on another device")
    return replace(system, registered=system.registered.set(source.source_id, source.device))


def claim_identifier(system: System, report_id: ReportId) -> System:
    """Note a report identifier, and refuse one that is in use already."""
    if report_id in system.used_ids:
        raise DuplicateReport(f"a report with identifier {report_id} exists already")
    return replace(system, used_ids=system.used_ids.set(report_id, None))


class UnknownMove(SpecError):
    """Report a move that is none."""


class DuplicateReport(SpecError):
    """Report a second report with the same identifier."""


class ForeignClient(SpecError):
    """Report a decision that would put something else in the place of a client."""


class BudgetDecided(SpecError):
    """Report a decision on credits that changes a budget, which belongs to admission."""


class TimeRunsBackwards(SpecError):
    """Report a time that is earlier than what has happened already."""
