"""Proofs about Attribution Level 1: every lemma, every guarantee, and what they refuse to say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from proofs._check import header_of
from proofs._symbolic import NotSymbolic, explore
from proofs.level1._guarantees import CHAINS, level1_proofs, prove
from proofs.level1._subjects import (
    AGENCY,
    ASKED,
    BLOG,
    FIXED,
    FROM_ANYWHERE,
    FROM_ONE,
    NETWORK,
    NEWS,
    SHOP,
    TOYS,
    limits_of,
    state_of,
)
from sandproof.about import Request
from sandproof.proposal import load
from spec.level1 import (
    LEVEL_1_2026_05,
    LEVEL_1_ONE_DRAW,
    AtAggregator,
    AtConversion,
    Budgets,
    Charge,
    Device,
    Impression,
    Level1Limits,
    Level1Rules,
    OnBrowser,
    Report,
)
from spec.level1.aggregation import Aggregator, accept
from spec.level1.budgets import charge, deduct, noise_scale, sites_of
from spec.level1.claims import (
    ALL_RULES,
    GLOBAL,
    GUARANTEES,
    LEVEL1_CLAIMS,
    ONE_IMPRESSION,
    ONE_SITE,
    ONE_VIEW,
    SEVERAL_EPOCHS,
)
from spec.level1.device import clear_history
from spec.level1.impressions import matches
from spec.level1.measurement import stated_budget
from spec.noise import DiscreteLaplace, Noise
from spec.numbers import Power
from spec.verdicts import Evidence, Kind, Reason

LEMMAS = [claim.id for claim in LEVEL1_CLAIMS.values() if claim.kind is Kind.LEMMA]


@pytest.mark.parametrize("lemma", LEMMAS)
def test_every_lemma_is_proved(lemma: str) -> None:
    proof = import_module(f"proofs.level1.{lemma}").PROOF
    found = proof.run()
    assert found.claim == lemma
    assert found.verdict == "PROVED", found.text
    assert not found.alarm


@pytest.mark.parametrize("lemma", LEMMAS)
def test_every_file_says_what_it_claims_how_and_under_what(lemma: str) -> None:
    labels = header_of(import_module(f"proofs.level1.{lemma}").__doc__ or "")
    assert list(labels) == ["Claim", "Paper", "Method", "Assumes"]
    assert all(labels.values())


def test_claims_name_rules_that_exist() -> None:
    fields = set(Level1Rules.__dataclass_fields__)
    assert set(ALL_RULES) == fields
    for claim in LEVEL1_CLAIMS.values():
        assert set(claim.rules) <= fields
        for subject in claim.subjects:
            module, _, name = subject.rpartition(".")
            assert hasattr(import_module(module), name)
    assert {claim.id for claim in GUARANTEES} == set(CHAINS)


@pytest.mark.parametrize("claim", CHAINS)
def test_one_draw_proves_every_guarantee(claim: str) -> None:
    found = prove(LEVEL_1_ONE_DRAW, claim)
    assert found.evidence is Evidence.PROOF, found.detail
    assert set(found.rests_on) <= set(LEMMAS)


def test_every_claim_has_a_proof_and_every_lemma_is_rested_on() -> None:
    assert [check.claim for check in level1_proofs()] == list(LEVEL1_CLAIMS)
    assert {lemma for chain in CHAINS.values() for lemma in chain} == set(LEMMAS)


@pytest.mark.parametrize("claim", CHAINS)
def test_a_guarantee_says_all_that_it_assumes_and_its_bound(claim: str) -> None:
    found = prove(LEVEL_1_ONE_DRAW, claim)
    for lemma in CHAINS[claim]:
        module = import_module(f"proofs.level1.{lemma}")
        assert header_of(module.__doc__ or "")["Assumes"] in found.assumes
        assert module.PROOF.bound in found.bound
    assert "whole number of grains" in found.assumes
    assert ("Shared limits never run short" in found.assumes) == (claim == ONE_SITE)
    alone = "No other site acts on answers of its own" in found.assumes
    assert alone == (claim in (ONE_VIEW, ONE_IMPRESSION))


def test_two_draws_prove_the_global_guarantees_only() -> None:
    assert prove(LEVEL_1_2026_05, GLOBAL).evidence is Evidence.PROOF
    assert prove(LEVEL_1_2026_05, SEVERAL_EPOCHS).evidence is Evidence.PROOF
    found = prove(LEVEL_1_2026_05, ONE_VIEW)
    assert (found.evidence, found.reason) == (Evidence.NONE, Reason.LEMMA_OPEN)
    assert "a single epoch that pays" in found.detail


@pytest.mark.parametrize(
    "rule", ["first_epoch", "single_epoch", "save", "allocate", "fill", "attribute"]
)
def test_of_some_rules_only_the_drafts_own_are_proved(rule: str) -> None:
    own = getattr(LEVEL_1_ONE_DRAW, rule)
    changed: dict[str, Any] = {rule: lambda *given: own(*given)}
    found = prove(replace(LEVEL_1_ONE_DRAW, **changed), GLOBAL)
    assert (found.evidence, found.reason) == (Evidence.NONE, Reason.RULES_CHANGED)
    assert rule in found.detail


@pytest.mark.parametrize(
    "other",
    [
        {"grains": 1},
        {"hour": Fraction(7201, 2)},
        {"maximum_credit": None},
        {"maximum_epsilon": 4294},
        {"services": ("service",)},
    ],
    ids=str,
)
def test_limits_that_no_stand_in_stands_for_are_not_proved(other: dict[str, Any]) -> None:
    rules = replace(LEVEL_1_ONE_DRAW, limits=replace(LEVEL_1_ONE_DRAW.limits, **other))
    assert prove(rules, GLOBAL).evidence is Evidence.NONE
    for check in level1_proofs():
        assert check.run(rules).evidence is Evidence.NONE


def test_every_limit_is_any_number_or_the_drafts_or_may_not_be_read() -> None:
    unread = {"services", "public_suffixes", "activation_duration", "base"}
    assert {*ASKED, *FIXED, *unread} == {each.name for each in fields(Level1Limits)}
    for name in ASKED:
        below = [answers(partial(is_below, name, bound)) for bound in (0, 1)]
        assert below[0] == ({True, False} if name in FROM_ANYWHERE else {False})
        assert below[1] == ({False} if name in FROM_ONE else {True, False})


def is_below(name: str, bound: int) -> bool:
    return bool(getattr(limits_of(), name) < bound)


def answers(question: Callable[[], object]) -> set[object]:
    return {path.returned for path in explore(question).paths}


def test_parties_of_two_kinds_may_be_one() -> None:
    def same(one: object, other: object) -> bool:
        return answers(lambda: one == other) == {True, False}

    assert all((same(NEWS, SHOP), same(SHOP, AGENCY), same(NETWORK, NEWS)))
    assert not any((same(NEWS, BLOG), same(SHOP, TOYS), same(SHOP, SHOP)))
    assert answers(lambda: (NEWS == SHOP, NEWS == TOYS)) == {(1, 0), (0, 1), (0, 0)}


def handed_on(
    at: AtConversion, kept: Budgets, epoch: int, shown: tuple[Impression, ...], cost: Charge
) -> tuple[Budgets, tuple[Impression, ...]]:
    return deduct(at, kept, epoch, shown, cost)


def counted(
    at: AtConversion, kept: Budgets, epoch: int, shown: tuple[Impression, ...], cost: Charge
) -> tuple[Budgets, tuple[Impression, ...]]:
    return (kept, ()) if len(shown) > 100 else deduct(at, kept, epoch, shown, cost)


def third_one(
    at: AtConversion, kept: Budgets, epoch: int, shown: tuple[Impression, ...], cost: Charge
) -> tuple[Budgets, tuple[Impression, ...]]:
    return deduct(at, kept, epoch, shown[:3], cost)


def unpacked(
    at: AtConversion, kept: Budgets, epoch: int, shown: tuple[Impression, ...], cost: Charge
) -> tuple[Budgets, tuple[Impression, ...]]:
    _, *more = shown
    return (kept, shown) if more else deduct(at, kept, epoch, shown, cost)


def many_sites(
    at: AtConversion, kept: Budgets, epoch: int, shown: tuple[Impression, ...], cost: Charge
) -> tuple[Budgets, tuple[Impression, ...]]:
    return (kept, shown) if len(sites_of(shown)) > 5 else deduct(at, kept, epoch, shown, cost)


def first_time(
    at: AtConversion, kept: Budgets, epoch: int, shown: tuple[Impression, ...], cost: Charge
) -> tuple[Budgets, tuple[Impression, ...]]:
    if epoch not in kept.shared:
        return kept, shown
    return deduct(at, kept, epoch, shown, cost)


def by_way_of_another(
    at: AtConversion, kept: Budgets, epoch: int, shown: tuple[Impression, ...], cost: Charge
) -> tuple[Budgets, tuple[Impression, ...]]:
    return counted(at, kept, epoch, shown, cost)


def test_a_rule_that_hands_impressions_on_is_proved() -> None:
    assert prove(replace(LEVEL_1_ONE_DRAW, deduct=handed_on), GLOBAL).evidence is Evidence.PROOF


@pytest.mark.parametrize(
    "rule", [counted, third_one, unpacked, many_sites, first_time, by_way_of_another]
)
def test_a_rule_that_counts_or_looks_at_what_is_kept_is_not_proved(rule: Any) -> None:
    found = prove(replace(LEVEL_1_ONE_DRAW, deduct=rule), GLOBAL)
    assert (found.evidence, found.reason) == (Evidence.NONE, Reason.LEMMA_OPEN)


def renew_others(at: OnBrowser, sites: frozenset[str], forget_visits: bool) -> Device:
    if not forget_visits or not sites:
        return clear_history(at, sites, forget_visits)
    kept = at.device.budgets.sites
    for key in at.device.budgets.sites:
        kept = kept if key[1] in sites else kept.delete(key)
    return replace(at.device, budgets=replace(at.device.budgets, sites=kept))


def close_nothing_the_first_time(
    at: OnBrowser, sites: frozenset[str], forget_visits: bool
) -> Device:
    after = clear_history(at, sites, forget_visits)
    return after if at.device.last_clearing is not None else replace(after, last_clearing=None)


REMEMBERED: list[int] = []


def every_third_is_free(
    at: AtConversion, kept: Budgets, epoch: int, shown: tuple[Impression, ...], cost: Charge
) -> tuple[Budgets, tuple[Impression, ...]]:
    REMEMBERED.append(epoch)
    if len(REMEMBERED) % 3 == 0:
        return kept, shown
    return deduct(at, kept, epoch, shown, cost)


@pytest.mark.parametrize(
    "changed",
    [
        {"clear_history": renew_others},
        {"clear_history": close_nothing_the_first_time},
        {"deduct": every_third_is_free},
    ],
    ids=["others are renewed", "the first clearing closes nothing", "a rule remembers"],
)
def test_what_is_unsound_is_not_proved(changed: dict[str, Any]) -> None:
    found = prove(replace(LEVEL_1_ONE_DRAW, **changed), GLOBAL)
    assert found.evidence in (Evidence.NONE, Evidence.ALARM)


def later(at: OnBrowser, sites: frozenset[str], forget_visits: bool) -> Device:
    after = clear_history(at, sites, forget_visits)
    return replace(after, last_clearing=at.now + 1) if forget_visits else after


def less_than_nothing(at: AtConversion, single: bool, norm: int) -> Charge:
    return replace(charge(at, single, norm), shared=-1)


def pay_what_is_positive(
    at: AtConversion, kept: Budgets, epoch: int, shown: tuple[Impression, ...], cost: Charge
) -> tuple[Budgets, tuple[Impression, ...]]:
    return (kept, shown) if cost.shared < 0 else deduct(at, kept, epoch, shown, cost)


def half_less(at: AtConversion) -> Any:
    return stated_budget(at) - Fraction(1, 2)


def any_half(at: AtAggregator, report: Report) -> Aggregator | None:
    whole = 2 * report.stated_budget % 2 == 0
    return accept(at, report) if whole else at.aggregator


@pytest.mark.parametrize(
    "changed",
    [
        {"clear_history": later},
        {"charge": less_than_nothing, "deduct": pay_what_is_positive},
        {"stated_budget": half_less, "accept": any_half},
    ],
    ids=["a clearing yet to come", "negative charges are free", "half grains are accepted"],
)
def test_no_rule_is_asked_about_numbers_of_one_kind_only(changed: dict[str, Any]) -> None:
    found = prove(replace(LEVEL_1_ONE_DRAW, **changed), ONE_VIEW)
    assert (found.evidence, found.reason) == (Evidence.NONE, Reason.LEMMA_OPEN)


def surge(
    at: AtConversion, kept: Budgets, epoch: int, shown: tuple[Impression, ...], cost: Charge
) -> tuple[Budgets, tuple[Impression, ...]]:
    half_used = 2 * kept.globally(at.limits, epoch) < at.limits.global_budget
    return deduct(at, kept, epoch, shown, replace(cost, site=2 * cost.site) if half_used else cost)


def own_surge(
    at: AtConversion, kept: Budgets, epoch: int, shown: tuple[Impression, ...], cost: Charge
) -> tuple[Budgets, tuple[Impression, ...]]:
    half_used = 2 * kept.site(at.limits, epoch, at.caller.site) < at.limits.site_budget
    return deduct(at, kept, epoch, shown, replace(cost, site=2 * cost.site) if half_used else cost)


def close_and_turn_off(at: OnBrowser, sites: frozenset[str], forget_visits: bool) -> Device:
    after = clear_history(at, sites, forget_visits)
    return replace(after, enabled=not forget_visits, last_clearing=at.now)


def in_thousandths(at: AtConversion, single: bool, norm: int) -> Charge:
    step, cost = max(1, at.limits.grains // 1000), charge(at, single, norm)

    def billed(grains: int) -> int:
        return max(1, -(-grains // step)) * step

    return Charge(site=billed(cost.site), shared=billed(cost.shared))


def test_a_price_by_what_others_spent_is_private_but_for_one_sites_questions() -> None:
    rules = replace(LEVEL_1_ONE_DRAW, deduct=surge)
    assert prove(rules, ONE_VIEW).evidence is Evidence.PROOF
    found = prove(rules, ONE_SITE)
    assert (found.evidence, found.reason) == (Evidence.NONE, Reason.LEMMA_OPEN)
    assert "what another site asked" in found.detail


def in_hundredths(at: AtConversion, single: bool, norm: int) -> Charge:
    step, cost = max(1, at.limits.site_budget // 100), charge(at, single, norm)
    return Charge(site=-(-cost.site // step) * step, shared=-(-cost.shared // step) * step)


def for_the_proved_bound(at: AtAggregator, batch: tuple[Report, ...]) -> Noise:
    epsilon = Fraction(1) * at.job.minimal_budget / at.limits.grains
    scale = noise_scale(batch[0].task.proved_bound, epsilon)
    return DiscreteLaplace(Power(at.limits.base, -1 / scale))


def as_wide_as_a_batch(at: AtAggregator, batch: tuple[Report, ...]) -> Noise:
    epsilon = Fraction(1) * at.job.minimal_budget / at.limits.grains
    scale = noise_scale(batch[0].task.max_value, epsilon)
    wide = max(scale, Fraction(1) * at.limits.minimum_batch)
    return DiscreteLaplace(Power(at.limits.base, -1 / wide))


def at_least_a_thousandth(at: AtConversion, single: bool, norm: int) -> Charge:
    cost, least = charge(at, single, norm), at.limits.site_budget // 1000
    return replace(cost, site=max(cost.site, least), shared=max(cost.shared, least))


def half_at_most(
    at: AtConversion, kept: Budgets, epoch: int, shown: tuple[Impression, ...], cost: Charge
) -> tuple[Budgets, tuple[Impression, ...]]:
    if 2 * cost.site > at.limits.site_budget:
        return kept, ()
    return deduct(at, kept, epoch, shown, cost)


def not_own_and_not_at_once(at: AtConversion, shown: Impression) -> bool:
    if shown.site == at.caller.site or at.now < shown.timestamp + at.limits.hour:
        return False
    return matches(at, shown)


@pytest.mark.parametrize(
    "changed",
    [
        {"deduct": own_surge},
        {"clear_history": close_and_turn_off},
        {"charge": in_thousandths},
        {"charge": in_hundredths},
        {"matches": not_own_and_not_at_once},
        {"noise": for_the_proved_bound},
        {"noise": as_wide_as_a_batch},
        {"charge": at_least_a_thousandth},
        {"deduct": half_at_most},
    ],
)
def test_what_is_sound_beside_what_is_not_is_proved(changed: dict[str, Any]) -> None:
    rules = replace(LEVEL_1_ONE_DRAW, **changed)
    for claim in CHAINS:
        assert prove(rules, claim).evidence is Evidence.PROOF


ROOT = Path(__file__).resolve().parent


@pytest.mark.parametrize(
    "stem",
    [
        "a_copied_caller_is_free",
        "free_where_a_copied_limit_is_none",
        "never_cleared_looks_at_the_epoch_before",
        "own_ads_look_at_the_epoch_before",
        "own_intermediaries_look_at_the_epoch_before",
        "recent_ads_look_at_other_epochs",
        "charges_in_steps_of_nothing",
        "free_at_the_drafts_limits",
        "free_in_whole_hours",
        "noise_for_half_the_proved_bound",
        "noise_for_the_bit_length",
        "parts_of_a_grain_are_free",
        "parts_of_a_grain_are_rounded_off",
        "a_real_map_is_free",
        "a_record_that_reads_the_same_is_free",
        "a_record_that_stays_the_same_is_free",
        "clearing_forgets_pages_that_measured",
        "large_charges_are_prepaid",
        "marked_pages_look_at_impressions",
    ],
)
def test_no_guarantee_is_proved_where_a_stand_in_could_be_told(stem: str) -> None:
    """A value in a proof is None, equals another or exceeds it wherever the real one may."""
    rules = load(Request(path=ROOT / "unsound_w3c" / f"{stem}.py")).rules
    for claim in CHAINS:
        found = prove(rules, claim)
        assert (found.evidence, found.reason) == (Evidence.NONE, Reason.LEMMA_OPEN)


def test_a_state_with_a_field_of_which_nothing_is_said_is_refused() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Kept:
        used: int = 0
        more: int = 0

    with pytest.raises(NotSymbolic, match="more, of which the proof says nothing"):
        state_of(Kept(), Kept, ("used",))
    assert state_of(Kept(), Kept, ("used", "more")) == Kept()
