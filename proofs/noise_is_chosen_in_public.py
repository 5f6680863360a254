r"""Noise and threshold depend on public parameters only.

Claim: For two batches of one size and one query, with key discovery or without, `threshold` and
    `noise` choose the same.
Paper: Alg. 1; Alg. 6.
Method: Two runs of `threshold` and `noise` on symbolic parameters, with batches of which only the
    size may be known, any size: what does not look at the reports does not depend on them. The
    state of the service may not be looked at either, since it tells of batches before. A search
    over exact parameters and a few batches catches rules that do.
Assumes: The rules have no memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import chain, islice

from proofs._check import check_of
from proofs._contracts import by_contract
from proofs._opaque import counted
from proofs._proof import Proof, assume, exists
from proofs._service import ANY_BATCH, asked_for, parameters
from proofs._subjects import Inductive, for_all_rules, search, unchecked
from spec import PAPER, Rules
from spec.aggregation_service import Query
from spec.noise import DiscreteLaplace, Noise
from spec.numbers import Power
from spec.reports import Contribution, Report
from spec.rules import AtService

BATCHES = tuple(
    tuple(
        Report(report_id=each, contributions=(Contribution(key=each, value=value),))
        for each in range(size)
    )
    for size, value in ((1, 1), (1, 5), (3, 1), (3, 70_000))
)


@for_all_rules("threshold and noise do not look at the reports of the batch")
def the_batch_is_not_read(
    rules: Rules,
    contribution_budget: int,
    sparsity_budget: int,
    epsilon: Fraction,
    delta: Fraction,
    lists_keys: bool,
    steps: int,
) -> bool:
    """Run both rules with two batches."""
    assume(contribution_budget >= 1, sparsity_budget >= 1, epsilon > 0, 0 <= delta, delta <= 1)
    given = (contribution_budget, sparsity_budget, epsilon, delta)
    at = asked_for(rules, *given, lists_keys=bool(lists_keys))
    other = counted(tuple[Report, ...], "the batch")
    with by_contract(rules, steps):
        first, second = (rules.threshold(at, each) for each in (ANY_BATCH, other))
        laws = [rules.noise(at, each, first) for each in (ANY_BATCH, other)]
    if first is None or second is None:
        return first is second and laws[0] == laws[1]
    return first == second and laws[0] == laws[1]


@search(
    "threshold and noise are the same for batches of the same size",
    by="exact instances",
    over="40 exact parameters with key discovery, 40 without, four batches of up to three reports",
)
def instances(rules: Rules) -> Mapping[str, object] | None:
    """Look for two batches that are treated differently."""
    discovering, listing = parameters(rules), parameters(rules, keys=(1,))
    for at in chain(islice(discovering, 40), islice(listing, 40)):
        for batch in BATCHES:
            found = chosen(at, batch)
            nulled = chosen(at, tuple(replace(report, contributions=()) for report in batch))
            if found != nulled:
                return {
                    "contribution_budget": at.limits.contribution_budget,
                    "sparsity_budget": at.limits.sparsity_budget,
                    "epsilon": at.query.epsilon,
                    "delta": at.query.delta,
                    "keys": at.query.keys,
                    "reports": len(batch),
                    "threshold": found[0],
                    "threshold of null reports": nulled[0],
                    "noise": found[1],
                    "noise of null reports": nulled[1],
                }
    return None


def chosen(at: AtService, batch: tuple[Report, ...]) -> tuple[int | None, Noise]:
    """Return the threshold and the noise for a batch."""
    threshold = at.rules.threshold(at, batch)
    return threshold, at.rules.noise(at, batch, threshold)


@exists("not vacuous: the noise depends on the query")
def the_query_matters(rules: Rules, first: Fraction, second: Fraction) -> bool:
    """Find two queries with different noise."""
    assume(first > 0, second > 0)
    at = asked_for(rules, 1, 1, first, Fraction(0))
    _, one = chosen(at, ())
    named = at.query.report_ids
    query = unchecked(Query, epsilon=second, delta=Fraction(0), keys=(), report_ids=named)
    _, other = chosen(replace(at, query=query), ())
    return one != other


def threshold_by_real_size(at: AtService, batch: tuple[Report, ...]) -> int | None:
    """Raise the threshold with the number of reports that carry something."""
    threshold = PAPER.threshold(at, batch)
    real = sum(not report.is_null for report in batch)
    return None if threshold is None else threshold + real


def noise_by_content(at: AtService, batch: tuple[Report, ...], threshold: int | None) -> Noise:
    """Halve the noise for a batch of null reports."""
    if all(report.is_null for report in batch):
        at = replace(at, query=replace(at.query, epsilon=2 * at.query.epsilon))
    return PAPER.noise(at, batch, threshold)


def noise_by_content_of_listed_keys(
    at: AtService, batch: tuple[Report, ...], threshold: int | None
) -> Noise:
    """Halve the noise for a batch of null reports, if the query lists keys."""
    choose = noise_by_content if at.query.keys else PAPER.noise
    return choose(at, batch, threshold)


def fixed_noise(at: AtService, _: tuple[Report, ...], threshold: int | None) -> Noise:
    """Ignore the query."""
    return DiscreteLaplace(Power(at.limits.base, Fraction(-1)), threshold)


PROOF = Proof(
    claim="noise_is_chosen_in_public",
    subject=PAPER,
    steps=(
        Inductive(step=the_batch_is_not_read, reachable=instances, confirmed_by=instances),
        the_query_matters,
    ),
    controls={
        "the threshold follows the number of real reports": replace(
            PAPER, threshold=threshold_by_real_size
        ),
        "the noise follows the batch's contents": replace(PAPER, noise=noise_by_content),
        "for listed keys the noise follows the batch's contents": replace(
            PAPER, noise=noise_by_content_of_listed_keys
        ),
    },
    unproved_for={"the noise is always the same": replace(PAPER, noise=fixed_noise)},
)

CHECK = check_of(
    PROOF,
    method="two runs of threshold and noise",
    assumes="rules have no memory",
    takes_rules=True,
)
