"""Only the filtering identifiers that a report carries are charged.

A query lists filtering identifiers and sums only the contributions that carry one of them. The
ledger has an entry for every report and identifier. It looks wasteful to charge a report for an
identifier that it does not carry. But the identifiers are encrypted data: if a query for one of
them is refused the second time, the report carries it, and the trigger was attributed. Every listed
identifier must be charged, as in filtering_ids.py.

Origin: patcg-individual-drafts/private-aggregation-api#123, WICG/attribution-reporting-api#1290
Neighbours: attribution fixed (ARA), null store (PAA)
Expected: refuted, no factor keeps delta
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from spec import (
    PAPER,
    SMALL_LIMITS,
    AtService,
    AtTrigger,
    Contribution,
    Key,
    Query,
    Report,
    Rules,
    Source,
    Trigger,
    Universe,
    replace,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FilteredContribution(Contribution):
    """Hold a contribution with its filtering identifier."""

    filtering_id: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class FilteredTrigger(Trigger):
    """Hold a trigger that contributes its value under each of several filtering identifiers."""

    filtering_ids: tuple[int, ...] = (0,)


@dataclass(frozen=True, slots=True, kw_only=True)
class FilteredQuery(Query):
    """Hold a query for the contributions with one of the listed filtering identifiers."""

    filtering_ids: tuple[int, ...] = (0,)


def filtering_id_of(part: Contribution) -> int:
    """Return the filtering identifier of a contribution, zero where it carries none."""
    return part.filtering_id if isinstance(part, FilteredContribution) else 0


def listed_by(query: Query) -> tuple[int, ...]:
    """Return the filtering identifiers that a query lists."""
    return query.filtering_ids if isinstance(query, FilteredQuery) else (0,)


def contribute_under_each_id(at: AtTrigger, source: Source) -> tuple[Contribution, ...]:
    """Contribute the trigger's value once under each of its filtering identifiers."""
    listed = at.cause.filtering_ids if isinstance(at.cause, FilteredTrigger) else (0,)
    return tuple(
        FilteredContribution(key=part.key, value=part.value, filtering_id=each)
        for part in PAPER.contributions(at, source)
        for each in listed
    )


def asked_for(query: Query, batch: tuple[Report, ...]) -> tuple[Report, ...]:
    """Leave out the contributions that the query does not ask for."""
    wanted = listed_by(query)
    return tuple(
        replace(
            report,
            contributions=tuple(p for p in report.contributions if filtering_id_of(p) in wanted),
        )
        for report in batch
    )


def filtered_totals(at: AtService, batch: tuple[Report, ...]) -> Mapping[Key, int]:
    """Sum the contributions that the query asks for."""
    return PAPER.totals(at, asked_for(at.query, batch))


def filtered_keys(at: AtService, batch: tuple[Report, ...]) -> tuple[Key, ...]:
    """Find keys in the contributions that the query asks for."""
    return PAPER.keys(at, asked_for(at.query, batch))


def one_entry_per_present_id(at: AtService, report: Report) -> tuple[Hashable, ...]:
    """Charge the listed filtering identifiers that the report carries."""
    present = {filtering_id_of(part) for part in report.contributions}
    return tuple((report.report_id, each) for each in listed_by(at.query) if each in present)


RULES: Rules = replace(
    PAPER,
    contributions=contribute_under_each_id,
    totals=filtered_totals,
    keys=filtered_keys,
    budget_entries=one_entry_per_present_id,
)

UNIVERSE = Universe(
    name="two filtering identifiers",
    limits=SMALL_LIMITS,
    units=("A",),
    moves=4,
    sources=(Source(source_id="A", destination="shop", expiry=9, filters=frozenset("a"), key=1),),
    triggers=(
        FilteredTrigger(
            report_id=0,
            destination="shop",
            filters=frozenset("a"),
            key=0,
            value=1,
            filtering_ids=(1, 2),
        ),
    ),
    trigger_count=1,
    queries=(
        FilteredQuery(epsilon=Fraction(4), keys=(1,), filtering_ids=(1,)),
        FilteredQuery(epsilon=Fraction(4), keys=(1,), filtering_ids=(2,)),
        FilteredQuery(epsilon=Fraction(4), delta=Fraction(1, 32), filtering_ids=(1, 2)),
    ),
    query_count=2,
)
