"""Searches on Attribution Level 1 can fail: games and random runs refute their broken rules."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from properties.level1.checks import STEPS, ToldAttack, games_finding, level1_searches
from properties.level1.in_parts import IN_PARTS
from properties.level1.machine import Run, Violated, level1_machines, moves_of, replayed
from properties.level1.making import SHOP, measured, saved
from properties.level1.scripts import (
    FOR_NUMBERS,
    FOR_TEXTS,
    SCRIPTS,
    at_real_sizes,
    filled_with,
    level1_scripts,
    scripts_finding,
)
from properties.level1.universes import UNIVERSES
from properties.vocabulary import Vocabulary, vocabulary_of
from sandproof.level1_scenario import scenario_of
from sandproof.proposal import rules_of, run_file
from spec.level1 import LEVEL_1_2026_05, LEVEL_1_ONE_DRAW
from spec.level1.claims import GLOBAL, LEVEL1_CLAIMS, ONE_IMPRESSION, ONE_SITE, ONE_VIEW
from spec.verdicts import Check, Evidence, Reason

SEARCHES = (*level1_searches(), *level1_scripts("quick"), *level1_machines("quick"))
CHECKS = {f"{check.claim}: {check.name}": check for check in SEARCHES}
CONTROLS = [(name, control.name) for name, each in CHECKS.items() for control in each.controls]


@pytest.mark.parametrize("name", CHECKS)
def test_with_one_draw_nothing_is_found(name: str) -> None:
    found = CHECKS[name].run(LEVEL_1_ONE_DRAW)
    assert found.evidence is CHECKS[name].evidence, found.detail
    assert found.claim in LEVEL1_CLAIMS


@pytest.mark.parametrize(("name", "control"), CONTROLS)
def test_broken_rules_are_refuted(name: str, control: str) -> None:
    check: Check = CHECKS[name]
    (broken,) = (each for each in check.controls if each.name == control)
    found = broken.run()
    assert found.evidence is Evidence.ATTACK
    assert found.detail


def test_every_search_has_a_control() -> None:
    assert all(check.controls for check in CHECKS.values())


def test_runs_in_which_nothing_differs_are_no_evidence() -> None:
    (check,) = (each for each in level1_machines("quick") if each.claim.endswith("overdrawn"))
    blind = replace(LEVEL_1_ONE_DRAW, matches=lambda _, __: False)
    found = check.run(blind)
    assert (found.evidence, found.reason) == (Evidence.NONE, Reason.VACUOUS)


def test_a_violation_is_replayed_without_hypothesis() -> None:
    claim = "level1_a_single_epoch_changes_by_its_norm"
    half: dict[str, Any] = {"credit": (Fraction(1),) * 2, "histogram_size": 1, "lookback_days": 2}
    moves = (saved(16, 0), saved(16, 1), measured(16, 1, epsilon=4, **half))
    found = [
        replayed(LEVEL_1_2026_05, claim, [(move, (one, two)) for move in moves])
        for one in (True, False)
        for two in (True, False)
    ]
    assert any(isinstance(each, Violated) for each in found)
    assert all(
        replayed(LEVEL_1_ONE_DRAW, claim, [(move, (one, two)) for move in moves]) is None
        for one in (True, False)
        for two in (True, False)
    )


def test_to_wait_is_no_move() -> None:
    assert moves_of(1, 1, {"what": "wait", "site": SHOP}) == []
    assert Run(rules=LEVEL_1_ONE_DRAW).moves == ()


UNSOUND = Path(__file__).parent / "unsound_w3c"


@pytest.mark.parametrize(
    ("name", "claim", "filled"),
    [
        ("epoch_fifty_two_is_free", GLOBAL, "the epoch 52"),
        ("house_sites_are_free", ONE_VIEW, "the conversion site garden.example"),
        ("clearing_many_sites_closes_nothing", ONE_VIEW, "the number of sites cleared 4"),
        ("clearing_later_renews_a_budget", GLOBAL, "the time 2000000000"),
        ("another_report_opens_the_service", ONE_VIEW, "the first report 7"),
        ("a_match_value_looks_at_other_epochs", ONE_VIEW, "the match value 99"),
        ("noise_in_another_base", ONE_VIEW, "at real sizes"),
    ],
)
def test_scripts_are_filled_with_what_a_proposal_mentions(
    name: str, claim: str, filled: str
) -> None:
    modules = run_file(UNSOUND / f"{name}.py")
    rules = rules_of(UNSOUND / f"{name}.py", modules[0], "w3c")
    found = scripts_finding(claim, "quick", vocabulary_of(*modules), rules)
    assert found.evidence is Evidence.ATTACK
    assert filled in found.detail


@pytest.mark.parametrize(
    ("name", "claims"),
    [
        ("aggregated_again_while_budget_is_left", (GLOBAL, ONE_VIEW, ONE_SITE, ONE_IMPRESSION)),
        ("last_report_may_overdraw", tuple(UNIVERSES)),
    ],
)
def test_what_is_used_and_paid_in_parts_is_attacked(name: str, claims: tuple[str, ...]) -> None:
    modules = run_file(UNSOUND / f"{name}.py")
    rules = rules_of(UNSOUND / f"{name}.py", modules[0], "w3c")
    for claim in claims:
        found = games_finding(claim, UNIVERSES[claim], STEPS["quick"], rules)
        assert found.evidence is Evidence.ATTACK, claim


def test_a_report_may_be_used_in_parts_within_what_it_states() -> None:
    path = Path("proposals/w3c/reports_aggregated_again_within_their_budget.py")
    rules = rules_of(path, run_file(path)[0], "w3c")
    for claim, universes in IN_PARTS.items():
        found = games_finding(claim, universes, STEPS["quick"], rules)
        assert found.evidence is Evidence.EXACT_IN_UNIVERSE, claim


def test_a_scenario_says_in_which_epoch_it_begins() -> None:
    modules = run_file(UNSOUND / "epoch_fifty_two_is_free.py")
    rules = rules_of(UNSOUND / "epoch_fifty_two_is_free.py", modules[0], "w3c")
    found = scripts_finding(ONE_VIEW, "quick", vocabulary_of(*modules), rules)
    assert isinstance(found.attack, ToldAttack)
    told = scenario_of(found.attack.attack, rules)
    assert "The first call is in epoch 52" in told["$comment"][0]
    assert told["events"][0]["seconds"] >= 52 * found.attack.attack.universe.limits.epoch


def test_every_hole_is_filled_and_what_does_not_fit_is_left_out() -> None:
    scripts = tuple(at_real_sizes(each) for listed in SCRIPTS.values() for each in listed)
    words = Vocabulary(numbers=(7,), texts=("house.example", "a field"))
    names = [each.name for each in filled_with(scripts, words)]
    for meaning in FOR_NUMBERS:
        assert any(name.endswith(f"{meaning} 7") for name in names), meaning
    for meaning in FOR_TEXTS:
        assert any(name.endswith(f"{meaning} house.example") for name in names), meaning
    assert not any("a field" in name for name in names)
    assert list(filled_with(scripts, Vocabulary(numbers=(0,)))) != []
    assert not any("the value 0" in x.name for x in filled_with(scripts, Vocabulary(numbers=(0,))))
