"""What the searches say of the corpus: unsound changes of summary reports are attacked.

Only the searches run here, in one process: `tests/corpus_verdicts.py` asks the command itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from properties.device_scripts import aggregation_scripts
from properties.scripts import MOST_BETWEEN, attribution_scripts
from properties.searches.directed_worlds import directed_finding
from properties.searches.event_runs import RUNS, event_runs_finding
from properties.searches.on_numbers import SIZES, numbers_finding
from sandproof.about import Request
from sandproof.proposal import Proposal, load
from spec.claims import CLAIMS
from spec.neighbours import ATTRIBUTION_FIXED, NULL_STORE
from spec.verdicts import Evidence, Finding
from tests.corpus import Entry, entries

RELATIONS = {
    "attribution_summaries_are_private": ATTRIBUTION_FIXED,
    "aggregation_summaries_are_private": NULL_STORE,
}

EVENTS = "event_level_reports_are_private"

NOT_ATTACKED = {
    "unsound/a_charge_asks_for_an_answer",
    "unsound/a_refund_with_every_query",
    "unsound/output_sets_count_to_a_hundred",
    "unsound/sources_wait_for_triggers",
    "unsound/totals_modulo_two_to_the_32",
    "unsound/two_credits_are_none",
}
"""What these searches do not find in a time that fits here.

The ledger's proof refutes the refund and the charge that asks, closed forms the large output sets,
a game the two credits, and the sources that wait. The sum takes 65,536 reports, minutes of moves.
"""

AT_SIZE = ("only_the_first_reports_are_charged",)
"""What is attacked by batches of ten thousand reports only, which quick checks do not make."""

IN_STORES = (
    "a_day_cap_on_top",
    "a_hundred_and_forty_four_windows",
    "ad_techs_share_a_budget",
    "exact_type_of_the_cause",
    "prime_time_has_more_windows",
    "worklets_merge_in_the_report",
    "worklets_merge_with_a_universe",
)
"""What shows in the storages of devices; there it is looked for first."""

OF_SUMMARIES = (
    "asked_again_for_nothing",
    "low_answers_are_kept",
    "noise_by_how_the_service_begins",
    "the_first_query_of_a_day_is_free",
)
"""What changes how clients begin, and shows in summary reports only."""

ON_NUMBERS = (
    "a_batch_of_a_hundred",
    "a_long_list_is_taken_as_it_is",
    "at_most_a_hundred_keys",
    "a_day_cap_on_top",
    "a_hundred_and_forty_four_windows",
    "a_ledger_entry_for_every_key",
    "a_negative_threshold_narrows_the_noise",
    "answers_in_the_order_of_the_reports",
    "colliding_keys_keep_their_order",
    "crowded_keys_are_listed_twice",
    "discovered_keys_as_they_come",
    "exact_type_of_the_cause",
    "exactly_seven_hundred_reports",
    "five_destinations_are_too_many",
    "forty_sources_are_kept",
    "full_reports_are_delayed_more_often",
    "keys_named_last_come_first",
    "keys_of_most_reports_come_first",
    "keys_of_urgent_triggers_come_first",
    "large_batches_get_less_noise",
    "null_reports_share_an_entry",
    "one_shard_is_spared",
    "only_the_first_reports_are_charged",
    "only_the_last_charge_is_stored",
    "outliers_by_the_mean_are_left_out",
    "previews_are_free",
    "sums_in_steps_before_the_noise",
    "sums_in_the_order_of_their_table",
    "the_largest_true_sums_come_first",
    "the_ten_largest_discovered_keys",
    "the_thousand_and_first_charge",
    "thousands_of_real_reports_are_shown",
    "threshold_for_the_delta_of_the_cap",
    "trim_one_percent",
    "values_are_weighted_by_their_factor",
    "worklets_merge_in_the_report",
    "worklets_merge_with_a_universe",
)
"""What runs on numbers attack and directed worlds do not; the former are made first."""

UNSOUND = [each for each in entries() if each.status == "refuted" and each.name not in NOT_ATTACKED]


def findings(proposal: Proposal) -> Iterator[Finding]:
    """Run the searches on the claims that a proposal concerns, claim by claim."""
    rules, words, name = proposal.rules, proposal.words, Path(proposal.about.name).stem
    concerned = [
        claim
        for claim in (*RELATIONS, EVENTS)
        if not proposal.about.changed.isdisjoint(CLAIMS[claim].rules)
    ]
    if EVENTS in concerned and name not in OF_SUMMARIES:
        yield event_runs_finding(EVENTS, rules, ATTRIBUTION_FIXED, words, RUNS["quick"])
    ladder = tuple(each for each in words.around if 0 < each <= MOST_BETWEEN)
    size = SIZES["standard" if name in AT_SIZE else "quick"]
    for claim in sorted(RELATIONS, reverse=name not in IN_STORES):
        if claim in concerned:
            relation = RELATIONS[claim]
            sources = relation is ATTRIBUTION_FIXED
            scripts = attribution_scripts(ladder) if sources else aggregation_scripts(())
            searches = (
                partial(directed_finding, claim, rules, relation, scripts, words.around),
                partial(numbers_finding, claim, rules, relation, words, size),
            )
            for search in reversed(searches) if name in ON_NUMBERS else searches:
                yield search()


@pytest.mark.parametrize("entry", UNSOUND, ids=lambda entry: entry.name)
def test_an_unsound_change_is_attacked(entry: Entry) -> None:
    missed: list[str] = []
    for found in findings(load(Request(path=entry.path))):
        if found.evidence is Evidence.ATTACK:
            return
        missed.append(found.detail)
    pytest.fail(f"no search attacks this: {missed}")


def test_what_is_left_out_is_in_the_corpus() -> None:
    names = {each.name for each in entries()}
    listed = (*AT_SIZE, *IN_STORES, *OF_SUMMARIES, *ON_NUMBERS)
    assert names >= {*NOT_ATTACKED, *(f"unsound/{name}" for name in listed)}
