r"""Machines for clients and service together: ARA, PAA, and the whole system.

For every unit the exact law of the transcript on $D$ is compared with that on $D^{-x}$ after every
move. So a violation is one of the guarantee itself, by an adversary that asks what the run asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

from properties.machines._answers import Account
from properties.machines._asking import AskingMachine
from properties.machines._loss import Loss
from properties.machines._machine import NO_CANDIDATE, Choose, Needs, claim
from properties.machines._worlds import ClientMachine, all_reports, budgets_of, served
from properties.machines.aggregation_client import AggregationMachine
from properties.machines.aggregation_service import told
from properties.machines.attribution_client import AttributionMachine
from properties.machines.event_client import EventMachine
from properties.observation import encoded
from properties.telling import unit_text
from spec.aggregation_service import Query, named_reports
from spec.attribution_client import Trigger
from spec.contributions import Budget
from spec.numbers import SpecError
from spec.private_aggregation_client import DeviceWindow, Event
from spec.summary_mechanism import Record, SummaryMechanism, add_record
from spec.system import Move, Observation

REFINES = "client_and_service_refine_the_mechanism"


class SeveralContributions(SpecError):
    """Report a credit that is more than one record of the mechanism."""


class ServedMachine(ClientMachine, AskingMachine):
    """Ask the service about the reports of clients, and compare with the mechanism."""

    def __init__(self) -> None:
        super().__init__()
        self.account = Account(self.tested.limits)
        self.mechanism = SummaryMechanism(rules=self.tested).initial
        self.answers: tuple[Observation, Observation] = ((), ())

    def reports_there_are(self) -> list[int]:
        """Return the reports that have arrived in every world."""
        arrived = set(self.system.reports)
        return sorted(arrived.intersection(*(own.reports for own in self.without.values())))

    def make(self, move: object, choice: int) -> None:
        """Make a move in every world, and in the mechanism that the system is to be."""
        super().make(move, choice)
        if self.examines(REFINES):
            self.follow_the_mechanism(move, choice)

    def follow_the_mechanism(self, move: object, choice: int) -> None:
        """Add the record that the client credited, or ask the mechanism the same."""
        if isinstance(move, Trigger | Event):
            credits = self.decision.credits
            parts = [(each.unit, part) for each in credits for part in each.contributions]
            if len(parts) > 1:
                raise SeveralContributions("a record of M_SR has one contribution")
            record = Record(unit=parts[0][0] if parts else None, report_id=move.report_id)
            self.mechanism = add_record(self.tested, self.mechanism, record, lambda _: parts[0][1])
        elif isinstance(move, Query):
            batch = named_reports(move, self.mechanism.reports)
            at = replace(served(self.tested, self.before, move)[0], service=self.mechanism.service)
            service, shown = self.tested.serve(at, batch, Choose(choice))
            self.mechanism = replace(self.mechanism, service=service)
            self.answers = (self.seen, (shown,))

    def count_what_happened(self, move: Move) -> None:
        """Count what happened."""
        super().count_what_happened(move)
        if not isinstance(move, Query):
            return
        distinct = set(move.report_ids)
        self.count("a report stood in a batch twice", len(distinct) < len(move.report_ids))
        if self.watch.refused:
            self.count("a query was refused")
            return
        self.count("a query was answered")
        asked_before = any(each in self.account.taken for each in distinct)
        self.count("a report was asked for again", asked_before)
        self.account.add(move, self.watch)
        released = any(getattr(shown, "released", ()) for shown in self.seen)
        self.count("a key was discovered", move.discovers_keys and released)

    def last_query(self) -> Query | None:
        """Return the query of the last move, if it was one."""
        move = self.moves[-1][0] if self.moves else None
        return move if isinstance(move, Query) else None

    @claim
    def summary_mechanism_is_individually_private(self) -> Iterator[str]:
        """Demand that every unit has a rollout within the caps."""
        self.count(NO_CANDIDATE, self.rollouts.left_open)
        yield from self.rollouts.complaints()

    @claim
    def the_ledger_never_passes_the_caps(self) -> Iterator[str]:
        """Demand that what a report took part in stays within the caps."""
        yield from self.account.complaints()

    @claim
    def a_refused_query_charges_nothing(self) -> Iterator[str]:
        """Demand that a refused query leaves the ledger as it was."""
        if self.last_query() is not None and self.watch.refused:
            before, after = self.before.service.ledger, self.system.service.ledger
            if before != after:
                yield f"refused, and the ledger went from {told(before)} to {told(after)}"

    @claim
    def abort_does_not_depend_on_attribution(self) -> Iterator[str]:
        """Demand that every world refuses the same queries and charges the same."""
        for unit, own in self.without.items():
            ledger, other = self.system.service.ledger, own.service.ledger
            if ledger != other:
                yield f"the ledger is {told(ledger)}, without {unit_text(unit)} {told(other)}"
            if self.last_query() is not None:
                refused = (self.watch.refused, self.watches[unit].refused)
                if refused[0] != refused[1]:
                    yield f"refused: {refused[0]}, without {unit_text(unit)}: {refused[1]}"

    @claim
    def client_and_service_refine_the_mechanism(self) -> Iterator[str]:
        """Demand that reports, budgets, ledger and answers are those of the mechanism."""
        sent = all_reports(self.system)
        if sent != dict(self.mechanism.reports):
            yield f"the reports are {sent}, in M_SR {dict(self.mechanism.reports)}"
        known = {unit: b for unit, b in self.mechanism.budgets.items() if b != Budget()}
        if budgets_of(self.system) != known:
            yield f"the budgets are {budgets_of(self.system)}, in M_SR {known}"
        ledger, other = self.system.service.ledger, self.mechanism.service.ledger
        if ledger != other:
            yield f"the ledger is {told(ledger)}, in M_SR {told(other)}"
        if encoded(self.answers[0]) != encoded(self.answers[1]):
            yield f"the answer is {self.answers[0]}, of M_SR {self.answers[1]}"


SERVED = (
    "a query was answered",
    "a query was refused",
    "a report was asked for again",
    "a report stood in a batch twice",
    "a key was discovered",
    "an answer told of a unit",
    "the worlds differed",
)

NEEDS = {
    "summary_mechanism_is_individually_private": ("an answer told of a unit",),
    "the_ledger_never_passes_the_caps": ("a query was answered",),
    "a_refused_query_charges_nothing": ("a query was refused",),
    "abort_does_not_depend_on_attribution": ("a query was answered", "the worlds differed"),
    "contributions_stay_within_budget": ("a unit used up its budget",),
    "a_report_is_sent_for_every_trigger": ("a null report was sent", "the worlds differed"),
    "client_and_service_refine_the_mechanism": ("a query was answered",),
}


class AttributionSystemMachine(AttributionMachine, ServedMachine):
    """Register sources and triggers, let time pass, and ask."""

    title = "ARA"
    happens: ClassVar[tuple[str, ...]] = (*AttributionMachine.happens, *SERVED)
    needs: ClassVar[Needs] = {
        **NEEDS,
        "attribution_summaries_are_private": ("an answer told of a unit",),
    }

    @claim
    def attribution_summaries_are_private(self) -> Iterator[str]:
        """Demand that summary reports tell at most the caps of any source."""
        limits = self.tested.limits
        for unit, loss in self.losses.known.items():
            if not isinstance(unit, DeviceWindow):
                yield from self.lost(unit, loss, limits.epsilon, limits.delta, self.cut)


class AggregationSystemMachine(AggregationMachine, ServedMachine):
    """Run programs, let time windows pass, and ask."""

    title = "PAA"
    happens: ClassVar[tuple[str, ...]] = (*AggregationMachine.happens, *SERVED)
    needs: ClassVar[Needs] = {
        **NEEDS,
        "aggregation_summaries_are_private": ("an answer told of a unit",),
    }

    @claim
    def aggregation_summaries_are_private(self) -> Iterator[str]:
        """Demand that summary reports tell at most the caps of any device in a window."""
        limits = self.tested.limits
        for unit, loss in self.losses.known.items():
            if isinstance(unit, DeviceWindow):
                yield from self.lost(unit, loss, limits.epsilon, limits.delta, self.cut)


class SystemMachine(AttributionSystemMachine, AggregationSystemMachine, EventMachine):
    """Do everything there is, in any order."""

    title = "system"
    happens: ClassVar[tuple[str, ...]] = (
        *AttributionSystemMachine.happens,
        *AggregationMachine.happens,
        "an event-level trigger was attributed",
        "a response was drawn",
        "a window sent reports",
    )
    needs: ClassVar[Needs] = {
        **AttributionSystemMachine.needs,
        **AggregationSystemMachine.needs,
        **EventMachine.needs,
        "summary_and_event_reports_compose": ("an answer told of a unit", "a window sent reports"),
    }

    @claim
    def summary_and_event_reports_compose(self) -> Iterator[str]:
        """Demand that the whole transcript tells at most the sum of both budgets of any source."""
        limits = self.tested.limits
        both = limits.epsilon + limits.event_epsilon
        for unit in self.without:
            if not isinstance(unit, DeviceWindow):
                summary = self.losses.known.get(unit, Loss())
                loss = summary.together_with(self.responses.loss(unit))
                yield from self.lost(unit, loss, both, limits.delta, self.cut)
