r"""The ARA client for summary reports: sources, triggers, attribution.

A publisher's page registers a *source*, an advertiser's page registers a *trigger*. The client
attributes the trigger to the newest matching active source that has budget left, and sends one
aggregatable report for every trigger. If no source takes the trigger the report is null.

Three decisions make up the attribution: which sources match, in which order they are tried, and
what they would contribute. Each is a rule.

Paper: Sec. 2.1; Alg. 2.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias, overload

from immutables import Map

from spec.chronology import ANYWHERE, Chronology
from spec.contributions import Budget, Budgets, Credit
from spec.numbers import SpecError, whole
from spec.reports import (
    Contribution,
    Key,
    Report,
    ReportId,
    checked_filters,
    checked_key,
    checked_names,
    checked_time,
    checked_value,
)

if TYPE_CHECKING:
    from spec.distributions import Draw
    from spec.rules import Rules

SourceId: TypeAlias = str


class DuplicateSource(SpecError):
    """Report a source that is registered a second time.

    Paper: none (bad input).
    """


class NotACandidate(SpecError):
    """Report an order of attempts with a source that was not among the candidates.

    Paper: none (bad input).
    """


class UnknownSource(SpecError):
    """Report a source identifier that was never registered.

    Paper: none (bad input).
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Hold an attribution source (srcId, dest, expDate, srcFilt, srcKey).

    `expiry` is the time from which on the source is no longer active.

    Paper: Sec. 2.1; Alg. 2.
    """

    source_id: SourceId
    destination: str
    expiry: int
    filters: frozenset[str]
    key: Key

    def __post_init__(self) -> None:
        checked_names(source_id=self.source_id, destination=self.destination)
        checked_filters(self.filters)
        whole(self.expiry, "expiry")
        checked_key(self.key, "key")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trigger:
    """Hold a trigger (dest, trigId, trigFilt, trigKey, trigValue) and its report's identifier $r$.

    The identifier is random in the API. It is part of the input here, so that the client has no
    randomness of its own and the identifier cannot depend on attribution.

    Deviates: B12 the destination belongs to the trigger, as in the pseudocode.
    Paper: Sec. 2.1; Alg. 2.
    """

    report_id: ReportId
    destination: str
    filters: frozenset[str]
    key: Key
    value: int
    trigger_id: str = ""

    def __post_init__(self) -> None:
        checked_names(destination=self.destination, trigger_id=self.trigger_id)
        checked_filters(self.filters)
        whole(self.report_id, "report_id")
        checked_key(self.key, "key")
        checked_value(self.value, "value")


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributionClient:
    """Hold the registered sources and each source's budget.

    Paper: Alg. 2.
    """

    sources: Map[SourceId, Source] = Map()
    order: Chronology = Chronology()
    budgets: Budgets = Map()
    clock: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates(Sequence[Source]):
    """List the active sources that match a trigger, newest first.

    Sources are looked up only as far as they are read: a trigger costs as many steps as the
    attempts made for it, however many sources there are.

    Paper: Alg. 2.
    """

    rules: Rules
    client: AttributionClient
    trigger: Trigger
    now: int

    def __iter__(self) -> Iterator[Source]:
        file = self.trigger.destination if self.rules.matches is matches else ANYWHERE
        for source_id in self.client.order.newest_first(file):
            source = self.client.sources[source_id]
            if source.expiry > self.now and self.rules.matches(source, self.trigger):
                yield source

    @overload
    def __getitem__(self, index: int) -> Source: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Source, ...]: ...
    def __getitem__(self, index: int | slice) -> Source | tuple[Source, ...]:
        return tuple(self)[index]

    def __len__(self) -> int:
        return sum(1 for _ in self)


def register_source(
    rules: Rules, client: AttributionClient, source: Source, now: int
) -> AttributionClient:
    """Add the source to the registered sources, with nothing contributed yet.

    Paper: Alg. 2.
    """
    checked_time(client.clock, now)
    if source.source_id in client.sources:
        raise DuplicateSource(f"source {source.source_id!r} is registered already")
    client = forget_expired(client, source.destination, now)
    return replace(
        client,
        sources=client.sources.set(source.source_id, source),
        order=client.order.with_newest(source.destination, source.source_id),
        budgets=client.budgets.set(source.source_id, Budget()),
        clock=now,
    )


def forget_expired(client: AttributionClient, destination: str, now: int) -> AttributionClient:
    """Skip the newest sources as far as they have expired: they match no trigger any more.

    Paper: none (keeps each step's time independent of the history).
    """
    order = client.order.without_newest(
        destination, lambda source_id: client.sources[source_id].expiry <= now
    )
    return replace(client, order=order)


def register_trigger(
    rules: Rules, client: AttributionClient, trigger: Trigger, now: int, draw: Draw
) -> tuple[AttributionClient, tuple[Credit, ...], Report]:
    """Attribute the trigger, admit its contribution, and make its report.

    Paper: Alg. 2.
    """
    checked_time(client.clock, now)
    client = forget_expired(client, trigger.destination, now)
    credits = rules.attribute(rules, client, trigger, now, draw)
    budgets, granted = rules.contribute(rules, client.budgets, credits, trigger)
    report = rules.report(trigger.report_id, granted, trigger)
    return replace(client, budgets=budgets, clock=now), credits, report


def attribute(
    rules: Rules, client: AttributionClient, trigger: Trigger, now: int, draw: Draw
) -> tuple[Credit, ...]:
    """Credit the first source, in the order of attempts, that can still contribute.

    A source that would be granted nothing is passed over, and its budget stays what it was. Only
    registered sources are attempted, as they are: whose data a credit carries must be known.

    Deviates: B2 follows the pseudocode, which falls through to an older source.
    Paper: Alg. 2.
    """
    candidates = Candidates(rules=rules, client=client, trigger=trigger, now=now)
    attempts: Sequence[Source] = draw(rules.attempt_order(candidates, trigger))
    for source in attempts:
        registered = client.sources.get(source.source_id)
        if registered is not source and registered != source:
            raise NotACandidate(f"source {source.source_id!r} is attempted and not as registered")
        credit = Credit(
            unit=source.source_id, contributions=rules.contributions(rules, source, trigger)
        )
        _, granted = rules.grant(rules, client.budgets[source.source_id], credit, trigger)
        if granted:
            return (credit,)
    return ()


def matches(source: Source, trigger: Trigger) -> bool:
    """Match on the destination and at least one common filter.

    Deviates: B12 an empty filter set matches nothing, as written; the shipped API differs.
    Paper: Alg. 2.
    """
    return source.destination == trigger.destination and bool(source.filters & trigger.filters)


def newest_first(candidates: Sequence[Source], trigger: Trigger) -> Sequence[Source]:
    """Try every candidate, in reverse chronological order.

    Paper: Alg. 2; Remark 2.3.
    """
    return candidates


def join_keys(source_key: Key, trigger_key: Key) -> Key:
    """Join the two key pieces by bitwise OR.

    Paper: Alg. 2.
    """
    return source_key | trigger_key


def contributions(rules: Rules, source: Source, trigger: Trigger) -> tuple[Contribution, ...]:
    """Contribute the trigger's value to the joined key; a value of zero contributes nothing.

    Deviates: B11 a zero value is null here and counts for nothing, as in the clients.
    Paper: Alg. 2.
    """
    if trigger.value > 0:
        return (Contribution(key=rules.join_keys(source.key, trigger.key), value=trigger.value),)
    return ()
