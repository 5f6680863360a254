r"""The PAA client: shared storage, programs, and budgets per time window.

An event runs a program $\pi$ of the ad-tech on the device's shared storage. The program returns the
next storage and what it wants to contribute. The client bounds contributions per privacy unit: a
device in a time window, for one ad-tech. A report is sent for every event.

This module decides: whose budget an event uses, and what the unit is credited with. Admission and
sending are those of both clients and stand in `spec/contributions.py`.

A device has one storage, as the paper writes it. In the API a storage belongs to an origin. So here
the program of one ad-tech may read what that of another wrote, while each has a budget of its own:
the unit is what *one* ad-tech is told of a device in a window.

Deviates: B20 one storage per device, for all ad-techs.
Paper: Sec. 2.1; Alg. 3.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from immutables import Map

from spec.contributions import Budgets, Credit, Unit
from spec.numbers import SpecError
from spec.reports import (
    Contribution,
    Key,
    ReportId,
    checked_contribution,
    checked_names,
    checked_report_id,
)

if TYPE_CHECKING:
    from spec.distributions import Draw
    from spec.rules import AtEvent

Storage: TypeAlias = Map[Hashable, Hashable]
Program: TypeAlias = Callable[[Storage], tuple[Storage, Key, int]]

EMPTY_STORAGE: Storage = Map()


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    r"""Hold an event of a device: the program $\pi$ to run and the report's identifier $r$."""

    report_id: ReportId
    device: str
    program: Program
    ad_tech: str = "ad-tech"

    def __post_init__(self) -> None:
        checked_report_id(self.report_id, "report_id")
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
    r"""Hold a device's shared storage $\Xi$ and every unit's budget."""

    storage: Storage = EMPTY_STORAGE
    budgets: Budgets = Map()


def propose(at: AtEvent, draw: Draw) -> tuple[AggregationClient, tuple[Credit, ...]]:
    """Run the program on the device's storage and credit the unit with what it returns."""
    storage, contributions = at.rules.run_program(at)
    credit = Credit(unit=at.rules.budget_unit(at), contributions=contributions)
    return replace(at.client, storage=storage), (credit,)


def budget_unit(at: AtEvent) -> Unit:
    """Return the device in the time window that contains this moment."""
    window = at.now // at.limits.window_length
    return DeviceWindow(device=at.cause.device, window=window, ad_tech=at.cause.ad_tech)


def run_program(at: AtEvent) -> tuple[Storage, tuple[Contribution, ...]]:
    """Run the program on the storage alone; a value of zero contributes nothing.

    Deviates: B11 a zero value is null here and counts for nothing, as in the clients.
    Paper: Alg. 3.
    """
    returned = at.cause.program(at.client.storage)
    if not (isinstance(returned, tuple) and len(returned) == 3):
        raise BadProgram(f"a program returns (storage, key, value), not {returned!r}")
    storage, key, value = returned
    if not isinstance(storage, Map):
        raise BadProgram(f"a program returns a Map as its storage, not {storage!r}")
    contribution = Contribution(key=key, value=value)
    checked_contribution(contribution)
    return storage, (contribution,) if value > 0 else ()


class BadProgram(SpecError):
    """Report a program that does not return a storage, a key and a value."""
