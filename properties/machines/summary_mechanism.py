r"""A machine for $\mathcal{M}_{\mathrm{SR}}$: any records, any queries, every unit's rollout.

The mechanism runs on $D$ and, for every unit $x$ there is, on $D^{-x}$. After each query the law of
the answer on the history of $D$ is compared with the law on the history of $D^{-x}$, both exact.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from properties.machines._answers import (
    Account,
    Shown,
    Watch,
    World,
    added,
    beyond_budget,
    laws_of_answers,
)
from properties.machines._asking import AskingMachine
from properties.machines._machine import NO_CANDIDATE, Choose, Needs, claim
from properties.machines._rollouts import Rollouts
from properties.machines.aggregation_service import told
from properties.strategies import LIMITS, contributions, names
from properties.telling import move_text
from spec.aggregation_service import Query, named_reports
from spec.contributions import Budget, Unit
from spec.neighbours import ATTRIBUTION_FIXED, DUMMY, MOVED_TO_DUMMY, NULL_STORE, Relation
from spec.reports import Contribution
from spec.rules import AtService
from spec.summary_mechanism import (
    Database,
    Neighbour,
    Record,
    SummaryMechanism,
    SummaryQuery,
    SummaryState,
    without_source,
    without_storage,
)

MOST = 8
"""The most reports there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Add:
    """Add a record to the database, with what it contributes."""

    record: Record
    contribution: Contribution


def moved_to_dummy(database: Database, unit: Unit) -> Database:
    """Let the dummy source contribute what the unit would have contributed."""
    return tuple(replace(r, unit=DUMMY) if r.unit == unit else r for r in database)


NEIGHBOURS: dict[Relation, Neighbour] = {
    ATTRIBUTION_FIXED: without_source,
    NULL_STORE: without_storage,
    MOVED_TO_DUMMY: moved_to_dummy,
}


