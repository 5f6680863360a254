r"""The ARA client for event-level reports: sources, triggers, and windows that pass.

A source lists trigger data, each with reporting windows and summary buckets. A trigger adds its
value to the newest active source that matches it and lists its datum. When a window of a datum
passes, the client sends one report for every bucket that the datum's value has reached since the
last report, until the source has sent as many reports as it may.

The noisy client decides at registration whether a source will answer truthfully or with an output
drawn from its output set. A source that answers with a drawn output still keeps the truthful
account of values and reports. So which source a trigger is attributed to never depends on the coin.

Paper: Sec. 2.2; Alg. 4.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from immutables import Map

from spec.agenda import Agenda, added, earliest, without_earliest
from spec.attribution_client import DuplicateSource, SourceId, UnknownSource
from spec.chronology import ANYWHERE, Chronology
from spec.numbers import Power, SpecError, whole
from spec.randomized_response import RandomizedResponse
from spec.reports import (
    TimeRunsBackwards,
    checked_filters,
    checked_names,
    checked_time,
    checked_value,
)

if TYPE_CHECKING:
    from spec.contributions import Unit
    from spec.distributions import Draw
    from spec.event_outputs import Output
    from spec.rules import Limits, Rules

TriggerData: TypeAlias = int | str


class NotIncreasing(SpecError):
    """Report windows or buckets that are not positive and strictly increasing.

    Paper: none (bad input).
    """


class BadTriggerData(SpecError):
    """Report a trigger datum that is neither a number nor a string, or that is listed twice.

    Paper: none (bad input).
    """


class BeyondLimits(SpecError):
    """Report a source that asks for more than the public limits allow.

    Paper: none (bad input).
    """


class WindowsMissed(SpecError):
    """Report windows that ended before a trigger or an interval, and never passed themselves.

    Paper: none (bad input).
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class TriggerSpecification:
    """Hold one element of trigSpec: a trigger datum, its reporting windows and summary buckets.

    A window is the number of seconds from the source's registration to its end.

    Paper: Sec. 2.2.
    """

    data: TriggerData
    windows: tuple[int, ...]
    buckets: tuple[int, ...]

    def __post_init__(self) -> None:
        checked_data(self.data)
        checked_increasing(self.windows, "windows")
        checked_increasing(self.buckets, "buckets")


@dataclass(frozen=True, slots=True, kw_only=True)
class EventSource:
    """Hold an attribution source (srcId, dest, expDate, srcFilt, maxReports, trigSpec).

    `expiry` is the time from which on no trigger is attributed to the source.

    Paper: Sec. 2.2; Alg. 4.
    """

    source_id: SourceId
    destination: str
    expiry: int
    filters: frozenset[str]
    maximum_reports: int
    specifications: tuple[TriggerSpecification, ...]

    def __post_init__(self) -> None:
        checked_names(source_id=self.source_id, destination=self.destination)
        checked_filters(self.filters)
        whole(self.expiry, "expiry")
        checked_value(self.maximum_reports, "maximum_reports")
        listed = [specification.data for specification in self.specifications]
        for position, data in enumerate(listed):
            if data in listed[:position]:
                raise BadTriggerData(f"trigger datum {data!r} is listed twice")


@dataclass(frozen=True, slots=True, kw_only=True)
class EventTrigger:
    """Hold a trigger (dest, trigId, trigFilt, trigData, trigValue).

    Paper: Sec. 2.2; Alg. 4.
    """

    trigger_id: str
    destination: str
    filters: frozenset[str]
    data: TriggerData
    value: int

    def __post_init__(self) -> None:
        checked_names(trigger_id=self.trigger_id, destination=self.destination)
        checked_filters(self.filters)
        checked_data(self.data)
        checked_value(self.value, "value")


@dataclass(frozen=True, slots=True, kw_only=True)
class EventReport:
    """Hold an event-level report (srcId, trigData, $b_i$).

    Paper: Alg. 4.
    """

    source_id: SourceId
    data: TriggerData
    bucket: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRecord:
    r"""Hold a registered source with its account.

    `values` is $V(s, \cdot)$, `reported` is $U(s, \cdot)$ and `sent` is $N(s)$, with zero for what
    is not there. All three follow the noiseless client. `response` is the drawn output, or None if
    the source answers truthfully.

    Paper: Sec. 2.2; Alg. 4.
    """

    source: EventSource
    registered_at: int
    response: Output | None = None
    values: Map[TriggerData, int] = Map()
    reported: Map[TriggerData, int] = Map()
    sent: int = 0
    active: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class EventClient:
    """Hold the registered sources, and when their windows end.

    `due` lists the moments at which windows end.

    Paper: Alg. 4.
    """

    records: Map[SourceId, SourceRecord] = Map()
    order: Chronology = Chronology()
    due: Agenda | None = None
    clock: int = 0


