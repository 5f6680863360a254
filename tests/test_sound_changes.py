"""Sound changes that are proved stay proved, and their unsound twins are not.

Nine changes must be shown: what is done with noisy sums, what is decided in public, and who is
credited. The proofs of these run here, from the rules to the guarantee. Of every other file of the
corpus that is to be proved it is shown that nothing is left of what the chains take as the paper's.
"""

from __future__ import annotations

import pytest

from proofs import attribution_summaries_are_private as attribution
from proofs import event_level_reports_are_private as events
from proofs import summary_and_event_reports_compose as together
from proofs._chain import Chain, remembered_on
from spec import PAPER, Rules
from spec.claims import CLAIMS
from spec.verdicts import Verdict
from tests.corpus import HERE, Entry, entries
from tests.scripts import loaded

MUST_SHOW = {
    "rounding after the noise": "sums_in_steps_of_sixteen",
    "clamping at zero": "negative_sums_are_shown_as_zero",
    "the ten largest noisy sums": "the_ten_largest_noisy_sums",
    "the public ledger in the answer": "the_ledger_is_shown",
    "batches of at least ten": "at_least_ten_reports",
    "clamping a value to what is left": "clamped_to_what_is_left",
    "a lookback window": "lookback_window",
    "a random tie-break": "a_random_source_wins",
    "first touch": "the_oldest_source_wins",
}
TWINS = {
    "rounding before the noise": "sums_in_steps_before_the_noise",
    "zero where the true sum is": "true_zeros_are_shown_as_zero",
    "the ten largest true sums": "the_ten_largest_true_sums",
    "real reports in the answer": "real_reports_are_counted",
    "batches of at least ten real reports": "at_least_ten_real_reports",
    "clamping that charges nothing": "clamped_for_nothing",
}
CHAINS: tuple[Chain, ...] = (attribution.CHAIN, events.CHAIN, together.CHAIN)


def rules_of(folder: str, name: str) -> Rules:
    rules: Rules = loaded(HERE / folder / f"{name}.py").RULES
    return rules


@pytest.mark.parametrize("name", MUST_SHOW.values(), ids=MUST_SHOW)
def test_a_sound_change_is_proved(name: str) -> None:
    found = attribution.CHECK.run(rules_of("sound", name))
    assert found.verdict is Verdict.PROVED, found.detail


@pytest.mark.parametrize("name", TWINS.values(), ids=TWINS)
def test_its_unsound_twin_is_not(name: str) -> None:
    found = attribution.CHECK.run(rules_of("unsound", name))
    assert found.verdict is Verdict.UNKNOWN
    assert found.detail


PROVED = [entry for entry in entries() if entry.status == "proved"]


@pytest.mark.parametrize("entry", PROVED, ids=lambda entry: entry.name)
def test_nothing_is_left_that_a_proof_takes_as_the_papers(entry: Entry) -> None:
    rules: Rules = loaded(entry.path).RULES
    core = remembered_on(rules).core
    for chain in CHAINS:
        needed = set(CLAIMS[chain.claim].rules) - chain.decided - chain.free
        left = [each for each in needed if getattr(core.rules, each) is not getattr(PAPER, each)]
        assert left == [], core.kept
