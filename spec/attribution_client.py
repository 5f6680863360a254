r"""The ARA client for summary reports: sources, triggers, attribution.

A publisher's page registers a *source*, an advertiser's page registers a *trigger*. The client
attributes the trigger to the newest matching active source that has budget left, and sends one
aggregatable report for every trigger. If no source takes the trigger the report is null.

Three decisions make up the attribution: which sources match, in which order they are tried, and
what they would contribute. Each is a rule.

Paper: Sec. 2.1; Alg. 2.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from immutables import Map

from spec.contributions import Budget, Budgets, Credit
from spec.numbers import SpecError, whole
from spec.reports import Contribution, Key, Report, ReportId, checked_key, checked_value

if TYPE_CHECKING:
    from spec.distributions import Draw
    from spec.rules import Rules

SourceId: TypeAlias = str


class DuplicateSource(SpecError):
    """Report a source that is registered a second time.

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
        whole(self.report_id, "report_id")
        checked_key(self.key, "key")
        checked_value(self.value, "value")


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributionClient:
    """Hold the registered sources and each source's budget.

    `newest_first` lists, per destination, the sources that were active when the last one was
    registered there, newest first.

    Paper: Alg. 2.
    """

    sources: Map[SourceId, Source] = Map()
    newest_first: Map[str, tuple[SourceId, ...]] = Map()
    budgets: Budgets = Map()


def register_source(
    rules: Rules, client: AttributionClient, source: Source, now: int
) -> AttributionClient:
    """Add the source to the registered sources, with nothing contributed yet.

    Paper: Alg. 2.
    """
    if source.source_id in client.sources:
        raise DuplicateSource(f"source {source.source_id!r} is registered already")
    older = client.newest_first.get(source.destination, ())
    active = tuple(other for other in older if client.sources[other].expiry > now)
    return replace(
        client,
        sources=client.sources.set(source.source_id, source),
        newest_first=client.newest_first.set(source.destination, (source.source_id, *active)),
        budgets=client.budgets.set(source.source_id, Budget()),
    )


def register_trigger(
    rules: Rules, client: AttributionClient, trigger: Trigger, now: int, draw: Draw
) -> tuple[AttributionClient, tuple[Credit, ...], Report]:
    """Attribute the trigger, admit its contribution, and make its report.

    Paper: Alg. 2.
    """
    credits = rules.attribute(rules, client, trigger, now, draw)
    budgets, granted = rules.contribute(rules, client.budgets, credits, trigger)
    report = rules.report(trigger.report_id, granted, trigger)
    return replace(client, budgets=budgets), credits, report


def attribute(
    rules: Rules, client: AttributionClient, trigger: Trigger, now: int, draw: Draw
) -> tuple[Credit, ...]:
    """Credit the first source, in the order of attempts, that can still contribute.

    Deviates: B2 follows the pseudocode, which falls through to an older source.
    Paper: Alg. 2.
    """
    candidates = tuple(
        source
        for source in map(client.sources.get, client.newest_first.get(trigger.destination, ()))
        if source is not None and source.expiry > now and rules.matches(source, trigger)
    )
    attempts: tuple[Source, ...] = draw(rules.attempt_order(candidates, trigger))
    for source in attempts:
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


def newest_first(candidates: tuple[Source, ...], trigger: Trigger) -> tuple[Source, ...]:
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