class SummaryMachine(AskingMachine):
    """Add records and ask queries."""

    title = "M_SR"
    happens: ClassVar[tuple[str, ...]] = (
        "a query was answered",
        "a query was refused",
        "a report was asked for again",
        "a report stood in a batch twice",
        "a report was registered twice",
        "a unit used up its budget",
        "a contribution was refused",
        "a key was discovered",
        "an answer told of a unit",
    )
    needs: ClassVar[Needs] = {
        "contributions_stay_within_budget": ("a contribution was refused",),
        "summary_mechanism_is_individually_private": ("an answer told of a unit",),
        "the_ledger_never_passes_the_caps": ("a query was answered",),
        "abort_does_not_depend_on_attribution": ("a query was answered", "a query was refused"),
    }

    def __init__(self) -> None:
        super().__init__()
        self.database: list[Record] = []
        self.contributions: dict[int, Contribution] = {}
        self.state = SummaryMechanism(rules=self.tested).initial
        self.without: dict[Unit, SummaryState] = {}
        self.watch = Watch()
        self.known: dict[Unit | None, Shown] = {None: frozenset()}
        self.account = Account(self.tested.limits)
        self.shown: Hashable = None
        self.others: dict[Unit, tuple[Watch, Hashable]] = {}
        self.rollouts = Rollouts(self.tested)
        self.held: dict[Unit, Budget] = {}

    @precondition(lambda self: len(self.contributions) < MOST)
    @rule(unit=names(), contribution=contributions(LIMITS))
    def register(self, unit: str, contribution: Contribution) -> None:
        """Add a record with a report of its own."""
        record = Record(unit=unit, report_id=len(self.contributions))
        self.play(Add(record=record, contribution=contribution))

    @precondition(lambda self: bool(self.contributions))
    @rule(unit=names(), place=st.integers(min_value=0, max_value=7))
    def register_again(self, unit: str, place: int) -> None:
        """Add another record with the report of an earlier one."""
        report_id = sorted(self.contributions)[place % len(self.contributions)]
        record = Record(unit=unit, report_id=report_id)
        self.play(Add(record=record, contribution=self.contributions[report_id]))

    def reports_there_are(self) -> list[int]:
        """Return the identifiers of all records so far."""
        return sorted(self.contributions)

    def tell(self, move: object) -> str:
        """Tell a move in a sentence."""
        if isinstance(move, Add):
            part, record = move.contribution, move.record
            return (
                f"A record of {record.unit!r} with report {record.report_id} is added: "
                f"{part.value} to key {part.key}."
            )
        assert isinstance(move, Query)
        return move_text(move)

    def make(self, move: object, choice: int) -> None:
        """Add a record to the next database, or make a step in every world."""
        self.watch, self.others = Watch(), {}
        if isinstance(move, Add):
            self.count("a report was registered twice", move.record.report_id in self.contributions)
            self.contributions[move.record.report_id] = move.contribution
            self.database.append(move.record)
            if move.record.unit not in self.without:
                self.without[move.record.unit] = self.state
            return
        assert isinstance(move, Query)
        database, before, self.database = tuple(self.database), self.state, []
        question = SummaryQuery(query=move, function=self.contribution_of)
        self.state, self.shown = self.step(self.watch, before, database, question, choice)
        known = self.known[None]
        self.known[None] = self.watch.hear(self.shown, known, move)
        self.count_what_happened(move)
        for unit, other in self.without.items():
            watch = Watch()
            neighbour = NEIGHBOURS[self.relation or ATTRIBUTION_FIXED](database, unit)
            self.without[unit], shown = self.step(watch, other, neighbour, question, choice)
            self.known[unit] = watch.hear(shown, self.known.get(unit, known), move)
            self.others[unit] = (watch, shown)
            if self.examines("summary_mechanism_is_individually_private"):
                first = self.world(move, before, self.state)
                second = self.world(move, other, self.without[unit])
                if first != second:
                    watches = (self.watch, watch)
                    laws = laws_of_answers(first, second, watches, self.laws, self.lumps)
                    told_of = self.rollouts.add(unit, move, laws, *watches)
                    self.count("an answer told of a unit", told_of)

    def world(self, query: Query, before: SummaryState, after: SummaryState) -> World:
        """Return what the service sees of a query, and the reports that it names."""
        at = AtService(rules=self.tested, now=0, service=before.service, query=query)
        return at, named_reports(query, after.reports)

    def contribution_of(self, record: Record) -> Contribution:
        """Return what a record contributes; the dummy source has a key of its own."""
        part = self.contributions[record.report_id]
        return replace(part, key=2) if record.unit == DUMMY else part

    def step(
        self,
        watch: Watch,
        state: SummaryState,
        database: Database,
        question: SummaryQuery,
        choice: int,
    ) -> tuple[SummaryState, Hashable]:
        """Make a step of the mechanism in one world."""
        mechanism = SummaryMechanism(rules=watch.on(self.tested))
        after, shown = mechanism.step(state, (database, question), Choose(choice))
        return after, shown

    def count_what_happened(self, query: Query) -> None:
        """Count what happened, and add up what every unit's reports hold."""
        distinct = set(query.report_ids)
        self.count("a report stood in a batch twice", len(distinct) < len(query.report_ids))
        self.count("a query was refused" if self.watch.refused else "a query was answered")
        if self.watch.answered is not None:
            asked_before = any(each in self.account.taken for each in query.report_ids)
            self.count("a report was asked for again", asked_before)
        self.account.add(query, self.watch)
        released = getattr(self.shown, "released", ())
        self.count("a key was discovered", query.discovers_keys and bool(released))
        for unit, granted in self.watch.granted:
            self.count("a contribution was refused", not granted)
            self.held[unit] = added(self.held.get(unit, Budget()), granted)
            full = self.held[unit].value >= self.tested.limits.contribution_budget
            self.count("a unit used up its budget", full)

    @claim
    def contributions_stay_within_budget(self) -> Iterator[str]:
        """Demand that no unit's reports hold more than its budget, in value or in number."""
        yield from beyond_budget(self.tested.limits, self.held)

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
    def abort_does_not_depend_on_attribution(self) -> Iterator[str]:
        """Demand that every world refuses the same queries and charges the same."""
        for unit, (watch, _) in self.others.items():
            refused = (self.watch.refused, watch.refused)
            if refused[0] != refused[1]:
                yield f"refused: {refused[0]}, without {unit!r}: {refused[1]}"
            ledger, other = self.state.service.ledger, self.without[unit].service.ledger
            if ledger != other:
                yield f"the ledger is {told(ledger)}, without {unit!r} {told(other)}"
