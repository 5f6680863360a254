"""Proofs about Attribution Level 1: every lemma, every guarantee, and what they refuse to say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from types import FunctionType
from typing import Any

import pytest

from proofs._check import header_of
from proofs.level1._guarantees import GLOBAL, ONE_SITE, ONE_VIEW, as_a_whole, prove
from spec.level1 import (
    LEVEL_1_2026_05,
    LEVEL_1_ONE_DRAW,
    AtConversion,
    Budgets,
    Charge,
    Device,
    Impression,
    Level1Rules,
    OnBrowser,
)
from spec.level1.budgets import deduct
from spec.level1.claims import ALL_RULES, GUARANTEES, LEVEL1_CLAIMS
from spec.level1.device import clear_history
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
    assert {claim.id for claim in GUARANTEES} == {GLOBAL, ONE_VIEW, ONE_SITE}


@pytest.mark.parametrize("claim", [GLOBAL, ONE_VIEW, ONE_SITE])
def test_one_draw_proves_every_guarantee(claim: str) -> None:
    found = prove(LEVEL_1_ONE_DRAW, claim)
    assert found.evidence is Evidence.PROOF, found.detail
    assert set(found.rests_on) == set(LEMMAS)


def test_two_draws_prove_the_global_guarantee_only() -> None:
    assert prove(LEVEL_1_2026_05, GLOBAL).evidence is Evidence.PROOF
    found = prove(LEVEL_1_2026_05, ONE_VIEW)
    assert (found.evidence, found.reason) == (Evidence.NONE, Reason.LEMMA_OPEN)
    assert "a single epoch that pays" in found.detail


@pytest.mark.parametrize("rule", ["first_epoch", "single_epoch", "save", "allocate", "attribute"])
def test_of_some_rules_only_the_drafts_own_are_proved(rule: str) -> None:
    own = getattr(LEVEL_1_ONE_DRAW, rule)
    changed: dict[str, Any] = {rule: lambda *given: own(*given)}
    found = prove(replace(LEVEL_1_ONE_DRAW, **changed), GLOBAL)
    assert (found.evidence, found.reason) == (Evidence.NONE, Reason.RULES_CHANGED)
    assert rule in found.detail


def test_other_grains_are_not_proved() -> None:
    limits = replace(LEVEL_1_ONE_DRAW.limits, grains=1)
    assert prove(replace(LEVEL_1_ONE_DRAW, limits=limits), GLOBAL).evidence is Evidence.NONE


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


def by_way_of_another(
    at: AtConversion, kept: Budgets, epoch: int, shown: tuple[Impression, ...], cost: Charge
) -> tuple[Budgets, tuple[Impression, ...]]:
    return counted(at, kept, epoch, shown, cost)


@pytest.mark.parametrize(
    ("rule", "whole"),
    [
        (handed_on, True),
        (deduct, True),
        (counted, False),
        (third_one, False),
        (by_way_of_another, False),
    ],
)
def test_a_rule_that_counts_or_loops_is_not_taken_as_a_whole(
    rule: Callable[..., object], whole: bool
) -> None:
    assert isinstance(rule, FunctionType)
    assert as_a_whole(rule) is whole


def test_a_rule_that_counts_is_proved_up_to_a_shape_only() -> None:
    assert prove(replace(LEVEL_1_ONE_DRAW, deduct=handed_on), GLOBAL).evidence is Evidence.PROOF
    found = prove(replace(LEVEL_1_ONE_DRAW, deduct=counted), GLOBAL)
    assert found.evidence is Evidence.ALL_VALUES_UP_TO_SHAPE


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
