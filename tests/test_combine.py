"""How evidence is put together: every rule of the combination, and that nothing hides an alarm."""

from __future__ import annotations

from itertools import permutations

import pytest

from proofs import refuted_lemmas
from sandproof.weigh import OWN_ALARMS, weigh
from spec import replace
from spec.claims import CLAIMS
from spec.verdicts import ALARMS, Evidence, Finding, Reason, Shape, Verdict

ATTRIBUTION = "attribution_summaries_are_private"
EVENT_LEVEL = "event_level_reports_are_private"
COMPOSED = "summary_and_event_reports_compose"
LEDGER = "the_ledger_never_passes_the_caps"
CLAIM = replace(CLAIMS[ATTRIBUTION], shapes=(Shape.SMALL_UNIVERSE,))

NOTHING = Finding(claim=CLAIM.id, check="nothing", reason=Reason.NO_CONCLUSION)
PROOF = Finding(claim=CLAIM.id, check="proof", evidence=Evidence.PROOF)
OPEN = Finding(claim=CLAIM.id, check="proof", reason=Reason.LEMMA_OPEN)
GAME = Finding(
    claim=CLAIM.id,
    check="game",
    evidence=Evidence.EXACT_IN_UNIVERSE,
    shape=Shape.SMALL_UNIVERSE,
)
PART = replace(GAME, check="part", shape=Shape.FURTHER_UNIVERSE)
ENDED = replace(GAME, evidence=Evidence.NONE, reason=Reason.OUT_OF_STEPS)
VACUOUS = replace(GAME, evidence=Evidence.NONE, reason=Reason.VACUOUS)
DIFFER = replace(NOTHING, reason=Reason.WORLDS_DIFFER, shape=Shape.REAL_SIZES)
ATTACK = Finding(claim=CLAIM.id, check="attack", evidence=Evidence.ATTACK)
RAISED = Finding(claim=CLAIM.id, check="raised", evidence=Evidence.ALARM, reason=Reason.RAISED)
LOUD_ATTACK = replace(ATTACK, reason=Reason.SOLVERS_DISAGREE)

TABLE = {
    "nothing was run": ((), Verdict.UNKNOWN),
    "nothing was found": ((NOTHING,), Verdict.UNKNOWN),
    "a proof": ((PROOF,), Verdict.PROVED),
    "a proof beside a game that ended early": ((PROOF, ENDED), Verdict.PROVED),
    "a proof beside a vacuous game": ((PROOF, VACUOUS), Verdict.PROVED),
    "a game": ((GAME, OPEN), Verdict.SEARCHED),
    "a game beside worlds that differ": ((GAME, DIFFER), Verdict.UNKNOWN),
    "a proof beside worlds that differ": ((PROOF, DIFFER), Verdict.PROVED),
    "a part only": ((PART, OPEN), Verdict.UNKNOWN),
    "a game that ended early": ((ENDED, PART), Verdict.UNKNOWN),
    "a vacuous game": ((VACUOUS, OPEN), Verdict.UNKNOWN),
    "an attack": ((ATTACK,), Verdict.REFUTED),
    "an attack beside a game": ((ATTACK, GAME), Verdict.REFUTED),
    "an attack beside a proof": ((ATTACK, PROOF), Verdict.REFUTED),
    "an attack beside an alarm": ((ATTACK, RAISED), Verdict.REFUTED),
    "an alarm": ((RAISED,), Verdict.UNKNOWN),
    "an alarm beside a proof": ((RAISED, PROOF), Verdict.UNKNOWN),
    "an alarm beside a game": ((RAISED, GAME), Verdict.UNKNOWN),
    "an alarm beside a proof and a game": ((RAISED, PROOF, GAME), Verdict.UNKNOWN),
}


@pytest.mark.parametrize("case", TABLE)
def test_findings_are_put_together_in_whatever_order(case: str) -> None:
    findings, verdict = TABLE[case]
    for order in permutations(findings):
        assert weigh(CLAIM, order).verdict is verdict


@pytest.mark.parametrize("reason", sorted(ALARMS))
def test_every_alarm_beats_a_proof_and_is_kept(reason: Reason) -> None:
    alarm = replace(RAISED, reason=reason)
    weighed = weigh(CLAIM, (PROOF, GAME, alarm))
    assert (weighed.verdict, weighed.alarms) == (Verdict.UNKNOWN, (alarm,))


def test_an_alarm_beside_an_attack_is_kept() -> None:
    for findings in ((ATTACK, RAISED), (LOUD_ATTACK,)):
        weighed = weigh(CLAIM, findings)
        assert weighed.verdict is Verdict.REFUTED
        assert weighed.alarms == (findings[-1],)


