r"""The ARA client for summary reports: sources, triggers, attribution.

A publisher's page registers a *source*, an advertiser's page registers a *trigger*. The client
attributes the trigger to the newest matching active source that has budget left, and sends one
aggregatable report for every trigger. If no source takes the trigger the report is null.

This module decides: which sources match, in which order they are tried, what they would contribute,
and so who is credited with what. Admission and sending are those of both clients and stand in
`spec/contributions.py`.

Paper: Sec. 2.1; Alg. 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from immutables import Map

from spec.contributions import Budget, Budgets, Credit
from spec.numbers import SpecError, whole
from spec.reports import (
    Contribution,
    Key,
    ReportId,
    checked_filters,
    checked_key,
    checked_names,
    checked_report_id,
    checked_value,
)

if TYPE_CHECKING:
    from spec.distributions import Draw
    from spec.rules import AtSource, AtTrigger

SourceId: TypeAlias = str

DEVICE = "device"
"""The device that is meant where none is named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Hold an attribution source (srcId, dest, expDate, srcFilt, srcKey).

    `expiry` is the time from which on the source is no longer active. Identifiers are unique over
    all devices. When a source was registered is noted by the client, whatever was given.
    """

    source_id: SourceId
    destination: str
    expiry: int
    filters: frozenset[str]
    key: Key
    device: str = DEVICE
    registered_at: int = 0

    def __post_init__(self) -> None:
        checked_names(source_id=self.source_id, destination=self.destination, device=self.device)
        checked_filters(self.filters)
        whole(self.expiry, "expiry")
        whole(self.registered_at, "registered_at")
        checked_key(self.key, "key")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trigger:
    r"""Hold a trigger (dest, trigId, trigFilt, trigKey, trigValue) and its report's identifier $r$.

    The identifier is random in the API. It is part of the input here, so that the client has no
    randomness of its own and the identifier cannot depend on attribution. A value above $\Lambda_1$
    is never admitted.

    Deviates: B12 the destination belongs to the trigger, as in the pseudocode.
    Paper: Sec. 2.1; Alg. 2.
    """

    report_id: ReportId
    destination: str
    filters: frozenset[str]
    key: Key
    value: int
    trigger_id: str = ""
    device: str = DEVICE

    def __post_init__(self) -> None:
        checked_names(destination=self.destination, trigger_id=self.trigger_id, device=self.device)
        checked_filters(self.filters)
        checked_report_id(self.report_id, "report_id")
        checked_key(self.key, "key")
        checked_value(self.value, "value")


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributionClient:
    """Hold a device's sources, the newest first, and each source's budget."""

    sources: tuple[Source, ...] = ()
    budgets: Budgets = Map()


def register_source(at: AtSource, source: Source) -> AttributionClient:
    """Add the source to the registered sources, with nothing contributed yet.

    Deviates: B18 a source is registered once; the pseudocode would refill its budget.
    Paper: Alg. 2.
    """
    if any(source.source_id == known.source_id for known in at.client.sources):
        raise DuplicateSource(f"source {source.source_id!r} is registered already")
    return replace(
        at.client,
        sources=(replace(source, registered_at=at.now), *at.client.sources),
        budgets=at.client.budgets.set(source.source_id, Budget()),
    )


def attribute(at: AtTrigger, draw: Draw) -> tuple[AttributionClient, tuple[Credit, ...]]:
    """Credit the first source, in the order of attempts, that can still contribute.

    A source that would be granted nothing on its own budget is passed over; other budgets have no
    part in who is credited. Only registered sources are attempted, as they are: whose data a credit
    carries must be known.

    Deviates: B2 follows the pseudocode, which falls through to an older source.
    Paper: Alg. 2.
    """
    matching = tuple(source for source in at.client.sources if at.rules.matches(at, source))
    attempts: Sequence[Source] = draw(at.rules.attempt_order(at, matching))
    for source in attempts:
        if source not in at.client.sources:
            raise NotACandidate(f"source {source.source_id!r} is attempted and not as registered")
        credit = Credit(unit=source.source_id, contributions=at.rules.contributions(at, source))
        own: Budgets = Map({credit.unit: at.client.budgets.get(credit.unit, Budget())})
        alone = replace(at, client=replace(at.client, budgets=own))
        _, granted = at.rules.contribute(alone, (credit,))
        if granted:
            return at.client, (credit,)
    return at.client, ()


def matches(at: AtTrigger, source: Source) -> bool:
    """Match an active source on the destination and at least one common filter.

    Deviates: B12 an empty filter set matches nothing, as written; the shipped API differs.
    B22 that a source has expired is decided here; expired sources stay registered.
    Paper: Alg. 2.
    """
    return (
        at.now < source.expiry
        and source.destination == at.cause.destination
        and bool(source.filters & at.cause.filters)
    )


def newest_first(at: AtTrigger, matching: tuple[Source, ...]) -> Sequence[Source]:
    """Try every matching source, in reverse chronological order.

    Paper: Alg. 2; Remark 2.3.
    """
    return matching


def contributions(at: AtTrigger, source: Source) -> tuple[Contribution, ...]:
    """Contribute the trigger's value to the bitwise OR of the keys; zero contributes nothing.

    Deviates: B11 a zero value is null here and counts for nothing, as in the clients.
    Paper: Alg. 2.
    """
    if at.cause.value > 0:
        return (Contribution(key=source.key | at.cause.key, value=at.cause.value),)
    return ()


class DuplicateSource(SpecError):
    """Report a source that is registered a second time."""


class NotACandidate(SpecError):
    """Report an order of attempts with a source that is not one of the registered sources."""
