r"""A report counts once in a batch.

Claim: However often a report stands in a batch, the sums count its contributions at most once.
Paper: Alg. 6; Alg. 1.
Method: `batch` and `totals` are run on three reports with every pattern of repetitions, with
    symbolic values and with one key for all or a key for each.
    Induction on the batch: `batch` keeps the first report with an identifier, as the keys of a
    mapping are distinct, and `totals` adds each contribution of each report once.
Assumes: Reports with one identifier are one report.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from proofs._check import check_of
from proofs._proof import Proof, assume, exists
from proofs._subjects import (
    asked,
    at_service,
    bounded,
    certain,
    for_all_rules,
    holding,
    name,
    sealed,
    unchecked,
)
from spec import PAPER, Rules
from spec.aggregation_service import distinct_reports
from spec.reports import Contribution, Report
from spec.rules import AtService

IDS = tuple(name(int, f"report {each}") for each in range(3))
KEYS = tuple(name(int, f"key {each}") for each in range(3))
PATTERNS = ((0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1), (0, 1, 2))
QUERY = asked(Fraction(1), Fraction(0))


def batch_of(pattern: tuple[int, ...], values: tuple[int, ...], shared: bool) -> list[Report]:
    """Return reports by their numbers, all for one key or each for its own."""
    return [
        holding(
            IDS[each],
            unchecked(Contribution, key=KEYS[0 if shared else each], value=values[each]),
        )
        for each in pattern
    ]


@for_all_rules("the sums count every report at most once")
def counted_once(rules: Rules, value_1: int, value_2: int, value_3: int, shared: bool) -> bool:
    """Compare every sum with that of distinct reports."""
    assume(value_1 >= 0, value_2 >= 0, value_3 >= 0)
    at = at_service(rules, QUERY)
    for pattern in PATTERNS:
        reports = batch_of(pattern, (value_1, value_2, value_3), shared)
        sums = rules.totals(at, certain(rules.batch(at, tuple(reports))))
        distinct = batch_of(tuple(dict.fromkeys(pattern)), (value_1, value_2, value_3), shared)
        for key in set(sums):
            most = sum(r.contributions[0].value for r in distinct if r.contributions[0].key == key)
            if not (0 <= sums[key]) & (sums[key] <= most):
                return False
    return True


@for_all_rules("a batch holds each identifier at most once, and none that was not sent")
def distinct_identifiers(rules: Rules) -> bool:
    """Run `batch` on reports that may not be looked into."""
    at = at_service(rules, QUERY)
    for pattern in PATTERNS:
        batch = certain(rules.batch(at, tuple(sealed(IDS[each]) for each in pattern)))
        identifiers = [report.report_id for report in batch]
        if len(set(identifiers)) != len(identifiers):
            return False
        if not set(identifiers) <= {IDS[each] for each in pattern}:
            return False
    return True


@exists("not vacuous: two reports for one key add up")
def sums_add_up(rules: Rules, value_1: int, value_2: int) -> bool:
    """Find values whose sum is more than each of them."""
    assume(value_1 > 0, value_2 > 0)
    at = at_service(rules, QUERY)
    reports = batch_of((0, 1), (value_1, value_2), shared=True)
    total = rules.totals(at, certain(rules.batch(at, tuple(reports))))[KEYS[0]]
    return (total > value_1) & (total > value_2)


def twice(at: AtService, batch: tuple[Report, ...]) -> Mapping[int, int]:
    """Count everything twice."""
    return {key: 2 * total for key, total in PAPER.totals(at, batch).items()}


def of_distinct_reports(at: AtService, batch: tuple[Report, ...]) -> Mapping[int, int]:
    """Count once what stands twice in a batch."""
    return PAPER.totals(at, distinct_reports(at, batch))


def nothing(at: AtService, batch: tuple[Report, ...]) -> Mapping[int, int]:
    """Count nothing."""
    return dict.fromkeys(PAPER.totals(at, batch), 0)


PROOF = Proof(
    claim="a_batch_is_a_set",
    subject=PAPER,
    steps=(counted_once, distinct_identifiers, sums_add_up),
    controls={
        "sums that count every report twice": replace(PAPER, totals=twice),
        "a report may stand twice, and is counted once": replace(
            PAPER, batch=lambda _, reports: reports, totals=of_distinct_reports
        ),
    },
    unproved_for={"sums that are zero": replace(PAPER, totals=nothing)},
)

CHECK = bounded(
    check_of(
        PROOF,
        method="symbolic run of batch and totals on all repetitions, induction on the batch",
        takes_rules=True,
    ),
    papers_own=("batch", "totals"),
    bound="batches of at most three reports",
)
