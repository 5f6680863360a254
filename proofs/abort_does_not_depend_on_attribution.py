r"""Whether a batch is refused, and what it is charged, is the same with and without a unit.

Claim: `batch`, `budget_entries`, `charge` and `settle` give the same on a report and on the null
    report with the same identifier.
Paper: Thm. 4.3; Alg. 1; Alg. 6.
Method: Two runs. In the first the contents of a report may not be looked at, in the second the
    report is null. A rule that gives the same without looking gives the same for all contents. The
    same is then asked of reports with no, one and two contributions, where a rule that looks at
    them is caught.
    Induction on the batch: `settle` and `batch` treat every report by itself. Induction on the
    queries: the two runs start with equal ledgers, and equal ledgers stay equal.
Assumes: The unit's reports keep their identifiers when they are nulled (A3).
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from immutables import Map

from proofs._check import check_of
from proofs._proof import Proof, assume, exists
from proofs._subjects import (
    Inductive,
    any_reports,
    asked,
    at_service,
    bounded,
    certain,
    contribution,
    for_all_rules,
    holding,
    null,
    plain,
    sealed,
    service,
    spent,
    with_caps,
    without_ledger,
)
from spec import PAPER, Rules
from spec.aggregation_service import Ledger, Query, Spent
from spec.reports import Report
from spec.rules import AtService


def same_charge(limited: Rules, before: Spent, query: Query, report: Report) -> bool:
    """Compare the charge and the entries of a report with those of its null report."""
    assume(0 <= before.epsilon, before.epsilon <= limited.limits.epsilon)
    assume(0 <= before.delta, before.delta <= limited.limits.delta, before.queries >= 0)
    assume(query.epsilon > 0, 0 <= query.delta, query.delta <= 1)
    at, without = at_service(limited, query), null(report.report_id)
    if limited.budget_entries(at, report) != limited.budget_entries(at, without):
        return False
    first = limited.charge(at, before, report)
    second = limited.charge(at, before, without)
    if first is None or second is None:
        return first is second
    return same_spent(first, second)


def same_spent(first: Spent, second: Spent) -> bool:
    """Compare two entries of the ledger."""
    first, second = plain(first, Spent), plain(second, Spent)
    return (
        (first.epsilon == second.epsilon)
        & (first.delta == second.delta)
        & (first.queries == second.queries)
    )


@for_all_rules("a charge does not look into the report")
def charge_is_blind(
    rules: Rules,
    epsilon_cap: Fraction,
    delta_cap: Fraction,
    spent_epsilon: Fraction,
    spent_delta: Fraction,
    epsilon: Fraction,
    delta: Fraction,
    queries: int,
    most: int,
    counted: bool,
) -> bool:
    """Run `charge` on a report that may not be looked into, and on its null report."""
    limited = with_caps(rules, epsilon_cap, delta_cap, most, counted)
    before = spent(spent_epsilon, spent_delta, queries)
    (report_id,) = any_reports(1)
    return same_charge(limited, before, asked(epsilon, delta), sealed(report_id))


@for_all_rules("a charge is the same for one and for two contributions as for none")
def charge_is_the_same(
    rules: Rules,
    epsilon_cap: Fraction,
    delta_cap: Fraction,
    spent_epsilon: Fraction,
    spent_delta: Fraction,
    epsilon: Fraction,
    delta: Fraction,
    value_1: int,
    value_2: int,
    two: bool,
    queries: int,
    most: int,
    counted: bool,
) -> bool:
    """Run `charge` on reports with contents, and on their null reports."""
    assume(value_1 > 0, value_2 > 0)
    parts = (contribution(value_1, "key_1"), contribution(value_2, "key_2"))
    (report_id,) = any_reports(1)
    report = holding(report_id, *(parts if two else parts[:1]))
    limited = with_caps(rules, epsilon_cap, delta_cap, most, counted)
    before = spent(spent_epsilon, spent_delta, queries)
    return same_charge(limited, before, asked(epsilon, delta), report)


@for_all_rules("a batch with a report and with its null report is settled in the same way")
def settle_is_the_same(
    rules: Rules,
    epsilon_cap: Fraction,
    delta_cap: Fraction,
    epsilon_1: Fraction,
    delta_1: Fraction,
    epsilon_2: Fraction,
    delta_2: Fraction,
    epsilon: Fraction,
    delta: Fraction,
    value: int,
    repeated: bool,
    queries_1: int,
    queries_2: int,
    most: int,
    counted: bool,
) -> bool:
    """Run `batch` and `settle` on two reports, of which the first is nulled in the second run."""
    assume(epsilon > 0, 0 <= delta, delta <= 1, value > 0, queries_1 >= 0, queries_2 >= 0)
    limited = with_caps(without_ledger(rules), epsilon_cap, delta_cap, most, counted)
    at = at_service(limited, asked(epsilon, delta))
    ledger: Ledger = Map()
    first, second = any_reports(2)
    held = (
        (first, spent(epsilon_1, delta_1, queries_1)),
        (second, spent(epsilon_2, delta_2, queries_2)),
    )
    for report_id, entry in held:
        for place in limited.budget_entries(at, null(report_id)):
            ledger = ledger.set(place, entry)
    charging = replace(at, service=service(ledger))

    def settled(report: Report) -> tuple[Ledger, list[int] | None]:
        named = (report, null(second), report) if repeated else (report, null(second))
        after, accepted = certain(rules.settle(charging, certain(rules.batch(at, named))))
        return after, None if accepted is None else [each.report_id for each in accepted]

    after, accepted = settled(holding(first, contribution(value, "key")))
    after_without, accepted_without = settled(null(first))
    if accepted != accepted_without or set(after) != set(after_without):
        return False
    return all(same_spent(entry, after_without[place]) for place, entry in after.items())


@exists("not vacuous: a batch can be refused, and a smaller query be answered")
def refused_or_not(rules: Rules, small: Fraction, large: Fraction) -> bool:
    """Find a query that is refused and one that is not."""
    assume(small > 0, large > small)
    limited = with_caps(rules, Fraction(1), Fraction(0), 1, counted=False)
    report = null(*any_reports(1))
    dear, cheap = (at_service(limited, asked(each, Fraction(0))) for each in (large, small))
    refused = rules.charge(dear, Spent(), report) is None
    return refused and rules.charge(cheap, Spent(), report) is not None


def charge_real_reports_only(at: AtService, spent: Spent, report: Report) -> Spent | None:
    """Charge nothing for a null report."""
    return spent if report.is_null else PAPER.charge(at, spent, report)


def charge_small_reports_only(at: AtService, spent: Spent, report: Report) -> Spent | None:
    """Charge nothing for a report with two contributions."""
    return spent if len(report.contributions) > 1 else PAPER.charge(at, spent, report)


PROOF = Proof(
    claim="abort_does_not_depend_on_attribution",
    subject=PAPER,
    steps=(
        Inductive(
            step=charge_is_blind, reachable=charge_is_the_same, confirmed_by=charge_is_the_same
        ),
        settle_is_the_same,
        refused_or_not,
    ),
    controls={
        "reports with two contributions are not charged": replace(
            PAPER, charge=charge_small_reports_only
        ),
        "a batch holds real reports only": replace(
            PAPER, batch=lambda _, reports: tuple(r for r in reports if not r.is_null)
        ),
    },
    unproved_for={"every charge is refused": replace(PAPER, charge=lambda *_: None)},
)

CHECK = bounded(
    check_of(
        PROOF,
        method="two runs of charge, batch and settle; induction on the batch",
        assumes="nulled reports keep their identifiers",
        takes_rules=True,
    ),
    papers_own=("settle", "batch"),
    bound="batches of at most two reports",
)