def register_event_source(
    rules: Rules, client: EventClient, source: EventSource, now: int, draw: Draw
) -> EventClient:
    """Add the source, and draw whether it will answer truthfully.

    Paper: Sec. 2.2; Alg. 4; Alg. 8.
    """
    checked_time(client.clock, now)
    checked_limits(rules.limits, source)
    if source.source_id in client.records:
        raise DuplicateSource(f"source {source.source_id!r} is registered already")
    response = draw(response_law(rules, source))
    record = SourceRecord(source=source, registered_at=now, response=response)
    client = forget_inactive(client, source.destination, now)
    due = client.due
    for end in {end for each in source.specifications for end in each.windows}:
        due = added(due, (now + end, len(client.records), source.source_id))
    return replace(
        client,
        records=client.records.set(source.source_id, record),
        order=client.order.with_newest(source.destination, source.source_id),
        due=due,
        clock=now,
    )


def response_law(rules: Rules, source: EventSource) -> RandomizedResponse[Output]:
    r"""Return the law of a source's response: the truth, or a uniform element of $\mathcal{O}$.

    Paper: Sec. 2.2; Alg. 8.
    """
    return RandomizedResponse(
        outputs=rules.output_set(rules.limits, source),
        power=Power(rules.limits.base, rules.limits.event_epsilon),
        truth_probability=rules.truth_probability,
    )


def event_attribute(
    rules: Rules, client: EventClient, trigger: EventTrigger, now: int
) -> tuple[Unit, ...]:
    """Return the newest active source that matches the trigger and lists its datum, if any.

    A trigger without value is attributed to no source.

    Deviates: B6 a source that does not list the datum is passed over, as in the pseudocode; the
    text ignores such a trigger.
    Paper: Alg. 4.
    """
    if trigger.value > 0:
        file = trigger.destination if rules.event_matches is event_matches else ANYWHERE
        for record in map(client.records.__getitem__, client.order.newest_first(file)):
            if (
                is_active(record, now)
                and rules.event_matches(record.source, trigger)
                and specification_of(record.source, trigger.data) is not None
            ):
                return (record.source.source_id,)
    return ()


def forget_inactive(client: EventClient, destination: str, now: int) -> EventClient:
    """Skip the newest sources as far as no trigger is attributed to them any more.

    Paper: none (keeps each step's time independent of the history).
    """
    order = client.order.without_newest(
        destination, lambda source_id: not is_active(client.records[source_id], now)
    )
    return replace(client, order=order)


def event_matches(source: EventSource, trigger: EventTrigger) -> bool:
    """Match on the destination and at least one common filter.

    Deviates: B12 an empty filter set matches nothing, as written; the shipped API differs.
    Paper: Alg. 4.
    """
    return source.destination == trigger.destination and bool(source.filters & trigger.filters)


def is_active(record: SourceRecord, now: int) -> bool:
    """Tell whether triggers can be attributed to the source.

    A source is inactive once it has expired, and once a window passed that found its reports used
    up.

    Deviates: B6 as in the text and its example; the pseudocode never ends a source.
    Paper: Sec. 2.2.
    """
    return record.active and now < record.source.expiry


def register_event_trigger(
    rules: Rules, client: EventClient, trigger: EventTrigger, now: int, credited: tuple[Unit, ...]
) -> EventClient:
    r"""Add the trigger's value to $V(s, \cdot)$ of every credited source $s$.

    A credited source that does not list the trigger's datum is left as it is.

    Paper: Alg. 4.
    """
    checked_time(client.clock, now)
    if client.due is not None and earliest(client.due)[0] < now:
        raise WindowsMissed(f"a window ended at {earliest(client.due)[0]} that did not pass yet")
    client = forget_inactive(client, trigger.destination, now)
    records = client.records
    for unit in credited:
        if not isinstance(unit, str) or unit not in records:
            raise UnknownSource(f"no event-level source {unit!r} is registered")
        record = records[unit]
        if specification_of(record.source, trigger.data) is not None:
            value = record.values.get(trigger.data, 0) + trigger.value
            records = records.set(
                unit, replace(record, values=record.values.set(trigger.data, value))
            )
    return replace(client, records=records, clock=now)


