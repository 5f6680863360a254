"""A machine for the aggregation service: batches, requeries, repeated reports, used up budgets.

Two services run side by side on the same queries. The second one gets null reports where the first
gets the reports of a unit x.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from properties.machines._answers import Account, Shown, Watch
from properties.machines._asking import AskingMachine
from properties.machines._machine import Choose, Needs, claim
from properties.observation import encoded
from properties.strategies import LIMITS, choices, contributions, fine_queries, places
from properties.telling import move_text
from spec.aggregation_service import Ledger, Query, Service, Spent
from spec.noise import Noise
from spec.reports import Contribution, Report
from spec.rules import AtService

MOST = 5
"""The most reports that arrive."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrive:
    """Let a report arrive; one of the unit x is null in the world without x."""

    report: Report
    of_unit: bool


class ServiceMachine(AskingMachine):
    """Ask the service anything about any reports."""

    title = "service"
    happens: ClassVar[tuple[str, ...]] = (
        "a query was answered",
        "a query was refused",
        "a report was asked for again",
        "a report stood in a batch twice",
        "a null report took part",
        "a key was discovered",
        "a key stayed hidden",
        "a budget was used up",
        "two batches differed",
    )
    needs: ClassVar[Needs] = {
        "the_ledger_never_passes_the_caps": ("a query was answered",),
        "a_refused_query_charges_nothing": ("a query was refused",),
        "abort_does_not_depend_on_attribution": ("two batches differed",),
        "null_reports_are_charged": ("a null report took part",),
        "a_batch_is_a_set": ("a report stood in a batch twice",),
        "noise_is_chosen_in_public": ("two batches differed", "a query was answered"),
        "absent_keys_are_never_released": ("a key was asked for by discovery",),
    }

    def __init__(self) -> None:
        super().__init__()
        self.arrived: dict[int, tuple[Report, Report]] = {}
        service = self.tested.initial.service
        self.services = (service, service)
        self.ledgers: tuple[Ledger, Ledger] = (service.ledger, service.ledger)
        self.watches = (Watch(), Watch())
        self.shown: tuple[Hashable, ...] = (None, None)
        self.query: Query | None = None
        self.known: list[Shown] = [frozenset(), frozenset()]
        self.account = Account(self.tested.limits)

    @precondition(lambda self: len(self.arrived) < MOST)
    @rule(parts=st.lists(contributions(LIMITS), max_size=2), of_unit=st.booleans())
    def send_a_report(self, parts: list[Contribution], of_unit: bool) -> None:
        """Let a report arrive, null or not."""
        report = Report(report_id=len(self.arrived), contributions=tuple(parts))
        self.play(Arrive(report=report, of_unit=of_unit))

    @precondition(lambda self: bool(self.arrived))
    @rule(query=fine_queries(LIMITS), chosen=places(), choice=choices())
    def ask(self, query: Query, chosen: tuple[int, ...], choice: int) -> None:
        """Ask with any share of the caps, or a little more."""
        there = self.reports_there_are()
        self.ask_for(query, tuple(there[place % len(there)] for place in chosen), choice)

    @precondition(lambda self: self.asked is not None)
    @rule(choice=choices())
    def ask_the_same(self, choice: int) -> None:
        """Ask the last query again."""
        if self.asked is not None:
            self.play(self.asked, choice)

    def reports_there_are(self) -> list[int]:
        """Return the identifiers of the reports that have arrived."""
        return sorted(self.arrived)

    def tell(self, move: object) -> str:
        """Tell a move in a sentence."""
        if isinstance(move, Arrive):
            parts = ", ".join(
                f"{part.value} to key {part.key}" for part in move.report.contributions
            )
            whose = " of x" if move.of_unit else ""
            return f"Report {move.report.report_id}{whose} arrives: {parts or 'null'}."
        assert isinstance(move, Query)
        return move_text(move)

    def make(self, move: object, choice: int) -> None:
        """Let a report arrive, or serve a query in both worlds."""
        self.query = None
        if isinstance(move, Arrive):
            without = replace(move.report, contributions=()) if move.of_unit else move.report
            self.arrived[move.report.report_id] = (move.report, without)
            return
        assert isinstance(move, Query)
        self.query = move
        before = self.services
        self.ledgers = (before[0].ledger, before[1].ledger)
        self.watches = (Watch(), Watch())
        self.services, self.shown = zip(
            *(self.serve(world, before[world], move, choice) for world in (0, 1)), strict=True
        )
        self.count_what_happened(move)

    def serve(
        self, world: int, service: Service, query: Query, choice: int
    ) -> tuple[Service, Hashable]:
        """Serve a query in one of the worlds."""
        rules = self.watches[world].on(self.tested)
        reports = tuple(self.arrived[each][world] for each in query.report_ids)
        at = AtService(rules=rules, now=0, service=service, query=query)
        after, shown = rules.serve(at, reports, Choose(choice))
        self.known[world] = self.watches[world].hear(shown, self.known[world], query)
        return after, shown

    def count_what_happened(self, query: Query) -> None:
        """Count what happened, and add up what every report took part in."""
        watch, taken = self.watches[0], self.account.taken
        reports = [self.arrived[each] for each in query.report_ids]
        self.count("a report stood in a batch twice", len(set(query.report_ids)) < len(reports))
        self.count("two batches differed", any(pair[0] != pair[1] for pair in reports))
        if watch.refused or watch.answered is None:
            self.count("a query was refused")
            return
        self.count("a query was answered")
        discovers = query.discovers_keys
        self.count("a key was asked for by discovery", discovers and bool(watch.totals))
        self.count("a null report took part", any(r.is_null for r in watch.answered))
        released = getattr(self.shown[0], "released", ())
        if discovers:
            self.count("a key was discovered", bool(released))
            self.count("a key stayed hidden", len(released) < len(watch.totals))
        self.count("a report was asked for again", any(each in taken for each in query.report_ids))
        self.account.add(query, watch)
        most = self.tested.limits.epsilon
        self.count("a budget was used up", any(each.epsilon >= most for each in taken.values()))

    def at(self, query: Query) -> AtService:
        """Return what the service sees of a query after it has charged for it."""
        return AtService(rules=self.tested, now=0, service=self.services[0], query=query)

    @property
    def took_part(self) -> tuple[Report, ...]:
        """Return the reports that the last move's answer was computed from."""
        return () if self.query is None else self.watches[0].answered or ()

    @claim
    def the_ledger_never_passes_the_caps(self) -> Iterator[str]:
        """Demand that what a report took part in stays within the caps."""
        yield from self.account.complaints()

    @claim
    def a_refused_query_charges_nothing(self) -> Iterator[str]:
        """Demand that a refused query leaves the ledger as it was."""
        if self.query is not None and self.watches[0].refused:
            before, after = self.ledgers[0], self.services[0].ledger
            if before != after:
                yield f"refused, and the ledger went from {told(before)} to {told(after)}"

    @claim
    def abort_does_not_depend_on_attribution(self) -> Iterator[str]:
        """Demand that both worlds refuse the same batches and charge the same."""
        refused = [watch.refused for watch in self.watches]
        if refused[0] != refused[1]:
            yield f"refused with x: {refused[0]}, without x: {refused[1]}"
        if refused[0] and encoded(self.shown[0]) != encoded(self.shown[1]):
            yield f"a refusal shows {self.shown[0]} with x and {self.shown[1]} without x"
        if self.services[0].ledger != self.services[1].ledger:
            ledgers = [told(service.ledger) for service in self.services]
            yield f"the ledger is {ledgers[0]} with x and {ledgers[1]} without x"

    @claim
    def null_reports_are_charged(self) -> Iterator[str]:
        """Demand that an answer that a null report takes part in changes its entries."""
        for report in self.took_part:
            if self.query is None or not report.is_null:
                continue
            entries = self.tested.budget_entries(self.at(self.query), report)
            if not entries:
                yield f"null report {report.report_id} has no entry"
            for entry in entries:
                before = self.ledgers[0].get(entry, Spent())
                if self.services[0].ledger.get(entry, Spent()) == before:
                    yield f"null report {report.report_id} took part and paid nothing"

    @claim
    def a_batch_is_a_set(self) -> Iterator[str]:
        """Demand that the sums count every report at most once."""
        if self.query is None or self.watches[0].answered is None:
            return
        distinct = tuple(self.arrived[each][0] for each in dict.fromkeys(self.query.report_ids))
        at = self.at(self.query)
        once = self.tested.totals(at, Choose()(self.tested.batch(at, distinct)))
        for key, total in self.watches[0].totals.items():
            if total != once.get(key, 0):
                yield f"key {key} sums to {total}, and to {once.get(key, 0)} without repetitions"

    @claim
    def noise_is_chosen_in_public(self) -> Iterator[str]:
        """Demand that noise and threshold are the same in both worlds."""
        first, second = self.watches
        if first.answered is None or second.answered is None:
            return
        if first.threshold != second.threshold:
            yield f"the threshold is {first.threshold} with x and {second.threshold} without x"
        if features(first.noise) != features(second.noise):
            yield f"the noise is {first.noise} with x and {second.noise} without x"

    @claim
    def absent_keys_are_never_released(self) -> Iterator[str]:
        """Demand that with key discovery the largest noise alone fails the release test."""
        watch = self.watches[0]
        if self.query is None or watch.noise is None or not self.query.discovers_keys:
            return
        largest = watch.noise.support[1]
        if largest is None:
            largest = (watch.threshold or 0) + 1
        if self.tested.releases(self.at(self.query), 0, largest, watch.threshold):
            yield f"noise of {largest} passes the threshold {watch.threshold} on its own"


def features(noise: Noise | None) -> Hashable:
    """Return what tells two noises apart, for noise that does not compare by value too."""
    if noise is None:
        return None
    return noise.support, noise.decay, tuple(str(noise.pmf(x)) for x in range(-3, 4))


def text(spent: object) -> str:
    """Write privacy parameters."""
    return f"({getattr(spent, 'epsilon', '?')}, {getattr(spent, 'delta', '?')})"


def told(ledger: Ledger) -> str:
    """Write a ledger."""
    listed = sorted((str(entry), text(spent)) for entry, spent in ledger.items())
    return "{" + ", ".join(f"{entry}: {spent}" for entry, spent in listed) + "}"
