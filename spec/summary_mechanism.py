r"""The mechanism $\mathcal{M}_{\mathrm{SR}}$: client and service as one interactive mechanism.

A database is a sequence of records $(x, y)$: the report $y$ belongs to the privacy unit $x$. The
first phase bounds what each unit contributes, with the clients' own functions. The other two phases
are the aggregation service itself.

The neighbour $D^{-x}$ of ARA moves the records of $x$ to the dummy source, that of PAA replaces
their shared storage by the dummy. Either way the record stays, with its report identifier, and
contributes nothing.

Deviates: A3 and A4 a dummy record is null; B14 a database is a sequence; B17 contributions are kept
per report, so that a report registered twice carries both.
Paper: Sec. 4.2; Sec. 4.3; Alg. 6.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import TypeAlias

from immutables import Map

from spec.aggregation_service import Query, Service, named_reports
from spec.contributions import Budgets, Credit, Unit
from spec.distributions import Draw
from spec.reports import Contribution, Report, ReportId
from spec.rules import AtService, OnDevice, Rules


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    r"""Hold a record $(x, y)$: the unit, the report's identifier, and in PAA the shared storage.

    A `unit` of None is the dummy source $x_\bot$, a `storage` of None the dummy storage $y_\bot$.
    """

    unit: Unit | None
    report_id: ReportId
    storage: Hashable | None = ()

    @property
    def is_dummy(self) -> bool:
        """Say whether the record is one of a unit that was removed."""
        return self.unit is None or self.storage is None


Database: TypeAlias = tuple[Record, ...]
Neighbour: TypeAlias = Callable[[Database, Unit], Database]


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryQuery:
    r"""Hold a query $(\varepsilon, \delta, Y, f)$: `function` is $f$, `query` has the others."""

    query: Query
    function: Callable[[Record], Contribution]


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryState:
    r"""Hold the state $(\{(L_x, s_x)\}, \{(\varepsilon_y, \delta_y)\}, R)$."""

    budgets: Budgets = Map()
    service: Service = Service()
    reports: Map[ReportId, Report] = Map()


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryMechanism:
    r"""Be the interactive mechanism $\mathcal{M}_{\mathrm{SR}}$, whose time is always zero."""

    rules: Rules

    @property
    def initial(self) -> SummaryState:
        """Return the state in which nobody has contributed."""
        return SummaryState(service=self.rules.initial.service)

    def step(
        self, state: SummaryState, action: tuple[Database, SummaryQuery], draw: Draw
    ) -> tuple[SummaryState, Hashable]:
        """Bound the new records' contributions, then let the service answer the query."""
        database, question = action
        # Phase 1: bound what the new records contribute.
        for record in database:
            state = add_record(self.rules, state, record, question.function)
        # Phase 2, check the privacy budget, and phase 3, sum and add noise, are the service's.
        batch = named_reports(question.query, state.reports)
        at = AtService(rules=self.rules, now=0, service=state.service, query=question.query)
        service, response = self.rules.serve(at, batch, draw)
        return replace(state, service=service), response


def add_record(
    rules: Rules, state: SummaryState, record: Record, function: Callable[[Record], Contribution]
) -> SummaryState:
    """Bound the contribution of one record and keep its report."""
    credits: tuple[Credit, ...] = ()
    if not record.is_dummy:
        credits = (Credit(unit=record.unit, contributions=(function(record),)),)
    at = OnDevice(rules=rules, now=0, client=state, cause=None)
    budgets, granted = rules.contribute(at, credits)
    earlier = state.reports.get(record.report_id, Report(report_id=record.report_id))
    parts = tuple(part for credit in granted for part in credit.contributions)
    report = replace(earlier, contributions=earlier.contributions + parts)
    return replace(state, budgets=budgets, reports=state.reports.set(record.report_id, report))


def without_source(database: Database, unit: Unit) -> Database:
    r"""Return $D^{-x}$ of ARA: the records of $x$ move to the dummy source."""
    return tuple(
        replace(record, unit=None) if record.unit == unit else record for record in database
    )


def without_storage(database: Database, unit: Unit) -> Database:
    r"""Return $D^{-x}$ of PAA: the shared storage of $x$ becomes the dummy storage."""
    return tuple(
        replace(record, storage=None) if record.unit == unit else record for record in database
    )
