r"""A refused query leaves the ledger as it was.

Claim: If a batch is refused, no entry of the ledger changes.
Paper: Alg. 1; Alg. 6.
Method: `settle` is run on batches of one and of two reports, from any ledger, with one entry more
    that no report of the batch has.
    Induction on the batch: `settle` collects what it charges beside the ledger and returns the
    ledger itself at the first report that cannot pay, however many could before it.
Assumes: The ledger is within the caps (the_ledger_never_passes_the_caps).
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
    for_all_rules,
    sealed,
    service,
    spent,
    with_caps,
    without_ledger,
)
from proofs.abort_does_not_depend_on_attribution import same_spent
from spec import PAPER, Rules
from spec.aggregation_service import Ledger, Query, Spent
from spec.reports import Report
from spec.rules import AtService


def settled(
    limited: Rules, query: Query, before: tuple[Spent, Spent], both: bool
) -> tuple[Ledger, Ledger, bool]:
    """Settle one or two reports; return the ledger before and after, and whether it was refused."""
    assume(query.epsilon > 0, 0 <= query.delta, query.delta <= 1)
    limited = without_ledger(limited)
    at, caps = at_service(limited, query), limited.limits
    first, second, elsewhere = map(sealed, any_reports(3))
    ledger: Ledger = Map()
    for report, entry in zip((first, second, elsewhere), (*before, before[0]), strict=True):
        assume(0 <= entry.epsilon, entry.epsilon <= caps.epsilon)
        assume(0 <= entry.delta, entry.delta <= caps.delta, entry.queries >= 0)
        for place in limited.budget_entries(at, report):
            ledger = ledger.set(place, entry)
    at, batch = replace(at, service=service(ledger)), (first, second) if both else (first,)
    after, accepted = certain(limited.settle(at, batch))
    return ledger, after, accepted is None


@for_all_rules("a refused batch leaves every entry as it was")
def nothing_is_charged(
    rules: Rules,
    epsilon_cap: Fraction,
    delta_cap: Fraction,
    epsilon_1: Fraction,
    delta_1: Fraction,
    epsilon_2: Fraction,
    delta_2: Fraction,
    epsilon: Fraction,
    delta: Fraction,
    both: bool,
    queries_1: int,
    queries_2: int,
    most: int,
    counted: bool,
) -> bool:
    """Compare every entry of the ledger before and after."""
    entries = (spent(epsilon_1, delta_1, queries_1), spent(epsilon_2, delta_2, queries_2))
    limited = with_caps(rules, epsilon_cap, delta_cap, most, counted)
    before, after, refused = settled(limited, asked(epsilon, delta), entries, both)
    if not refused:
        return True
    if set(before) != set(after):
        return False
    return all(same_spent(entry, after[place]) for place, entry in before.items())


@exists("not vacuous: one report can pay, the other cannot, and the batch is refused")
def one_can_pay(rules: Rules, epsilon: Fraction, epsilon_1: Fraction, epsilon_2: Fraction) -> bool:
    """Find a batch that only one of two reports could pay."""
    limited = with_caps(rules, Fraction(1), Fraction(0), 1, counted=False)
    query = asked(epsilon, Fraction(0))
    entries = (spent(epsilon_1, Fraction(0)), spent(epsilon_2, Fraction(0)))
    _, _, both = settled(limited, query, entries, both=True)
    _, _, alone = settled(limited, query, entries, both=False)
    return both and not alone


def settle_one_by_one(
    at: AtService, batch: tuple[Report, ...]
) -> tuple[Ledger, tuple[Report, ...] | None]:
    """Charge report by report, and keep what was charged when one cannot pay."""
    ledger = at.service.ledger
    for report in batch:
        for entry in at.rules.budget_entries(at, report):
            after = at.rules.charge(at, ledger.get(entry, Spent()), report)
            if after is None:
                return ledger, None
            ledger = ledger.set(entry, after)
    return ledger, batch


PROOF = Proof(
    claim="a_refused_query_charges_nothing",
    subject=PAPER,
    steps=(nothing_is_charged, one_can_pay),
    controls={"reports are charged one by one": replace(PAPER, settle=settle_one_by_one)},
    unproved_for={
        "every batch is refused": replace(PAPER, settle=lambda at, _: (at.service.ledger, None)),
    },
)

CHECK = bounded(
    check_of(
        PROOF,
        method="symbolic run of settle, induction on the batch",
        assumes="the_ledger_never_passes_the_caps",
        takes_rules=True,
    ),
    papers_own=("settle",),
    bound="batches of at most two reports",
)
