"""All reports with the same shared identifier have one budget entry.

The privacy budget service does not keep an entry per report but one for all reports of the same
site and time. The shared identifier is public, so refusals still say nothing about attribution, and
each report is charged at least for what it takes part in. It costs jobs: a report that arrives
after the others of its shared identifier were asked for can no longer be asked for, though it was
never counted. Here both reports share an entry, and of two jobs that each use up the budget of one
report the second is refused.

Origin: footnote 2 of the paper, the aggregation service as shipped
Neighbours: attribution fixed (ARA), null store (PAA)
Expected: holds
"""

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction

from spec import (
    PAPER,
    SMALL_LIMITS,
    AtContribution,
    AtService,
    Credit,
    Query,
    Report,
    Rules,
    Sent,
    Source,
    Trigger,
    Universe,
    replace,
)
from spec.contributions import send


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedTrigger(Trigger):
    """Hold a trigger with the site and the time that its report will show."""

    shared_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedReport(Report):
    """Hold a report with its shared identifier."""

    shared_id: str = ""


def send_with_shared_id(at: AtContribution, granted: tuple[Credit, ...]) -> tuple[Sent, ...]:
    """Write the shared identifier of the trigger on the report."""
    shared_id = at.cause.shared_id if isinstance(at.cause, SharedTrigger) else ""
    (sent,) = send(at, granted)
    report = SharedReport(
        report_id=sent.report.report_id,
        contributions=sent.report.contributions,
        shared_id=shared_id,
    )
    return (replace(sent, report=report),)


def one_entry_per_shared_id(at: AtService, report: Report) -> tuple[Hashable, ...]:
    """Keep one ledger entry for all reports with the same shared identifier."""
    return (report.shared_id if isinstance(report, SharedReport) else "",)


RULES: Rules = replace(PAPER, send=send_with_shared_id, budget_entries=one_entry_per_shared_id)

A = Source(source_id="A", destination="shop", expiry=9, filters=frozenset("a"), key=1)
NOON = SharedTrigger(
    report_id=0,
    destination="shop",
    filters=frozenset("a"),
    key=0,
    value=1,
    shared_id="shop, 12:00",
)
UNIVERSE = Universe(
    name="two reports with one shared identifier",
    limits=SMALL_LIMITS,
    units=("A",),
    moves=5,
    sources=(A, replace(A, source_id="B", filters=frozenset("b"))),
    triggers=(NOON, replace(NOON, filters=frozenset("b"), value=2)),
    trigger_count=2,
    queries=(
        Query(epsilon=Fraction(4), keys=(1,)),
        Query(epsilon=Fraction(2), delta=Fraction(1, 32)),
    ),
    query_count=2,
)
