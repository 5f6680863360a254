"""What one unit can contribute, found by asking the client itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar, cast

from immutables import Map

from spec.attribution_client import Source, Trigger
from spec.contributions import Unit
from spec.distributions import Distribution, Law
from spec.numbers import SpecError
from spec.private_aggregation_client import DeviceWindow, Event, Storage
from spec.reports import Contribution, Report
from spec.rules import Rules
from spec.system import System, SystemMechanism, admit, decide, send, step

T = TypeVar("T")
KEYS = (1, 20, 400, 65536)
LARGEST_VALUE = 2**40
PIECES = 4
LARGE_KEY = 0
ATTRIBUTION = "attribution_summaries_are_private"


class CannotDecide(SpecError):
    """Report rules that the closed forms are not about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """Hold a way to spend a unit's budget: one key gets the pieces, the other keys get one each.

    `large` are the reports that carry the pieces, `one` is a report that carries a one.
    """

    keys: int
    pieces: tuple[int, ...]
    large: tuple[Report, ...]
    one: Report

    @property
    def total(self) -> int:
        """Return the value spent."""
        return sum(self.pieces) + self.keys - 1

    def text(self) -> str:
        """Say how the value is spread."""
        large = f"{sum(self.pieces)} on one key"
        if len(self.pieces) > 1:
            large += f" ({' + '.join(map(str, self.pieces))})"
        return large if self.keys == 1 else f"{large}, 1 on each of {self.keys - 1} other keys"


def certain(law: T | Law[T], /) -> T:
    """Take what is certain, and refuse to draw."""
    if isinstance(law, Distribution) and len(law.weights) == 1:
        ((outcome, _),) = law.weights
        return cast(T, outcome)
    if isinstance(law, Law):
        raise CannotDecide(f"a rule draws from {type(law).__name__}")
    return law


@dataclass(frozen=True, slots=True)
class Contributor:
    """Be one unit that contributes as much as the rules admit: a source, or a device.

    Everything happens at one moment, so that a device is in one time window.
    """

    rules: Rules
    unit: Unit
    cause: Callable[[int, Contribution], Trigger | Event]
    registered: Source | None = None

    @property
    def start(self) -> System:
        """Return the system before the unit contributes."""
        system = SystemMechanism(rules=self.rules).initial
        if self.registered is None:
            return system
        return step(self.rules, system, self.registered, certain)[0]

    def add(
        self, system: System, number: int, key: int, value: int
    ) -> tuple[System, Report] | None:
        """Return the system and the report after a contribution, or None if it is refused."""
        cause = self.cause(number, Contribution(key=key, value=value))
        decision = decide(self.rules, system, cause, certain)
        if isinstance(cause, Trigger) and any(x.unit != self.unit for x in decision.credits):
            raise CannotDecide("a trigger is credited to somebody else than its only source")
        after, granted = admit(self.rules, system, cause, decision, certain)
        after, _ = send(self.rules, after, cause, granted, certain)
        waiting = (each.report for each in after.in_flight)
        real = [each for each in (*after.reports.values(), *waiting) if not each.is_null]
        if len(real) > 1:
            raise CannotDecide("the client sends several reports that hold something")
        return (replace(after, reports=Map(), in_flight=()), real[0]) if real else None

    def largest(self, system: System, number: int) -> int:
        """Return the largest value that is admitted next, up to a limit; zero if none is."""

        def fits(value: int) -> bool:
            return self.add(system, number, LARGE_KEY, value) is not None

        low, high = 0, 1
        while high <= LARGEST_VALUE and fits(high):
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if fits(middle) else (low, middle)
        return low

    def pieces(
        self, system: System, number: int, first: int
    ) -> tuple[tuple[int, ...], tuple[Report, ...]]:
        """Return the first piece and whatever still fits after it, as large as possible."""
        values: list[int] = []
        reports: list[Report] = []
        value = first
        while value > 0 and len(values) < PIECES:
            added = self.add(system, number + len(values), LARGE_KEY, value)
            if added is None:
                break
            system, report = added
            values.append(value)
            reports.append(report)
            value = self.largest(system, number + len(values))
        return tuple(values), tuple(reports)

    def spread(self, system: System, ones: int) -> Spread | None:
        """Return the best spread that goes on after so many ones."""
        largest = self.largest(system, ones)
        tries = [self.pieces(system, ones, first) for first in (largest, largest - 1)]
        values, reports = max(tries, key=lambda pieces: sum(pieces[0]))
        added = self.add(self.start, 0, 1, 1)
        if not values or added is None:
            return None
        return Spread(keys=ones + 1, pieces=values, large=reports, one=added[1])


def contributor(rules: Rules, claim: str) -> Contributor:
    """Return a unit of the API that a guarantee is about."""
    if claim == ATTRIBUTION:
        return Contributor(rules, "x", _trigger, SOURCE)
    return Contributor(rules, DeviceWindow(device="x", window=0), _event)


SOURCE = Source(
    source_id="x", destination="shop", expiry=1, filters=frozenset(("shoes",)), key=LARGE_KEY
)


def _trigger(number: int, wanted: Contribution) -> Trigger:
    return Trigger(
        report_id=number,
        destination="shop",
        filters=frozenset(("shoes",)),
        key=wanted.key,
        value=wanted.value,
    )


def _event(number: int, wanted: Contribution) -> Event:
    def program(storage: Storage) -> tuple[Storage, int, int]:
        return storage, wanted.key, wanted.value

    return Event(report_id=number, device="x", program=program)


def admitted_spreads(rules: Rules, claim: str) -> tuple[Spread, ...]:
    """Return the spreads over few, many and the most keys that the client's rules admit.

    A client without a bound on the number of contributions is tried up to the contribution budget.
    """
    unit = contributor(rules, claim)
    most = rules.limits.contribution_budget
    wanted = {*KEYS, rules.limits.sparsity_budget, most}
    found: dict[int, Spread] = {}
    before = system = unit.start
    ones = 0
    while ones < most:
        if ones + 1 in wanted and (spread := unit.spread(system, ones)) is not None:
            found[spread.keys] = spread
        added = unit.add(system, ones, ones + 1, 1)
        if added is None:
            break
        before, system = system, added[0]
        ones += 1
    if ones not in found and ones and (spread := unit.spread(before, ones - 1)) is not None:
        found[spread.keys] = spread
    if not found:
        raise CannotDecide("the client's rules admit no contribution at all")
    return tuple(found.values())


def reports_of(rules: Rules, claim: str, spread: Spread) -> tuple[Report, ...]:
    """Let the unit contribute again, one report after the other."""
    unit = contributor(rules, claim)
    system = unit.start
    reports: list[Report] = []
    values = [(key, 1) for key in range(1, spread.keys)]
    values += [(LARGE_KEY, piece) for piece in spread.pieces]
    for key, value in values:
        added = unit.add(system, len(reports), key, value)
        if added is None:
            raise CannotDecide("a spread that was admitted is refused when it is tried again")
        system = added[0]
        reports.append(added[1])
    return tuple(reports)
