r"""A null report is charged like any other.

Claim: A null report has the entries in the ledger that a report with contents has, and is charged
    and refused like it.
Paper: Thm. 4.3; Alg. 1.
Method: Two runs of `settle` from any state of the entries: on a batch of one null report, and on a
    batch of one report with contents.
    Induction on the batch: `settle` treats every report by itself.
Assumes: A query has $\varepsilon > 0$ and $0 \le \delta \le 1$, as `Query` demands.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from immutables import Map

from proofs._check import check_of
from proofs._proof import Proof, assume, exists
from proofs._subjects import (
    any_reports,
    asked,
    at_service,
    bounded,
    certain,
    contribution,
    for_all_rules,
    holding,
    null,
    service,
    spent,
    with_caps,
    without_ledger,
)
from proofs.abort_does_not_depend_on_attribution import charge_real_reports_only
from spec import PAPER, Rules
from spec.aggregation_service import Ledger, Spent


@for_all_rules("a null report is charged, or refused, like a report that holds something")
def null_is_charged(
    rules: Rules,
    epsilon_cap: Fraction,
    delta_cap: Fraction,
    spent_epsilon: Fraction,
    spent_delta: Fraction,
    epsilon: Fraction,
    delta: Fraction,
    value: int,
    queries: int,
    most: int,
    counted: bool,
) -> bool:
    """Run `settle` on a batch of one null report, and on one of a report with contents."""
    assume(epsilon > 0, 0 <= delta, delta <= 1, 0 <= spent_epsilon, 0 <= spent_delta, value > 0)
    assume(spent_epsilon <= epsilon_cap, spent_delta <= delta_cap, queries >= 0)
    limited = with_caps(without_ledger(rules), epsilon_cap, delta_cap, most, counted)
    at = at_service(limited, asked(epsilon, delta))
    (report_id,) = any_reports(1)
    real, without = holding(report_id, contribution(value, "key")), null(report_id)
    places = limited.budget_entries(at, real)
    if not places or places != limited.budget_entries(at, without):
        return False
    ledger: Ledger = Map({place: spent(spent_epsilon, spent_delta, queries) for place in places})
    at = replace(at, service=service(ledger))
    after, accepted = certain(rules.settle(at, (without,)))
    other, accepted_real = certain(rules.settle(at, (real,)))
    if (accepted is None) != (accepted_real is None):
        return False
    return all(after[place] == other[place] for place in places)


@exists("not vacuous: a null report can pay")
def null_can_pay(rules: Rules, epsilon: Fraction) -> bool:
    """Find a query that a null report can pay."""
    assume(epsilon > 0)
    limited = with_caps(rules, Fraction(1), Fraction(0), 1, counted=True)
    at = at_service(limited, asked(epsilon, Fraction(0)))
    return rules.charge(at, Spent(), null(*any_reports(1))) is not None


PROOF = Proof(
    claim="null_reports_are_charged",
    subject=PAPER,
    steps=(null_is_charged, null_can_pay),
    controls={
        "only real reports are charged": replace(PAPER, charge=charge_real_reports_only),
        "null reports have no entry": replace(
            PAPER,
            budget_entries=lambda _, report: () if report.is_null else (report.report_id,),
        ),
    },
    unproved_for={"every charge is refused": replace(PAPER, charge=lambda *_: None)},
)

CHECK = bounded(
    check_of(
        PROOF,
        method="two runs of settle, on a null report and on another; induction on the batch",
        takes_rules=True,
    ),
    papers_own=("settle",),
    bound="batches of one report",
)