def pass_windows(
    rules: Rules, client: EventClient, since: int, now: int, draw: Draw
) -> tuple[EventClient, tuple[EventReport, ...]]:
    """Let every window pass that ends after `since` and not after `now`; return the reports sent.

    Windows pass in the order of their ends, at one moment in the order of registration, and for
    one source in the order of its specifications. The paper's client draws nothing here, because
    the response is drawn at registration.

    Paper: Sec. 2.2; Alg. 4.
    """
    checked_time(client.clock, now)
    if whole(since, "since") > now:
        raise TimeRunsBackwards(f"time cannot pass from {since} to {now}")
    records, due = client.records, client.due
    if due is not None and earliest(due)[0] <= since:
        raise WindowsMissed(f"a window ended at {earliest(due)[0]} that did not pass by {since}")
    reports: list[EventReport] = []
    while due is not None and earliest(due)[0] <= now:
        end, _, source_id = earliest(due)
        record, sent = pass_moment(records[source_id], end)
        records, due = records.set(source_id, record), without_earliest(due)
        reports.extend(sent)
    return replace(client, records=records, due=due, clock=now), tuple(reports)


def pass_moment(record: SourceRecord, end: int) -> tuple[SourceRecord, tuple[EventReport, ...]]:
    """Let all windows of a source pass that end at the given moment.

    Paper: Sec. 2.2; Alg. 4.
    """
    reports: tuple[EventReport, ...] = ()
    for datum, specification in enumerate(record.source.specifications):
        if end - record.registered_at in specification.windows:
            window = specification.windows.index(end - record.registered_at)
            record, sent = pass_window(record, datum, window)
            reports += sent
    return record, reports


def pass_window(
    record: SourceRecord, datum: int, window: int
) -> tuple[SourceRecord, tuple[EventReport, ...]]:
    """Let one window of one trigger datum pass; return the reports that are really sent.

    Paper: Sec. 2.2; Alg. 4.
    """
    specification = record.source.specifications[datum]
    record, truthful = report_truthfully(record, specification)
    if record.response is None:
        return record, truthful
    before, count = sum(record.response[datum][:window]), record.response[datum][window]
    return record, tuple(
        EventReport(source_id=record.source.source_id, data=specification.data, bucket=bucket)
        for bucket in specification.buckets[before : before + count]
    )


def report_truthfully(
    record: SourceRecord, specification: TriggerSpecification
) -> tuple[SourceRecord, tuple[EventReport, ...]]:
    r"""Send a report for every bucket $b_i$ with $U < b_i \le V$, while $N$ is below the maximum.

    The last reported bucket $U$ moves on even if the maximum keeps the report back.

    Paper: Alg. 4.
    """
    source, data = record.source, specification.data
    value, reported = record.values.get(data, 0), record.reported.get(data, 0)
    used_up = record.sent >= source.maximum_reports
    sent = record.sent
    reports: list[EventReport] = []
    for bucket in specification.buckets:
        if reported < bucket <= value:
            reported = bucket
            if sent < source.maximum_reports:
                sent += 1
                reports.append(EventReport(source_id=source.source_id, data=data, bucket=bucket))
    after = replace(
        record,
        reported=record.reported.set(data, reported),
        sent=sent,
        active=record.active and not used_up,
    )
    return after, tuple(reports)


def event_visible(client: EventClient, report: EventReport) -> Hashable:
    """Show the ad-tech the whole report, which is not encrypted.

    Paper: Sec. 2.2; Alg. 4.
    """
    return report


def specification_of(source: EventSource, data: TriggerData) -> TriggerSpecification | None:
    """Return the source's specification for a trigger datum, or None if it lists none.

    Paper: Sec. 2.2; Alg. 4.
    """
    for specification in source.specifications:
        if specification.data == data:
            return specification
    return None


def checked_data(data: object) -> None:
    """Refuse a trigger datum that is neither a natural number nor a string.

    The paper's data have 3 or 5 bits; how many differ is bounded by the rules' limits.

    Paper: Sec. 2.2.
    """
    if isinstance(data, bool) or not isinstance(data, int | str):
        raise BadTriggerData(f"a trigger datum is a number or a string, not {data!r}")
    if isinstance(data, int):
        checked_value(data, "data")


def checked_increasing(values: tuple[int, ...], name: str) -> None:
    """Refuse values that are not positive whole numbers in strictly increasing order.

    Paper: Sec. 2.2.
    """
    for value in values:
        whole(value, name)
    for earlier, later in pairwise((0, *values)):
        if later <= earlier:
            raise NotIncreasing(f"{name} must be positive and increase strictly, not {values}")


def checked_limits(limits: Limits, source: EventSource) -> None:
    """Refuse a source with too many reports, trigger data, windows or buckets.

    Paper: Sec. 2.2.
    """
    asked = [
        ("reports", source.maximum_reports, limits.maximum_reports),
        ("trigger data", len(source.specifications), limits.maximum_trigger_data),
    ]
    for each in source.specifications:
        asked.append(("windows", len(each.windows), limits.maximum_windows))
        asked.append(("buckets", len(each.buckets), limits.maximum_buckets))
    for name, count, most in asked:
        if count > most:
            raise BeyondLimits(f"a source may have at most {most} {name}, not {count}")
