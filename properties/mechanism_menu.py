r"""Menus for the mechanisms of the paper, so that the game is solved for them as well.

The adversary of $\mathcal{M}_{\mathrm{SR}}$ builds its databases record by record and asks for any
set of reports: a round that only adds a record asks for nothing. For mechanisms whose questions are
few, a menu lists what may be done in each round.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from typing import TypeAlias, cast

from immutables import Map

from spec.aggregation_service import Query, Spent
from spec.contributions import Unit
from spec.distributions import Draw
from spec.interaction import Mechanism
from spec.lemmas import CLIENTS, SERVICE
from spec.paper import PAPER
from spec.reports import Contribution, ReportId
from spec.rules import Rules
from spec.summary_mechanism import Database, Record, SummaryQuery, SummaryState

SummaryAction: TypeAlias = tuple[Database, SummaryQuery]

ASK_NOTHING = Query(epsilon=Fraction(1))


@dataclass(frozen=True, slots=True)
class Assigned:
    """Be the function $f$ that contributes what was chosen for each record."""

    table: tuple[tuple[ReportId, Contribution], ...] = ()

    def __call__(self, record: Record) -> Contribution:
        """Return what the record contributes."""
        return dict(self.table)[record.report_id]


@dataclass(frozen=True, slots=True)
class SummaryProgress:
    """Count the records added and the questions asked."""

    records: int = 0
    rounds: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryMenu:
    r"""Offer records and questions to the adversary of $\mathcal{M}_{\mathrm{SR}}$.

    A record is of one of the given kinds: a unit and what the record contributes. A question is one
    of the queries, for any set of the records so far; with `repeats` one of them may be listed
    twice.
    """

    kinds: tuple[tuple[Unit, Contribution], ...]
    records: int
    queries: tuple[Query, ...]
    rounds: int
    repeats: bool = False
    start: SummaryProgress = SummaryProgress()

    @property
    def moves(self) -> int:
        """Return the greatest number of moves."""
        return self.records + self.rounds

    def choices(
        self, progress: Hashable, states: Sequence[object]
    ) -> Iterable[tuple[SummaryAction, SummaryProgress]]:
        """Return the records that may be added and the questions that may be asked."""
        del states
        assert isinstance(progress, SummaryProgress)
        return summary_choices(self, progress)

    def listed(self, progress: SummaryProgress) -> Iterable[tuple[SummaryAction, SummaryProgress]]:
        """List what may be added and asked."""
        if progress.records < self.records:
            added = replace(progress, records=progress.records + 1)
            for unit, contribution in self.kinds:
                yield add(progress.records, unit, contribution), added
        if progress.rounds < self.rounds:
            asked = replace(progress, rounds=progress.rounds + 1)
            for size in range(1, progress.records + 1):
                for chosen in combinations(range(progress.records), size):
                    batches = [chosen]
                    if self.repeats:
                        batches += [(*chosen, again) for again in chosen]
                    for batch in batches:
                        for query in self.queries:
                            yield ask(replace(query, report_ids=batch)), asked


@lru_cache(maxsize=2**12)
def summary_choices(
    menu: SummaryMenu, progress: SummaryProgress
) -> tuple[tuple[SummaryAction, SummaryProgress], ...]:
    """List what may be added and asked, once."""
    return tuple(menu.listed(progress))


def ignores_identifiers(rules: Rules) -> bool:
    """Tell whether the rules never look at a report's identifier: whether they are the paper's."""
    named = {*SERVICE, *CLIENTS} - {"limits"}
    return all(getattr(rules, name) is getattr(PAPER, name) for name in named)


def in_order(progress: Hashable, there: Hashable, gone: Hashable) -> tuple[Hashable, Hashable]:
    """Give the reports of two states numbers by what they hold and have spent in both.

    The menu offers every set of reports, and where the rules ignore identifiers nothing else in a
    state refers to them. So pairs of states that differ in this numbering alone have one value.
    """
    del progress
    assert isinstance(there, SummaryState)
    assert isinstance(gone, SummaryState)
    described = sorted((_described(there, name), _described(gone, name), name)
                       for name in there.reports)  # fmt: skip
    names = {name: place for place, (_, _, name) in enumerate(described)}
    if all(name == place for name, place in names.items()):
        return there, gone
    return _renamed(there, names), _renamed(gone, names)


def _described(state: SummaryState, name: ReportId) -> tuple[Hashable, ...]:
    spent = state.service.ledger.get(name, Spent())
    parts = tuple((part.key, part.value) for part in state.reports[name].contributions)
    return parts, spent.epsilon, spent.delta, spent.queries


def _renamed(state: SummaryState, names: dict[ReportId, int]) -> SummaryState:
    reports = {
        names[name]: replace(report, report_id=names[name])
        for name, report in state.reports.items()
    }
    ledger = {names.get(cast(int, entry), entry): s for entry, s in state.service.ledger.items()}
    return replace(state, reports=Map(reports), service=replace(state.service, ledger=Map(ledger)))


def add(report_id: ReportId, unit: Unit, contribution: Contribution) -> SummaryAction:
    """Return the action that adds a record and asks for nothing."""
    function = Assigned(((report_id, contribution),))
    record = Record(unit=unit, report_id=report_id)
    return (record,), SummaryQuery(query=ASK_NOTHING, function=function)


def ask(query: Query) -> SummaryAction:
    """Return the action that asks a question about the records so far."""
    return (), SummaryQuery(query=query, function=Assigned())


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """Be a mechanism of summaries whose responses are observations, as those of the system are."""

    mechanism: Mechanism[SummaryState, SummaryAction, Hashable]

    @property
    def initial(self) -> SummaryState:
        """Return the mechanism's own initial state."""
        return self.mechanism.initial

    def step(
        self, state: SummaryState, action: SummaryAction, draw: Draw
    ) -> tuple[SummaryState, tuple[Hashable, ...]]:
        """Make the step and wrap the response."""
        after, response = self.mechanism.step(state, action, draw)
        return after, (response,)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundMenu:
    """Offer a list of actions in each round, whatever was answered."""

    rounds: tuple[tuple[Hashable, ...], ...]
    start: int = 0

    @property
    def moves(self) -> int:
        """Return the greatest number of moves."""
        return len(self.rounds)

    def choices(
        self, progress: Hashable, states: Sequence[object]
    ) -> Iterable[tuple[Hashable, int]]:
        """Return the actions of this round."""
        del states
        assert isinstance(progress, int)
        if progress < len(self.rounds):
            for action in self.rounds[progress]:
                yield action, progress + 1
