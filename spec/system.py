r"""The APIs as one system: the clients, the aggregation service, and what the ad-tech sees.

A move is what can happen: a source, a trigger, an event or a query is registered, or time passes.
The observation is everything the ad-tech sees because of it: which reports arrive and what is
public in them, event-level reports, the answer of the service. This is the interactive mechanism
that users of the APIs talk to. Its privacy is what the theorems are about.

Paper: Sec. 2; Sec. 4.2.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import TypeAlias

from immutables import Map

from spec.aggregation_service import Query, Service, UnknownReport
from spec.attribution_client import AttributionClient, Source, Trigger
from spec.contributions import Budgets, Cause, Credit
from spec.distributions import Draw
from spec.event_client import EventClient, EventSource, EventTrigger
from spec.numbers import SpecError, whole
from spec.private_aggregation_client import AggregationClient, Event
from spec.reports import Report, ReportId, checked_time
from spec.rules import Rules


class UnknownMove(SpecError):
    """Report a move that is none.

    Paper: none (bad input).
    """


class DuplicateReport(SpecError):
    """Report a second trigger or event with the same report identifier.

    Paper: none (bad input).
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class PassTime:
    """Let time pass until the given moment.

    Paper: Sec. 2.
    """

    until: int

    def __post_init__(self) -> None:
        whole(self.until, "until")


Move: TypeAlias = Source | Trigger | Event | EventSource | EventTrigger | PassTime | Query
Observation: TypeAlias = tuple[Hashable, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class InFlight:
    """Hold a report that was sent and has not arrived yet, with what it will show.

    Paper: none (the paper's reports arrive at once).
    """

    arrival: int
    report: Report
    shown: Hashable


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    """Hold the state of all clients and of the service, and the reports the ad-tech holds.

    Paper: Sec. 2.
    """

    now: int = 0
    attribution: AttributionClient = AttributionClient()
    aggregation: AggregationClient = AggregationClient()
    events: EventClient = EventClient()
    service: Service = Service()
    reports: Map[ReportId, Report] = Map()
    in_flight: tuple[InFlight, ...] = ()
    used_ids: Map[ReportId, None] = Map()


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemMechanism:
    """Be the interactive mechanism of the whole system under the given rules.

    Paper: Sec. 4.2.
    """

    rules: Rules
    initial: System = System()

    def step(self, state: System, action: Move, draw: Draw) -> tuple[System, Observation]:
        """Make one move."""
        return step(self.rules, state, action, draw)


def step(rules: Rules, system: System, move: Move, draw: Draw) -> tuple[System, Observation]:
    """Make one move; return the next state and what the ad-tech sees.

    Paper: Sec. 2; Sec. 4.2.
    """
    match move:
        case Source():
            client = rules.register_source(rules, system.attribution, move, system.now)
            return replace(system, attribution=client), ()
        case Trigger():
            claim_identifier(system, move.report_id)
            attribution, credits, report = rules.register_trigger(
                rules, system.attribution, move, system.now, draw
            )
            system = replace(system, attribution=attribution)
            return send(rules, system, attribution.budgets, credits, move, report, draw)
        case Event():
            claim_identifier(system, move.report_id)
            aggregation, credits, report = rules.register_event(
                rules, system.aggregation, move, system.now, draw
            )
            system = replace(system, aggregation=aggregation)
            return send(rules, system, aggregation.budgets, credits, move, report, draw)
        case EventSource():
            events = rules.register_event_source(rules, system.events, move, system.now, draw)
            return replace(system, events=events), ()
        case EventTrigger():
            credited = rules.event_attribute(rules, system.events, move, system.now)
            events = rules.register_event_trigger(rules, system.events, move, system.now, credited)
            return replace(system, events=events), ()
        case PassTime():
            return pass_time(rules, system, move.until, draw)
        case Query():
            return ask(rules, system, move, draw)
        case _:
            raise UnknownMove(f"{move!r} is not a move")


def send(
    rules: Rules,
    system: System,
    budgets: Budgets,
    credits: tuple[Credit, ...],
    cause: Cause,
    report: Report,
    draw: Draw,
) -> tuple[System, Observation]:
    """Send the report if the rules say so, and deliver it if it arrives at once.

    Paper: Alg. 2; Alg. 3.
    """
    claim_identifier(system, report.report_id)
    system = replace(system, used_ids=system.used_ids.set(report.report_id, None))
    if not draw(rules.sends(budgets, credits, cause, report)):
        return system, ()
    shown = draw(rules.visible(budgets, credits, cause, report))
    arrival = rules.arrival(system.now, cause, report)
    if arrival > system.now:
        waiting = InFlight(arrival=arrival, report=report, shown=shown)
        return replace(system, in_flight=(*system.in_flight, waiting)), ()
    return replace(system, reports=system.reports.set(report.report_id, report)), (shown,)


def pass_time(rules: Rules, system: System, until: int, draw: Draw) -> tuple[System, Observation]:
    """Let time pass: reports in flight arrive, and the windows that end send their reports.

    Paper: Alg. 4; Sec. 2.2.
    """
    checked_time(system.now, until)
    landed = (waiting for waiting in system.in_flight if waiting.arrival <= until)
    arrived = sorted(landed, key=lambda waiting: waiting.arrival)
    events, sent = rules.pass_windows(rules, system.events, system.now, until, draw)
    seen = tuple(draw(rules.event_visible(events, report)) for report in sent)
    system = replace(
        system,
        now=until,
        events=events,
        reports=system.reports.update({w.report.report_id: w.report for w in arrived}),
        in_flight=tuple(waiting for waiting in system.in_flight if waiting.arrival > until),
    )
    return system, tuple(waiting.shown for waiting in arrived) + seen


def ask(rules: Rules, system: System, query: Query, draw: Draw) -> tuple[System, Observation]:
    """Send the reports that the query names to the service.

    Paper: Alg. 1.
    """
    for report_id in query.report_ids:
        if report_id not in system.reports:
            raise UnknownReport(f"no report with identifier {report_id} has arrived")
    batch = tuple(system.reports[report_id] for report_id in query.report_ids)
    service, shown = rules.serve(rules, system.service, query, batch, draw)
    return replace(system, service=service), (shown,)


def claim_identifier(system: System, report_id: ReportId) -> None:
    """Refuse a report identifier that is in use already.

    Paper: Sec. 2.1.
    """
    if report_id in system.used_ids:
        raise DuplicateReport(f"a report with identifier {report_id} exists already")
