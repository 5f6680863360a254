r"""The ARA client for event-level reports: sources, triggers, and windows that pass.

A source lists trigger data, each with reporting windows and summary buckets. A trigger adds its
value to the newest active source that matches it and lists its datum. When a window of a datum
passes, the client sends one report for every bucket that the datum's value has reached since the
last report, until the source has sent as many reports as it may.

The noisy client decides at registration whether a source will answer truthfully or with an output
drawn from its output set. A source that answers with a drawn output still keeps the truthful
account of values and reports. So which source a trigger is attributed to never depends on the coin.

A window ends at a moment. What is registered at that moment comes after the window, because time
passes up to a moment before anything happens at it.

Paper: Sec. 2.2; Alg. 4.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from immutables import Map

from spec.attribution_client import DEVICE, DuplicateSource, SourceId
from spec.numbers import Power, SpecError, whole
from spec.randomized_response import RandomizedResponse
from spec.reports import checked_filters, checked_names, checked_value

if TYPE_CHECKING:
    from spec.contributions import Unit
    from spec.distributions import Draw
    from spec.event_outputs import Output
    from spec.rules import AtEventSource, AtEventTrigger, AtWindows, Limits

TriggerData: TypeAlias = int | str

TRIGGER_DATA_BITS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class TriggerSpecification:
    """Hold one element of trigSpec: a trigger datum, its reporting windows and summary buckets.

    A window is the number of seconds from the source's registration to its end.
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
    """

    source_id: SourceId
    destination: str
    expiry: int
    filters: frozenset[str]
    maximum_reports: int
    specifications: tuple[TriggerSpecification, ...]
    device: str = DEVICE

    def __post_init__(self) -> None:
        checked_names(source_id=self.source_id, destination=self.destination, device=self.device)
        checked_filters(self.filters)
        whole(self.expiry, "expiry")
        checked_value(self.maximum_reports, "maximum_reports")
        listed = [specification.data for specification in self.specifications]
        for position, data in enumerate(listed):
            if data in listed[:position]:
                raise BadTriggerData(f"trigger datum {data!r} is listed twice")


@dataclass(frozen=True, slots=True, kw_only=True)
class EventTrigger:
    """Hold a trigger (dest, trigId, trigFilt, trigData, trigValue)."""

    trigger_id: str
    destination: str
    filters: frozenset[str]
    data: TriggerData
    value: int
    device: str = DEVICE

    def __post_init__(self) -> None:
        checked_names(trigger_id=self.trigger_id, destination=self.destination, device=self.device)
        checked_filters(self.filters)
        checked_data(self.data)
        checked_value(self.value, "value")


@dataclass(frozen=True, slots=True, kw_only=True)
class EventReport:
    """Hold an event-level report (srcId, trigData, $b_i$)."""

    source_id: SourceId
    data: TriggerData
    bucket: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRecord:
    r"""Hold a registered source with its account.

    `values` is $V(s, \cdot)$, `reported` is $U(s, \cdot)$ and `sent` is $N(s)$, with zero for what
    is not there. All three follow the noiseless client. `response` is the drawn output, or None if
    the source answers truthfully.
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
    """Hold a device's event-level sources with their accounts, the newest first."""

    records: tuple[SourceRecord, ...] = ()


def register_event_source(at: AtEventSource, source: EventSource, draw: Draw) -> EventClient:
    """Add the source, and draw whether it will answer truthfully.

    Deviates: B18 a source is registered once; the pseudocode would refill its budget.
    Paper: Sec. 2.2; Alg. 4; Alg. 8.
    """
    checked_limits(at.limits, source)
    if any(source.source_id == known.source.source_id for known in at.client.records):
        raise DuplicateSource(f"source {source.source_id!r} is registered already")
    response = draw(response_law(at, source))
    record = SourceRecord(source=source, registered_at=at.now, response=response)
    return replace(at.client, records=(record, *at.client.records))


def response_law(at: AtEventSource, source: EventSource) -> RandomizedResponse[Output]:
    r"""Return the law of a source's response: the truth, or a uniform element of $\mathcal{O}$.

    Paper: Sec. 2.2; Alg. 8.
    """
    return RandomizedResponse(
        outputs=at.rules.output_set(at, source),
        power=Power(at.limits.base, at.limits.event_epsilon),
        truth_probability=at.rules.truth_probability,
    )


def event_attribute(at: AtEventTrigger) -> tuple[Unit, ...]:
    """Return the newest active source that matches the trigger and lists its datum, if any.

    A trigger without value is attributed to no source.

    Deviates: B6 a source that does not list the datum is passed over, as in the pseudocode; the
    text ignores such a trigger.
    Paper: Alg. 4.
    """
    if at.cause.value > 0:
        for record in at.client.records:
            lists = specification_of(record.source, at.cause.data) is not None
            if at.rules.event_matches(at, record) and lists:
                return (record.source.source_id,)
    return ()


