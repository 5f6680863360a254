"""A chain is proved if every link is, on rules that the chain is about; it never refutes."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import pytest
from immutables import Map

import proofs
from proofs import _chain
from proofs._chain import Chain, Link, recalled, remembered
from proofs.attribution_summaries_are_private import CHAIN, CHECK
from spec import PAPER, Rules, replace
from spec.aggregation_service import Spent
from spec.attribution_client import AttributionClient, Source
from spec.claims import CLAIMS
from spec.contributions import Budget, Credit, Unit, send
from spec.noise import smallest_sound_truncation
from spec.noise import threshold as paper_threshold
from spec.reports import Contribution, Report, Sent
from spec.rules import AtContribution, AtService, AtTrigger
from spec.verdicts import Check, Control, Evidence, Finding, Reason, Verdict
from tests.small import EVIDENCE


def link(name: str, verdict: Verdict, calls: list[str] | None = None) -> Link:
    def run(_: Rules) -> Finding:
        if calls is not None:
            calls.append(name)
        return Finding(
            claim=name,
            check="proof",
            evidence=EVIDENCE[verdict],
            method="told",
            seconds="0.250",
        )

    return name, Check(claim=name, name="proof", run=run, controls=())


def chain(*ways: tuple[Link, ...]) -> Chain:
    return Chain(
        claim="the_ledger_never_passes_the_caps",
        ways=ways,
        decided=frozenset({"limits", "charge"}),
        free=frozenset({"serve"}),
        argument="argument",
        assumes="nothing",
        controls={},
    )


YES, NO = link("yes", Verdict.PROVED), link("no", Verdict.REFUTED)
BOUNDED = link("bounded", Verdict.SEARCHED)


def test_every_link_of_one_way_must_be_proved() -> None:
    found = chain((YES, YES)).run(PAPER)
    assert (found.verdict, found.seconds) == (Verdict.PROVED, "0.500")
    assert [step.name for step in found.steps] == ["yes", "yes"]
    assert chain((YES, NO), (YES,)).run(PAPER).verdict is Verdict.PROVED


@pytest.mark.parametrize("broken", [NO, BOUNDED])
def test_a_link_that_is_not_proved_leaves_the_guarantee_unknown(broken: Link) -> None:
    found = chain((YES, broken), (broken,)).run(PAPER)
    assert found.verdict is Verdict.UNKNOWN
    assert found.detail.startswith("the paper's proof no longer applies: ")
    assert str(broken[0]) in found.detail
    assert found.counterexample is None


def test_nothing_is_run_after_a_link_that_fails() -> None:
    calls: list[str] = []
    chain((NO, link("later", Verdict.PROVED, calls))).run(PAPER)
    assert not calls


def test_a_rule_that_no_lemma_decides_must_be_the_papers() -> None:
    made = chain((YES,))
    assert made.run(replace(PAPER, charge=lambda *_: None)).verdict is Verdict.PROVED
    assert made.run(replace(PAPER, serve=lambda *_: (_[1], None))).verdict is Verdict.PROVED
    found = made.run(replace(PAPER, settle=lambda *_: (_[1], None)))
    assert found.verdict is Verdict.UNKNOWN
    assert found.detail.startswith("the paper's proof no longer applies: settle changed (any")


def test_a_lemma_is_run_once_for_the_same_rules() -> None:
    calls: list[str] = []
    once = link("once", Verdict.PROVED, calls)
    chain((once,)).run(PAPER)
    chain((once,)).run(PAPER)
    assert len(calls) == 1
    shared = remembered(once[1]) if isinstance(once, tuple) else None
    assert shared is not None
    shared.run(PAPER)
    assert len(calls) == 1
    for _ in range(5):
        shared.run(replace(PAPER))
    assert len(calls) == 6
    recalled("once", once[1], PAPER) if isinstance(once, tuple) else None
    assert len(calls) == 7


def test_what_another_process_found_is_not_run_again() -> None:
    calls: list[str] = []
    rules = replace(PAPER, limits=replace(PAPER.limits, delta=Fraction(1, 10**9)))
    proofs.findings_on(rules)["far"] = Finding(claim="far", check="proof", evidence=Evidence.ATTACK)
    assert chain((link("far", Verdict.PROVED, calls),)).run(rules).verdict is Verdict.UNKNOWN
    assert not calls
    assert "far" not in proofs.findings_on(replace(PAPER))


def test_every_rule_of_the_claim_is_decided_free_or_the_papers() -> None:
    names = set(CLAIMS[CHAIN.claim].rules)
    assert names >= CHAIN.decided | CHAIN.free
    assert not CHAIN.decided & CHAIN.free


def newest_only(at: AtTrigger, matching: tuple[Source, ...]) -> Sequence[Source]:
    return matching[:1]


def admit_by_value(
    at: AtContribution, unit: Unit, spent: Budget, contribution: Contribution
) -> tuple[Budget, bool]:
    after = spent.value + contribution.value
    if after > at.limits.contribution_budget:
        return spent, False
    return replace(spent, value=after, count=spent.count + 1), True


def smallest_threshold(at: AtService, batch: tuple[Report, ...]) -> int | None:
    if not at.query.discovers_keys:
        return None
    return smallest_sound_truncation(
        at.limits.contribution_budget, at.query.epsilon, at.query.delta, at.limits.base
    )


def threshold_without_keys(at: AtService, batch: tuple[Report, ...]) -> int | None:
    if not at.query.discovers_keys:
        return None
    return paper_threshold(
        at.limits.contribution_budget, 1, at.query.epsilon, at.query.delta, at.limits.base
    )


def a_day_later(at: AtContribution, granted: tuple[Credit, ...]) -> tuple[Sent, ...]:
    return tuple(replace(each, arrival=at.now + 86_400) for each in send(at, granted))


STILL_PRIVATE = {
    "other limits": replace(PAPER, limits=replace(PAPER.limits, contribution_budget=7)),
    "one query per report": replace(PAPER, limits=replace(PAPER.limits, maximum_queries=1)),
    "reports arrive a day later": replace(PAPER, send=a_day_later),
    "the newest source or none": replace(PAPER, attempt_order=newest_only),
    "no bound on the number of contributions": replace(PAPER, admit=admit_by_value),
    "the smallest sound threshold": replace(PAPER, threshold=smallest_threshold),
    "a threshold without the sparsity budget": replace(PAPER, threshold=threshold_without_keys),
}


OTHER_START = replace(PAPER.initial, attribution=AttributionClient(budgets=Map({"x": Budget()})))


def test_clients_that_begin_otherwise_are_not_proved() -> None:
    found = CHECK.run(replace(PAPER, initial=OTHER_START))
    assert found.reason is Reason.RULES_CHANGED


@pytest.mark.parametrize("change", STILL_PRIVATE)
def test_a_change_that_keeps_the_proof_is_proved(change: str) -> None:
    found = CHECK.run(STILL_PRIVATE[change])
    assert found.verdict is Verdict.PROVED, found.detail


@pytest.mark.parametrize("control", CHECK.controls, ids=lambda control: control.name)
def test_a_broken_rule_is_never_proved(control: Control) -> None:
    assert control.rules is not None
    assert CHECK.run(control.rules).verdict is Verdict.UNKNOWN
    assert control.run().verdict is Verdict.REFUTED


def charge_others(at: AtService, spent: Spent, report: Report) -> Spent | None:
    """Let reports with a certain identifier go free."""
    return spent if report.report_id % 1000 == 7 else PAPER.charge(at, spent, report)


def test_a_rule_that_looks_at_identifiers_is_not_proved() -> None:
    found = CHECK.run(replace(PAPER, charge=charge_others))
    assert found.verdict is Verdict.UNKNOWN


def test_a_chain_names_the_lemmas_of_the_first_way_that_is_open() -> None:
    budgets, tail = "contributions_stay_within_budget", "truncated_noise_needs_no_sparsity_bound"
    name = CHAIN.claim
    assert budgets in proofs.lemmas_of(name)
    assert tail not in proofs.lemmas_of(name)
    assert tail in proofs.lemmas_of(name, failed={budgets})
    assert proofs.lemmas_of(name, failed={budgets, tail}) == ()
    assert proofs.lemmas_of(name, changed={"settle"}) == ()
    assert proofs.lemmas_of(budgets) == ()
    assert set(proofs.lemmas_of(name)) < set(proofs.lemmas_of("summary_and_event_reports_compose"))


def test_a_lemma_about_the_papers_rules_is_asked_of_the_paper(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A lemma is asked of changed rules only where it is about one of them."""
    asked: list[Rules] = []
    name = "the_ledger_never_passes_the_caps"
    assert "charge" in CLAIMS[name].rules
    assert "attempt_order" not in CLAIMS[name].rules

    def run(rules: Rules) -> Finding:
        asked.append(rules)
        return Finding(claim=name, check="proof", evidence=Evidence.PROOF)

    told = Check(claim=name, name="proof", run=run, controls=())
    monkeypatch.setattr(_chain, "lemma", lambda _: told)
    monkeypatch.setattr(_chain, "_found", [])
    elsewhere = replace(PAPER, attempt_order=newest_only)
    cheaper = replace(PAPER, charge=lambda _, spent, __: spent)
    for rules in (elsewhere, replace(elsewhere), cheaper):
        assert _chain.run_link(name, rules).evidence is Evidence.PROOF
    assert asked == [PAPER, cheaper]
    assert asked[0] is PAPER


def only_credited_once(
    at: AtContribution, unit: Unit, spent: Budget, contribution: Contribution
) -> tuple[Budget, bool]:
    return PAPER.admit(at, unit, spent, contribution)


def test_what_was_found_on_a_core_is_handed_over_with_its_rules(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_chain, "_found", [])
    rules = replace(PAPER, charge=lambda _, spent, __: spent, admit=only_credited_once)
    known = proofs.findings_on(rules)
    core = _chain.remembered_on(rules).core.rules
    assert core.admit is PAPER.admit
    assert core.charge is not PAPER.charge
    told = Finding(claim="told", check="proof", evidence=Evidence.PROOF)
    once = Check(claim="told", name="proof", run=lambda _: told, controls=())
    assert recalled("told", once, core) is told
    assert known == {"core: told": told}
    never = replace(once, run=lambda _: pytest.fail("it is known"))
    assert recalled("told", never, core) is told
    with pytest.raises(pytest.fail.Exception):
        recalled("told", never, rules)
