r"""With key discovery, noise alone never passes the release test.

Claim: For every query with $0 < \delta \le 1$, no outcome of the noise around zero is released. The
    caps do not enter: where $\delta_* = 0$ such queries are refused, and the same is asked of the
    rules. A query that lists keys, or brings no $\delta$, discovers none: it is answered for the
    keys that it lists, whatever is in the batch, and nothing is asked of the test.
Paper: Alg. 1; Alg. 6.
Method: `threshold`, `noise` and `releases` are run on symbolic parameters. No noisy sum up to the
    greatest outcome of the noise may be released. The logarithm in the threshold is any integer.
    Where that fails, a search over exact parameters, with the logarithm itself, has to refute it.
Assumes: Nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from proofs._check import check_of
from proofs._contracts import by_contract
from proofs._proof import Proof, assume, exists
from proofs._service import ANY_BATCH, asked_for, parameters
from proofs._subjects import Inductive, any_key, for_all_rules, search
from spec import PAPER, Rules
from spec.noise import DiscreteLaplace, Noise
from spec.numbers import Power
from spec.reports import Report
from spec.rules import AtService


@for_all_rules("no outcome of the noise around zero is released")
def noise_is_not_released(
    rules: Rules,
    contribution_budget: int,
    sparsity_budget: int,
    epsilon: Fraction,
    delta: Fraction,
    steps: int,
    outcome: int,
) -> bool:
    """Run the three rules, and release no outcome."""
    assume(contribution_budget >= 1, sparsity_budget >= 1, epsilon > 0, 0 < delta, delta <= 1)
    at = asked_for(rules, contribution_budget, sparsity_budget, epsilon, delta)
    with by_contract(rules, steps):
        threshold = rules.threshold(at, ANY_BATCH)
        law = rules.noise(at, ANY_BATCH, threshold)
    greatest = law.support[1]
    if greatest is not None:
        assume(outcome <= greatest)
    return not rules.releases(at, any_key("key"), outcome, threshold)


@dataclass(frozen=True, slots=True)
class Asked:
    """Hold a query at exact parameters, the threshold, and the greatest outcome of the noise."""

    at: AtService
    threshold: int | None
    greatest: int | None


@for_all_rules("no outcome is released for any key")
def not_released_at(asked: Asked, outcome: int) -> bool:
    """Ask about every key and every outcome that there is."""
    if asked.greatest is not None:
        assume(outcome <= asked.greatest)
    rules = asked.at.rules
    return not rules.releases(asked.at, any_key("key"), outcome, asked.threshold)


@search(
    "no outcome is released at exact parameters",
    by="exact instances",
    over="exact parameters and the limits of the rules, every key and every outcome",
)
def instances(rules: Rules) -> Mapping[str, object] | None:
    """Look for a key and an outcome that is released for it, near the ends where code asks more."""
    for at in parameters(rules):
        threshold = rules.threshold(at, ())
        greatest = rules.noise(at, (), threshold).support[1]
        found = not_released_at.decide(Asked(at, threshold, greatest)).example
        if found is None:
            found = at_the_ends(at, threshold, greatest)
        if found is not None:
            return {
                "contribution_budget": at.limits.contribution_budget,
                "sparsity_budget": at.limits.sparsity_budget,
                "epsilon": at.query.epsilon,
                "delta": at.query.delta,
                "threshold": threshold,
                **found,
            }
    return None


def at_the_ends(
    at: AtService, threshold: int | None, greatest: int | None
) -> Mapping[str, int] | None:
    """Return an outcome near the threshold or the greatest outcome that is released for key 0."""
    near = {0, *(end + step for end in (threshold, greatest) if end for step in (-1, 0, 1))}
    for outcome in sorted(near):
        possible = greatest is None or outcome <= greatest
        if possible and at.rules.releases(at, 0, outcome, threshold):
            return {"outcome": outcome}
    return None


@exists("not vacuous: a sum above the threshold is released")
def sums_are_released(rules: Rules, steps: int, noisy: int) -> bool:
    """Find a noisy sum that is released."""
    assume(steps >= 0)
    at = asked_for(rules, 1, 1, Fraction(1), Fraction(1, 2))
    with by_contract(rules, steps):
        threshold = rules.threshold(at, ANY_BATCH)
    return rules.releases(at, any_key("key"), noisy, threshold)


def untruncated_noise(at: AtService, _: tuple[Report, ...], __: int | None) -> Noise:
    """Never truncate."""
    decay = Power(at.limits.base, -at.query.epsilon / at.limits.contribution_budget)
    return DiscreteLaplace(decay_power=decay)


def release_at_the_threshold(_: AtService, __: int, noisy: int, threshold: int | None) -> bool:
    """Release a noisy sum that equals the threshold."""
    return threshold is None or noisy >= threshold


PROOF = Proof(
    claim="absent_keys_are_never_released",
    subject=PAPER,
    steps=(Inductive(step=noise_is_not_released, reachable=instances), sums_are_released),
    controls={
        "the noise is not truncated": replace(PAPER, noise=untruncated_noise),
        "a sum at the threshold is released": replace(PAPER, releases=release_at_the_threshold),
        "there is no threshold": replace(PAPER, threshold=lambda *_: None),
    },
    unproved_for={"nothing is released": replace(PAPER, releases=lambda *_: False)},
)

CHECK = check_of(PROOF, method="symbolic run of threshold, noise and releases", takes_rules=True)