def event_matches(at: AtEventTrigger, record: SourceRecord) -> bool:
    """Match an active source on the destination and at least one common filter.

    A source is inactive once it has expired, or a window has passed with its reports used up.

    Deviates: B6 as in the text and its example; the pseudocode never ends a source. B12 an empty
    filter set matches nothing, as written; the shipped API differs. B22 that a source has expired
    is decided here; expired sources stay registered.
    Paper: Sec. 2.2; Alg. 4.
    """
    return (
        record.active
        and at.now < record.source.expiry
        and record.source.destination == at.cause.destination
        and bool(record.source.filters & at.cause.filters)
    )


def register_event_trigger(at: AtEventTrigger, credited: tuple[Unit, ...]) -> EventClient:
    r"""Add the trigger's value to $V(s, \cdot)$ of every credited source $s$.

    A credited source that does not list the trigger's datum is left as it is.
    """
    trigger, records = at.cause, list(at.client.records)
    for unit in credited:
        places = [i for i, record in enumerate(records) if record.source.source_id == unit]
        if not places:
            raise UnknownSource(f"no event-level source {unit!r} is registered")
        record = records[places[0]]
        if specification_of(record.source, trigger.data) is not None:
            value = record.values.get(trigger.data, 0) + trigger.value
            records[places[0]] = replace(record, values=record.values.set(trigger.data, value))
    return replace(at.client, records=tuple(records))


def pass_windows(
    at: AtWindows, since: int, draw: Draw
) -> tuple[EventClient, tuple[EventReport, ...]]:
    """Let every window pass that ends after `since` and not after now; return the reports sent.

    Windows pass in the order of their ends, at one moment in the order of registration, and for
    one source in the order of its specifications. The paper's client draws nothing here, because
    the response is drawn at registration.
    """
    oldest_first = list(reversed(at.client.records))
    passing = sorted(
        (record.registered_at + end, place, datum, window)
        for place, record in enumerate(oldest_first)
        for datum, specification in enumerate(record.source.specifications)
        for window, end in enumerate(specification.windows)
        if since < record.registered_at + end <= at.now
    )
    reports: tuple[EventReport, ...] = ()
    for _, place, datum, window in passing:
        oldest_first[place], sent = pass_window(oldest_first[place], datum, window)
        reports += sent
    return replace(at.client, records=tuple(reversed(oldest_first))), reports


def ends_of(record: SourceRecord) -> tuple[int, ...]:
    """Return the moments at which windows of a source end."""
    windows = (end for each in record.source.specifications for end in each.windows)
    return tuple(record.registered_at + end for end in windows)


def pass_window(
    record: SourceRecord, datum: int, window: int
) -> tuple[SourceRecord, tuple[EventReport, ...]]:
    """Let one window of one trigger datum pass; return the reports that are really sent."""
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


def event_visible(at: AtWindows, report: EventReport) -> Hashable:
    """Show the ad-tech the whole report, which is not encrypted."""
    return report


def specification_of(source: EventSource, data: TriggerData) -> TriggerSpecification | None:
    """Return the source's specification for a trigger datum, or None if it lists none."""
    for specification in source.specifications:
        if specification.data == data:
            return specification
    return None


def checked_data(data: object) -> None:
    """Refuse a trigger datum that is neither a number of 5 bits nor a string.

    A string stands for a datum by a name of its own; how many a source lists is bounded by the
    rules' limits.

    Deviates: B21 a datum may have a name instead of a number.
    Paper: Sec. 2.2.
    """
    if isinstance(data, bool) or not isinstance(data, int | str):
        raise BadTriggerData(f"a trigger datum is a number or a string, not {data!r}")
    if isinstance(data, int) and not 0 <= data < 2**TRIGGER_DATA_BITS:
        raise BadTriggerData(f"a trigger datum has {TRIGGER_DATA_BITS} bits, not {data}")


def checked_increasing(values: tuple[int, ...], name: str) -> None:
    """Refuse values that are not positive whole numbers in strictly increasing order."""
    for value in values:
        whole(value, name)
    for earlier, later in pairwise((0, *values)):
        if later <= earlier:
            raise NotIncreasing(f"{name} must be positive and increase strictly, not {values}")


def checked_limits(limits: Limits, source: EventSource) -> None:
    """Refuse a source with too many reports, trigger data, windows or buckets."""
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


class NotIncreasing(SpecError):
    """Report windows or buckets that are not positive and strictly increasing."""


class BadTriggerData(SpecError):
    """Report a trigger datum that is neither a number nor a string, or that is listed twice."""


class BeyondLimits(SpecError):
    """Report a source that asks for more than the public limits allow."""


class UnknownSource(SpecError):
    """Report a source identifier that was never registered."""