def test_proved_and_refuted_at_once_is_an_alarm() -> None:
    weighed = weigh(CLAIM, (PROOF, ATTACK))
    assert weighed.verdict is Verdict.REFUTED
    (alarm,) = weighed.alarms
    assert alarm.reason is Reason.PROVED_AND_REFUTED
    assert alarm.is_alarm


@pytest.mark.parametrize("reason", sorted(OWN_ALARMS))
def test_a_search_that_means_nothing_is_an_alarm_for_the_papers_own_rules(reason: Reason) -> None:
    empty = replace(VACUOUS, reason=reason)
    assert weigh(CLAIM, (PROOF, empty)).verdict is Verdict.PROVED
    own = weigh(CLAIM, (PROOF, empty), own=True)
    assert (own.verdict, own.alarms) == (Verdict.UNKNOWN, (empty,))


def test_what_is_missing_is_named() -> None:
    assert weigh(CLAIM, (ENDED,)).missing == (
        f"small universe not searched whole: {Reason.OUT_OF_STEPS.value}",
    )
    assert weigh(CLAIM, (GAME,), unreached="line 3").missing == ("line 3",)
    refuted = weigh(CLAIM, (GAME,), refuted_lemmas=(LEDGER,))
    assert refuted.verdict is Verdict.UNKNOWN
    assert refuted.missing == (f"{LEDGER}, on which it rests, is refuted",)
    assert weigh(CLAIM, (GAME, PROOF), refuted_lemmas=(LEDGER,)).verdict is Verdict.PROVED


def test_a_blocked_claim_is_refuted_or_unknown() -> None:
    assert weigh(CLAIM, (PROOF, GAME), blocked="a rule hangs").missing == ("a rule hangs",)
    assert weigh(CLAIM, (PROOF, GAME), blocked="a rule hangs").verdict is Verdict.UNKNOWN
    assert weigh(CLAIM, (ATTACK,), blocked="a rule hangs").verdict is Verdict.REFUTED


def test_a_claim_that_lists_no_shape_is_never_searched() -> None:
    assert weigh(replace(CLAIM, shapes=()), (GAME,)).verdict is Verdict.UNKNOWN


def test_every_shape_that_is_listed_is_needed() -> None:
    both = replace(CLAIM, shapes=(Shape.SMALL_UNIVERSE, Shape.FURTHER_UNIVERSE))
    assert weigh(both, (GAME,)).verdict is Verdict.UNKNOWN
    assert weigh(both, (GAME, PART)).verdict is Verdict.SEARCHED


SECOND = replace(GAME, check="game: a second universe")


@pytest.mark.parametrize("reason", [Reason.OUT_OF_STEPS, Reason.CANNOT_FOLLOW, Reason.NOISE_OPEN])
def test_every_default_universe_of_a_shape_is_searched_whole(reason: Reason) -> None:
    unfinished = replace(SECOND, evidence=Evidence.NONE, reason=reason, detail="half of it")
    assert weigh(CLAIM, (GAME, SECOND)).verdict is Verdict.SEARCHED
    weighed = weigh(CLAIM, (GAME, unfinished))
    assert weighed.verdict is Verdict.UNKNOWN
    assert weighed.missing == ("small universe not searched whole: half of it",)
    assert weigh(CLAIM, (GAME, replace(unfinished, named=True))).verdict is Verdict.SEARCHED
    assert weigh(CLAIM, (replace(unfinished, named=True),)).verdict is Verdict.UNKNOWN
    assert weigh(CLAIM, (GAME, unfinished), covered=CLAIM.shapes).verdict is Verdict.SEARCHED


def test_a_vacuous_universe_is_no_evidence_and_nothing_left_to_search() -> None:
    assert weigh(CLAIM, (VACUOUS,)).verdict is Verdict.UNKNOWN
    assert weigh(CLAIM, (VACUOUS, SECOND)).verdict is Verdict.SEARCHED


def test_a_refuted_lemma_counts_if_no_way_of_the_proof_does_without_it() -> None:
    assert refuted_lemmas(ATTRIBUTION, {LEDGER}) == (LEDGER,)
    assert refuted_lemmas(ATTRIBUTION, {"joint_convexity"}) == ()
    assert refuted_lemmas(ATTRIBUTION, {"threshold_meets_the_tail_lemma"}) == ()
    assert refuted_lemmas(COMPOSED, {EVENT_LEVEL}) == (EVENT_LEVEL,)
    assert LEDGER in refuted_lemmas(COMPOSED, {LEDGER})
