r"""A report takes part in aggregations for no more than the budget that it states.

Claim: The budgets of the jobs that a report takes part in sum to at most what it states; in the
    draft it takes part once.
Paper: none (Attribution Level 1).
Method: Inductive invariant: the service's record of a report is at least the sum of the budgets of
    its jobs, and is at most what it states. `accept` is run on any record, any job and any stated
    budget; it may not look at the histogram, nor at what is recorded of other reports. A report
    that is refused leaves the record as it was, because `aggregate` then keeps the old one.
Assumes: Every report has an identifier of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction

from immutables import Map

from proofs._proof import Proof, assume, exists
from proofs._subjects import for_all_rules, opaque, unchecked
from proofs._symbolic import counting, free
from proofs.level1._subjects import entries, limits_of, state_of
from spec.level1 import (
    LEVEL_1_ONE_DRAW,
    Aggregator,
    AtAggregator,
    Job,
    Level1Rules,
    Report,
)
from spec.level1.aggregation import accept


def accepted(
    rules: Level1Rules,
    used: Iterable[tuple[int, Fraction]],
    report: int,
    job: int,
    stated: Fraction,
) -> Map[int, int] | None:
    """Offer a report to a job; return what is recorded then, all that the service keeps."""
    at = unchecked(
        AtAggregator,
        rules=replace(rules, limits=limits_of()),
        aggregator=Aggregator(used=entries(recorded_as(used), own=report)),
        job=unchecked(Job, minimal_budget=job),
    )
    offered = unchecked(
        Report,
        report_id=report,
        stated_budget=counting(stated),
        histogram=opaque(tuple[int, ...], "the histogram"),
    )
    after = rules.accept(at, offered)
    return None if after is None else state_of(after, Aggregator, ("used",)).used


def recorded_as(used: Iterable[tuple[int, Fraction]]) -> list[tuple[int, int]]:
    """Return a record of whole numbers, which may be any."""
    return [(report, counting(amount)) for report, amount in used]


@for_all_rules(
    "a fresh report is recorded with at least the budget of its job, within what it states"
)
def first_time(rules: Level1Rules, report: int, job: int, stated: Fraction) -> bool:
    """Offer a report that nobody used."""
    assume(1 <= job, 0 <= stated)
    after = accepted(rules, (), report, job, stated)
    if after is None:
        return True
    return (job <= after[report]) & (after[report] <= stated)


@for_all_rules("a used report is recorded with as much more, within what it states")
def next_time(rules: Level1Rules, report: int, used: Fraction, job: int, stated: Fraction) -> bool:
    """Offer a report of which something was used."""
    assume(1 <= job, 0 <= used, used <= stated)
    after = accepted(rules, [(report, used)], report, job, stated)
    if after is None:
        return True
    return (used + job <= after[report]) & (after[report] <= stated)


@for_all_rules("what is recorded of another report is left alone")
def others_stay(
    rules: Level1Rules,
    report: int,
    other: int,
    used: Fraction,
    mine: Fraction,
    job: int,
    stated: Fraction,
    again: bool,
) -> bool:
    """Offer a report, a fresh one or one of which something was used, beside another one."""
    assume(report != other, 1 <= job, 0 <= used, 0 <= mine)
    before = [(other, used), (report, mine)] if again else [(other, used)]
    after = accepted(rules, before, report, job, stated)
    return after is None or after.get(other, -1) == used


@exists("not vacuous: a report takes part once and not twice")
def once(rules: Level1Rules, job: int, stated: Fraction) -> bool:
    """Find a job that a report may take part in once."""
    assume(1 <= job)
    report = free("report", int)
    after = accepted(rules, (), report, job, stated)
    return after is not None and accepted(rules, recorded(after), report, job, stated) is None


def recorded(used: Map[int, int]) -> list[tuple[int, Fraction]]:
    """Return what is recorded, report by report."""
    return [(report, Fraction(1) * left) for report, left in used.items()]


def forgetful(at: AtAggregator, report: Report) -> Aggregator | None:
    """Record one grain, whatever the job uses."""
    after = accept(at, report)
    if after is None:
        return None
    return replace(after, used=after.used.set(report.report_id, 1))


def one_at_a_time(at: AtAggregator, report: Report) -> Aggregator | None:
    """Forget all other reports."""
    after = accept(at, report)
    if after is None:
        return None
    return replace(after, used=entries([(report.report_id, after.used[report.report_id])]))


def once_more_alone(at: AtAggregator, report: Report) -> Aggregator | None:
    """Accept a report again within its budget, and forget all others then."""
    used, job = at.aggregator.used, at.job.minimal_budget
    if report.report_id not in used:
        fits = job <= report.stated_budget
        return replace(at.aggregator, used=used.set(report.report_id, job)) if fits else None
    total = used[report.report_id] + job
    fits = total <= report.stated_budget
    return replace(at.aggregator, used=entries([(report.report_id, total)])) if fits else None


def once_more_if_cheap(at: AtAggregator, report: Report) -> Aggregator | None:
    """Accept a report again where the job is about a single grain."""
    if at.job.minimal_budget == 1 and report.report_id in at.aggregator.used:
        return at.aggregator
    return accept(at, report)


DRAFT = LEVEL_1_ONE_DRAW
OWN: tuple[str, ...] = ()
SITE_ONLY = GLOBAL_ONLY = ()
PROOF = Proof(
    claim="level1_reports_are_accepted_once",
    subject=DRAFT,
    steps=(first_time, next_time, others_stay, once),
    controls={
        "one grain is recorded": replace(DRAFT, accept=forgetful),
        "a job for a single grain is always answered": replace(DRAFT, accept=once_more_if_cheap),
        "all other reports are forgotten": replace(DRAFT, accept=one_at_a_time),
        "all other reports are forgotten the second time": replace(DRAFT, accept=once_more_alone),
    },
    unproved_for={"no report is ever accepted": replace(DRAFT, accept=lambda _, __: None)},
)
