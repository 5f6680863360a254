r"""The privacy of truncated noise without a bound on the number of keys, for given rules.

By truncated_noise_needs_no_sparsity_bound a unit that changes sums by $V$ in all is seen with
probability at most $\delta V / \Lambda_1$, if one key that changes by $\Lambda_1$ is seen with
probability at most $\delta$. Here this is shown of the truncation that the rules choose. They may
choose it by a logarithm, or as the smallest sound truncation. Both are decided by their contracts:
the first is checked in threshold_meets_the_tail_lemma, the second in
smallest_sound_truncation_is_tight.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from proofs import truncated_laplace_is_private as truncated
from proofs._check import check_of
from proofs._contracts import by_contract
from proofs._proof import Proof, assume, exists
from proofs._service import (
    ANY_BATCH,
    OfTheRules,
    asked_for,
    noise_of,
    not_discovering,
    without_first_budget,
)
from proofs._subjects import for_all_rules
from spec import PAPER, Rules
from spec.noise import laplace_upper_tail


@dataclass(frozen=True, kw_only=True)
class Sound:
    """Hold the rules, and the closed form of the tail."""

    rules: Rules = PAPER
    upper_tail: Callable[[Fraction, Fraction, Fraction], Fraction] = laplace_upper_tail


@for_all_rules("a key that changes by the whole budget is seen with probability at most δ")
def truncation_is_sound(
    sound: Sound,
    contribution_budget: int,
    sparsity_budget: int,
    epsilon: Fraction,
    delta: Fraction,
    unlisted: bool,
    steps: int,
) -> bool:
    r"""Show $q^{T+1-\Lambda_1} \le \delta$ by its exponents, or $T$ at least the smallest sound.

    It is shown wherever noise is truncated, which it has to be with key discovery.
    """
    assume(1 <= contribution_budget, 1 <= sparsity_budget, 0 < epsilon, 0 <= delta, delta <= 1)
    rules = sound.rules
    given = (contribution_budget, sparsity_budget, epsilon, delta)
    at = asked_for(rules, *given, lists_keys=not unlisted)
    with by_contract(rules, steps) as (logarithm, smallest):
        threshold = rules.threshold(at, ANY_BATCH)
    rate, truncation = noise_of(at, threshold)
    if truncation is None:
        return not_discovering(at)
    if smallest.calls and not logarithm.calls:
        ((step, contribution, chance),) = smallest.calls
        same = (contribution == contribution_budget) & (step.exponent == rate)
        return same & (0 < chance) & (chance <= delta) & (truncation >= steps)
    if not smallest.calls and not logarithm.calls:
        return (contribution_budget == 1) & (delta == 1)
    power, bound = logarithm.only_call()
    reach = rate * (truncation + 1 - contribution_budget)
    return (reach >= power.exponent * (steps + 1)) & (bound * delta >= 1)


def assume_powers(q: Fraction, height: Fraction, lift: Fraction, delta: Fraction) -> None:
    r"""Take $q^{T+1-\Lambda_1}$ as the height and $q^{\Lambda_1}$ as the lift to the edge."""
    assume(0 < q, q < 1, 0 < height, height <= q, 0 < lift, lift <= q, height <= delta)


@for_all_rules("a height of at most δ leaves at most δ in the tail")
def tail_is_at_most_delta(
    sound: Sound, q: Fraction, height: Fraction, lift: Fraction, delta: Fraction
) -> bool:
    """Compute the tail at the height."""
    assume_powers(q, height, lift, delta)
    return sound.upper_tail(q, height, height * lift) <= delta


@exists("a tail that is positive and below δ")
def tail_is_positive(
    sound: Sound, q: Fraction, height: Fraction, lift: Fraction, delta: Fraction
) -> bool:
    """Show that the assumptions about the powers can hold, with something in the tail."""
    assume_powers(q, height, lift, delta)
    tail = sound.upper_tail(q, height, height * lift)
    return (0 < tail) & (tail < delta)


PAPERS = Sound()

SOUND_TRUNCATION = Proof(
    claim="truncated_noise_needs_no_sparsity_bound",
    subject=PAPERS,
    steps=(truncation_is_sound, tail_is_at_most_delta, tail_is_positive),
    controls={
        "threshold without its first contribution budget": replace(
            PAPERS, rules=replace(PAPER, threshold=without_first_budget)
        ),
        "failures on both sides": replace(PAPERS, upper_tail=truncated.both_tails),
    },
    unproved_for={"a tail of nothing": replace(PAPERS, upper_tail=lambda *_: Fraction(0))},
)

TRUNCATION_IS_SOUND = check_of(
    SOUND_TRUNCATION,
    method="threshold and noise of the rules, with logarithm and smallest truncation by contract",
    subject=lambda rules: Sound(rules=rules),
)

WITHIN_REACH = check_of(
    replace(
        truncated.PROOF,
        steps=tuple(s for s in truncated.PROOF.steps if not isinstance(s, OfTheRules)),
    ),
    header=truncated.__doc__,
    subject=lambda rules: truncated.Truncated(rules=rules),
)
