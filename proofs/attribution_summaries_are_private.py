r"""Summary reports of ARA, client and service together, are private per source.

Claim: What the ad-tech sees of ARA summary reports is $(\varepsilon_*, \delta_*)$-indistinguishable
    with and without a source $x$, for every interactive adversary, with attribution fixed.
Paper: Cor. 4.4.
Method: A chain of lemmas, each decided on the rules at hand:
    client and service are M_SR; a step keeps and shows what its parts return; reports are sent,
    seen and refused alike with and without $x$; noise is chosen in public and absent keys are not
    released; so the two runs differ in the sums by what $x$ contributes, which is within budget and
    counted once; the noise hides it at a cost in proportion; the costs sum to at most the caps by
    the conservation law; and rollouts within the caps make the whole transcript private. Where the
    number of contributions is not bounded, or the threshold is lower, truncated noise needs the
    values only.
    Which sources match a trigger, in which order they are tried and what they would contribute is
    free: it is decided once, and the same for both runs. The states in which clients and service
    begin must be the paper's. What a proposal has put around the paper's rules, and an adversary
    could do by itself, is taken off first.
Assumes: What every lemma assumes; no side channels; rules are functions of their arguments.
"""

from __future__ import annotations

from dataclasses import replace

from proofs._chain import Chain, Link
from proofs._service import without_first_budget
from proofs._step import CHECK as STEP_KEEPS
from proofs._truncation import TRUNCATION_IS_SOUND, WITHIN_REACH
from proofs.abort_does_not_depend_on_attribution import charge_real_reports_only
from proofs.contributions_stay_within_budget import VALUES_ONLY, compare_before_adding
from proofs.summary_mechanism_is_individually_private import BY_VALUE_ONLY
from spec import PAPER
from spec.aggregation_service import Spent
from spec.reports import Report
from spec.rules import AtService

LEDGER: tuple[Link, ...] = (
    "the_ledger_never_passes_the_caps",
    "abort_does_not_depend_on_attribution",
)
COMMON: tuple[Link, ...] = (
    "a_report_is_sent_for_every_trigger",
    "a_batch_is_a_set",
    "noise_is_chosen_in_public",
    "absent_keys_are_never_released",
    "discrete_laplace_is_private",
    "client_and_service_refine_the_mechanism",
    ("the step keeps and shows what its parts return", STEP_KEEPS),
    "individual_privacy_implies_privacy",
)
BY_COUNT: tuple[Link, ...] = (
    "contributions_stay_within_budget",
    "threshold_meets_the_tail_lemma",
    "truncated_laplace_is_private",
    "summary_mechanism_is_individually_private",
)
BY_VALUE: tuple[Link, ...] = (
    ("contributions_stay_within_budget, values", VALUES_ONLY),
    ("the truncation is sound for one key", TRUNCATION_IS_SOUND),
    ("truncated_laplace_is_private, within reach", WITHIN_REACH),
    "truncated_noise_needs_no_sparsity_bound",
    "smallest_sound_truncation_is_tight",
    ("summary_mechanism_is_individually_private, by value", BY_VALUE_ONLY),
)
WAYS = ((*LEDGER, *BY_COUNT, *COMMON), (*LEDGER, *BY_VALUE, *COMMON))
DECIDED = frozenset(
    {
        "limits",
        "admit",
        "charge",
        "budget_entries",
        "threshold",
        "noise",
        "releases",
        "send",
    }
)


def charge_without_delta(at: AtService, spent: Spent, _: Report) -> Spent | None:
    """Forget δ."""
    epsilon = spent.epsilon + at.query.epsilon
    return None if epsilon > at.limits.epsilon else replace(spent, epsilon=epsilon)


BROKEN = {
    "charge forgets delta": (
        "the_ledger_never_passes_the_caps",
        replace(PAPER, charge=charge_without_delta),
    ),
    "admit compares before adding": (
        "contributions_stay_within_budget",
        replace(PAPER, admit=compare_before_adding),
    ),
    "only real reports are charged": (
        "abort_does_not_depend_on_attribution",
        replace(PAPER, charge=charge_real_reports_only),
    ),
    "threshold without its first contribution budget": (
        "threshold_meets_the_tail_lemma",
        replace(PAPER, threshold=without_first_budget),
    ),
}

CHAIN = Chain(
    claim="attribution_summaries_are_private",
    ways=WAYS,
    decided=DECIDED,
    free=frozenset({"matches", "attempt_order", "contributions"}),
    argument="chain of lemmas from M_SR's individual privacy to privacy",
    assumes="no memory in rules; no side channels; what the lemmas assume",
    controls=BROKEN,
)

CHECK = CHAIN.check()
