r"""A null report is charged like any other.

Claim: A null report has entries in the ledger, and each answer it takes part in is charged to them.
Paper: Thm. 4.3; Alg. 1.
Method: `charge` is run on a null report from any state of its entry, and `settle` on a batch of one
    null report.
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
    asked,
    bounded,
    for_all_rules,
    name,
    null,
    plain,
    spent,
    with_limits,
)
from proofs.abort_does_not_depend_on_attribution import charge_real_reports_only
from spec import PAPER, Rules
from spec.aggregation_service import Ledger, Spent

R = name(int, "report 1")


@for_all_rules("a null report that takes part in an answer is charged for it")
def null_is_charged(
    rules: Rules,
    epsilon_cap: Fraction,
    delta_cap: Fraction,
    spent_epsilon: Fraction,
    spent_delta: Fraction,
    epsilon: Fraction,
    delta: Fraction,
) -> bool:
    """Run `settle` on a batch of one null report."""
    assume(epsilon > 0, 0 <= delta, delta <= 1, 0 <= spent_epsilon, 0 <= spent_delta)
    assume(spent_epsilon <= epsilon_cap, spent_delta <= delta_cap)
    query, limited = asked(epsilon, delta), with_limits(rules, epsilon=epsilon_cap, delta=delta_cap)
    places = rules.budget_entries(query, null(R))
    ledger: Ledger = Map({place: spent(spent_epsilon, spent_delta) for place in places})
    after, accepted = rules.settle(limited, ledger, query, (null(R),))
    if accepted is None:
        return True
    if not places:
        return False
    for place in places:
        entry = plain(after[place], Spent)
        paid = (entry.epsilon >= spent_epsilon + epsilon) & (entry.delta >= spent_delta + delta)
        if not paid:
            return False
    return True


@for_all_rules("a null report that cannot pay is refused")
def null_is_refused(
    rules: Rules,
    epsilon_cap: Fraction,
    delta_cap: Fraction,
    spent_epsilon: Fraction,
    spent_delta: Fraction,
    epsilon: Fraction,
    delta: Fraction,
) -> bool:
    """Run `charge` on a null report whose budget does not suffice."""
    assume(epsilon > 0, 0 <= delta, delta <= 1, 0 <= spent_epsilon, 0 <= spent_delta)
    assume((spent_epsilon + epsilon > epsilon_cap) | (spent_delta + delta > delta_cap))
    limits = with_limits(rules, epsilon=epsilon_cap, delta=delta_cap).limits
    before = spent(spent_epsilon, spent_delta)
    return rules.charge(limits, before, asked(epsilon, delta), null(R)) is None


@exists("not vacuous: a null report can pay")
def null_can_pay(rules: Rules, epsilon: Fraction) -> bool:
    """Find a query that a null report can pay."""
    assume(epsilon > 0)
    limits = with_limits(rules, epsilon=Fraction(1), delta=Fraction(0)).limits
    return rules.charge(limits, Spent(), asked(epsilon, Fraction(0)), null(R)) is not None


PROOF = Proof(
    claim="null_reports_are_charged",
    subject=PAPER,
    steps=(null_is_charged, null_is_refused, null_can_pay),
    controls={
        "only real reports are charged": replace(PAPER, charge=charge_real_reports_only),
        "null reports have no entry": replace(
            PAPER,
            budget_entries=lambda _, report: () if report.is_null else (report.report_id,),
        ),
    },
)

CHECK = bounded(
    check_of(
        PROOF,
        method="symbolic run of charge and settle on null reports, induction on the batch",
        takes_rules=True,
    ),
    papers_own=("settle",),
    bound="batches of one report",
)
