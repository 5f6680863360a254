r"""The PAA client: shared storage, programs, and budgets per time window.

An event runs a program $\pi$ of the ad-tech on the device's shared storage. The program returns the
next storage and what it wants to contribute. The client bounds contributions per privacy unit: a
device in a time window, for one ad-tech. A report is sent for every event.

Paper: Sec. 2.1; Alg. 3.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from immutables import Map

from spec.contributions import Budget, Budgets, Credit, Unit
from spec.numbers import SpecError, whole
from spec.reports import (
    Contribution,
    Key,
    Report,
    ReportId,
    checked_key,
    checked_names,
    checked_time,
    checked_value,
)

if TYPE_CHECKING:
    from spec.distributions import Draw
    from spec.rules import Limits, Rules

Storage: TypeAlias = Map[Hashable, Hashable]
Program: TypeAlias = Callable[[Storage], tuple[Storage, Key, int]]

EMPTY_STORAGE: Storage = Map()


class BadProgram(SpecError):
    """Report a program that does not return a storage, a key and a value.

    Paper: none (bad input).
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    r"""Hold an event of a device: the program $\pi$ to run and the report's identifier $r$.

    Paper: Sec. 2.1; Alg. 3.
    """

    report_id: ReportId
    device: str
    program: Program
    ad_tech: str = "ad-tech"

    def __post_init__(self) -> None:
        whole(self.report_id, "report_id")
        checked_names(device=self.device, ad_tech=self.ad_tech)
        if not callable(self.program):
            raise BadProgram(f"program must be a function of the storage, not {self.program!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceWindow:
    """Name the privacy unit of PAA: a device in a time window, for one ad-tech.

    Deviates: B9 budgets are kept per device, window and ad-tech.
    Paper: Sec. 2.1; Sec. 4.3.
    """

    device: str
    window: int
    ad_tech: str = "ad-tech"


@dataclass(frozen=True, slots=True, kw_only=True)
class AggregationClient:
    r"""Hold the shared storage $\Xi$ of every device and every unit's budget.

    Paper: Alg. 3.
    """

    storage: Map[str, Storage] = Map()
    budgets: Budgets = Map()
    clock: int = 0


def register_event(
    rules: Rules, client: AggregationClient, event: Event, now: int, draw: Draw
) -> tuple[AggregationClient, tuple[Credit, ...], Report]:
    """Run the event's program, admit what it contributes, and make its report.

    Paper: Alg. 3.
    """
    checked_time(client.clock, now)
    client, credits = rules.propose(rules, client, event, now)
    budgets, granted = rules.contribute(rules, client.budgets, credits, event)
    report = rules.report(event.report_id, granted, event)
    return replace(client, budgets=budgets, clock=now), credits, report


def propose(
    rules: Rules, client: AggregationClient, event: Event, now: int
) -> tuple[AggregationClient, tuple[Credit, ...]]:
    """Run the program on the device's storage and credit the unit with what it returns.

    Paper: Alg. 3.
    """
    unit = rules.budget_unit(rules.limits, event, now)
    storage, contributions = rules.run_program(
        rules.limits,
        client.storage.get(event.device, EMPTY_STORAGE),
        client.budgets.get(unit, Budget()),
        event,
    )
    client = replace(client, storage=client.storage.set(event.device, storage))
    return client, (Credit(unit=unit, contributions=contributions),)


def budget_unit(limits: Limits, event: Event, now: int) -> Unit:
    """Return the device in the time window that contains this moment.

    Paper: Sec. 2.1; Alg. 3.
    """
    return DeviceWindow(
        device=event.device, window=now // limits.window_length, ad_tech=event.ad_tech
    )


def run_program(
    limits: Limits, storage: Storage, spent: Budget, event: Event
) -> tuple[Storage, tuple[Contribution, ...]]:
    """Run the program on the storage alone; a value of zero contributes nothing.

    Deviates: B11 a zero value is null here and counts for nothing, as in the clients.
    Paper: Alg. 3.
    """
    returned = event.program(storage)
    if not (isinstance(returned, tuple) and len(returned) == 3):
        raise BadProgram(f"a program returns (storage, key, value), not {returned!r}")
    storage, key, value = returned
    if not isinstance(storage, Map):
        raise BadProgram(f"a program returns a Map as its storage, not {storage!r}")
    contribution = Contribution(key=checked_key(key, "key"), value=checked_value(value, "value"))
    return storage, (contribution,) if contribution.value > 0 else ()
