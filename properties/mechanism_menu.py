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
from operator import itemgetter
from typing import TypeAlias, cast

from immutables import Map

from properties.game.world import Numbered, Parts
from spec.aggregation_service import Query, Service, Spent
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
NO_SERVICE = Service()
NOTHING_SPENT = Spent()


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

    def tells(self, action: Hashable) -> bool:
        """Take every action for one that may show something."""
        del action
        return True

    def spares(self, action: Hashable) -> bool:
        """Take every action for one that others depend on."""
        del action
        return False

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


class SummaryDescription:
    """Describe two states by what their reports hold and have spent in both, in any order.

    The menu offers every set of reports, and where the rules ignore identifiers nothing else in a
    state refers to them. So pairs of states that differ in identifiers alone have one value.
    """

    def __init__(self) -> None:
        self.number = Numbered()

    def __call__(self, there: Hashable, gone: Hashable) -> Hashable:
        """Return the description."""
        assert isinstance(there, SummaryState)
        assert isinstance(gone, SummaryState)
        number = self.number
        reports = [
            (*held_and_spent(number, there, name), *held_and_spent(number, gone, name))
            for name in there.reports
        ]
        return number(there.budgets), number(gone.budgets), tuple(sorted(reports))


def held_and_spent(number: Numbered, state: SummaryState, name: ReportId) -> tuple[int, int]:
    """Return what a report holds and what it has spent, by numbers."""
    spent = state.service.ledger.get(name, NOTHING_SPENT)
    return number(state.reports[name].contributions), number(spent)


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


class SummaryParts(Parts):
    r"""Take the service out of a state of $\mathcal{M}_{\mathrm{SR}}$, under the paper's rules.

    A question without records looks at the reports that it names and at the service alone. A record
    that is added asks for nothing, by which the paper's service answers nothing and charges nobody.
    Of its ledger it looks at the entries of the reports in the batch, and it ignores identifiers.
    """

    def __init__(self) -> None:
        self.number = Numbered()
        self.questions: dict[int, tuple[Hashable, int, tuple[ReportId, ...]]] = {}

    def apart(self, state: Hashable) -> tuple[Hashable, Hashable]:
        """Return the state with an empty service, and the service."""
        assert isinstance(state, SummaryState)
        return self.joined(state, NO_SERVICE), state.service

    def joined(self, front: Hashable, back: Hashable) -> Hashable:
        """Return the state with this service."""
        assert isinstance(front, SummaryState)
        service = cast(Service, back)
        return front if front.service is service else replace(front, service=service)

    def view(self, front: Hashable, action: Hashable) -> Hashable | None:
        """Return the reports that a question names."""
        assert isinstance(front, SummaryState)
        database, question = cast(SummaryAction, action)
        if database:
            return None
        named = question.query.report_ids
        return SummaryState(reports=Map({name: front.reports[name] for name in named}))

    def alike(self, view: Hashable, back: Hashable, action: Hashable) -> Hashable | None:
        """Name the question, and what the reports in its batch hold and have spent."""
        question, _ = self.asked(action)
        return question, tuple([entry[:2] for entry in self.batch(view, back, action)])

    def asked(self, action: Hashable) -> tuple[int, tuple[ReportId, ...]]:
        """Return the number of a question, whatever identifiers it names, and the identifiers."""
        known = self.questions.get(id(action))
        if known is None:
            query = cast(SummaryAction, action)[1].query
            named = tuple(dict.fromkeys(query.report_ids))
            places = tuple(map(named.index, query.report_ids))
            number = self.number(replace(query, report_ids=places))
            # What is remembered holds on to its action, so that no other gets its identity.
            known = self.questions[id(action)] = action, number, named
        return known[1:]

    def batch(
        self, view: Hashable, back: Hashable, action: Hashable
    ) -> list[tuple[int, int, ReportId]]:
        """List what each report holds and has spent, and its identifier, in an order of its own."""
        assert isinstance(view, SummaryState)
        assert isinstance(back, Service)
        number, ledger = self.number, back.ledger
        listed = [
            (number(view.reports[n].contributions), number(ledger.get(n, NOTHING_SPENT)), n)
            for n in self.asked(action)[1]
        ]
        once = len(listed) == len(cast(SummaryAction, action)[1].query.report_ids)
        return sorted(listed, key=itemgetter(0, 1)) if once else listed

    def sample(self, view: Hashable, back: Hashable, action: Hashable) -> tuple[Hashable, Hashable]:
        """Return the question about the same reports, which bear their places as identifiers."""
        assert isinstance(view, SummaryState)
        assert isinstance(back, Service)
        named = [name for _, _, name in self.batch(view, back, action)]
        query = cast(SummaryAction, action)[1].query
        spent = {place: back.ledger[n] for place, n in enumerate(named) if n in back.ledger}
        reports = {
            place: replace(view.reports[n], report_id=place) for place, n in enumerate(named)
        }
        state = SummaryState(service=Service(ledger=Map(spent)), reports=Map(reports))
        return state, ask(replace(query, report_ids=tuple(map(named.index, query.report_ids))))

    def grown(self, view: Hashable, back: Hashable, action: Hashable, after: Hashable) -> Hashable:
        """Enter what the reports have spent under their own identifiers."""
        assert isinstance(back, Service)
        assert isinstance(after, Service)
        named = [name for _, _, name in self.batch(view, back, action)]
        spent = {named[cast(int, place)]: entry for place, entry in after.ledger.items()}
        return replace(back, ledger=back.ledger.update(spent))


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

    def tells(self, action: Hashable) -> bool:
        """Take every action for one that may show something."""
        del action
        return True

    def spares(self, action: Hashable) -> bool:
        """Take every action for one that others depend on."""
        del action
        return False
