"""Exact games of Attribution Level 1, the proposals to change it, and attacks as scenarios."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from proofs.level1._guarantees import level1_proofs
from properties.level1 import making, universes
from properties.level1.checks import ToldAttack, games_finding
from properties.level1.game import Level1Attack, Level1Universe, solve_level1
from properties.level1.universes import UNIVERSES
from sandproof import verdict
from sandproof.about import Request
from sandproof.jobs import Options
from sandproof.level1_scenario import config_of, scenario_of
from sandproof.main import main
from sandproof.proposal import rules_of, run_file
from sandproof.scenario import failures, read_scenario
from spec.level1 import (
    LEVEL_1_2026_05,
    LEVEL_1_ONE_DRAW,
    ClearHistory,
    Device,
    Level1Mechanism,
    Level1Rules,
    Level1System,
    MeasureConversion,
)
from spec.level1.claims import GLOBAL
from spec.verdicts import Verdict

ROOT = Path(__file__).resolve().parent.parent
PROPOSALS = sorted((ROOT / "proposals" / "w3c").glob("*.py"))
SCHEMA = Path(
    os.environ.get("SANDPROOF_W3C_SCHEMA", ROOT.parent / "shared" / "w3c" / "scenario.schema.json")
)
GROUPS_FORMAT = [json.loads(SCHEMA.read_text())] if SCHEMA.exists() else []
"""The schema of the group that writes the draft, where it is there."""

QUICK = ("--effort", "quick")
SHORT = {
    "level1_device_epochs_are_private": "global",
    "level1_one_site_learns_little_of_an_epoch": "one view",
    "level1_what_one_site_asks_is_private": "one site",
}
SITES = {"type": "array", "items": {"type": "string"}}
WHOLE = {"type": "integer", "minimum": 0}
OPTIONS: dict[str, dict[str, Any]] = {
    "saveImpression": {"histogramIndex": WHOLE, "matchValue": WHOLE, "priority": WHOLE},
    "measureConversion": {
        "aggregationService": {"type": "string"},
        "histogramSize": WHOLE,
        "epsilon": {"type": "number"},
        "value": WHOLE,
        "maxValue": WHOLE,
        "credit": {"type": "array", "items": {"type": "number"}},
        "impressionSites": SITES,
        "lookbackDays": WHOLE,
    },
}


def event_format(event: str, needed: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return the format of an event: nothing stands in it that the group's format does not know."""
    needed = {"seconds": WHOLE, "event": {"const": event}, **needed}
    if event in OPTIONS:
        options = {"properties": OPTIONS[event], "additionalProperties": False}
        needed |= {"site": {"type": "string"}, "options": options}
        more["intermediarySite"] = {"type": "string"}
    return {
        "properties": {**needed, **more},
        "required": list(needed),
        "additionalProperties": False,
    }


FORMAT: dict[str, Any] = {
    "properties": {
        "$comment": SITES,
        "events": {
            "type": "array",
            "items": {
                "oneOf": [
                    event_format("saveImpression", {}),
                    event_format(
                        "measureConversion",
                        {"expected": {"type": "array", "items": WHOLE}},
                        **{"$comment": {"type": "string"}},
                    ),
                    event_format("clearImpressionsForSite", {"site": {"type": "string"}}),
                    event_format(
                        "clearBrowsingHistoryForAttribution",
                        {"sites": SITES, "forgetVisits": {"type": "boolean"}},
                    ),
                    event_format("enableAPI", {}),
                    event_format("disableAPI", {}),
                ]
            },
        },
    },
    "required": ["events"],
    "additionalProperties": False,
}
"""The format of a scenario in our own words, for what an attack uses of it."""

PARAMETERS = json.loads((ROOT / "tests" / "level1" / "CONFIG.json").read_text())
WITHIN = {each.name: each for listed in UNIVERSES.values() for each in listed}


def loaded(path: Path) -> tuple[Level1Rules, dict[str, str]]:
    rules = rules_of(path, run_file(path)[0], "w3c")
    text = path.read_text()
    (expected,) = (line for line in text.splitlines() if line.startswith("Expected: "))
    assert "\nOrigin: " in text
    parts = expected.removeprefix("Expected: ").split(", ")
    return rules, {name: verdict for name, _, verdict in (part.rpartition(" ") for part in parts)}


@pytest.mark.parametrize("name", WITHIN)
def test_with_one_draw_no_universe_of_a_guarantee_has_an_attack(name: str) -> None:
    solution = solve_level1(LEVEL_1_ONE_DRAW, WITHIN[name])
    assert solution.worst == 0
    assert solution.attack is None
    assert not solution.vacuous


BEYOND = {
    "CLOCK_SET_BACK": (6, Fraction(3, 5)),
    "SHARED_LIMIT": (5, Fraction(12, 25)),
    "REACTION": (7, Fraction(36, 125)),
    "FRACTION_OF_A_GRAIN": (4, Fraction(2, 9)),
    "ONE_IMPRESSION": (4, Fraction(12, 25)),
    "SEVERAL_EPOCHS_AS_ONE": (7, Fraction(48, 125)),
}
"""Universes that break a hypothesis or ask for more, with the moves and delta of the attack."""


@pytest.mark.parametrize("name", BEYOND)
def test_beyond_its_hypotheses_a_guarantee_falls(name: str) -> None:
    universe: Level1Universe = getattr(universes, name)
    assert universe.name not in WITHIN
    found = solve_level1(LEVEL_1_ONE_DRAW, universe).attack
    assert found is not None
    assert (found.moves, found.excess) == BEYOND[name]


def test_two_draws_are_told_in_five_moves() -> None:
    found = solve_level1(LEVEL_1_2026_05, universes.LOST_CREDIT).attack
    assert found is not None
    assert (found.moves, found.excess) == (5, Fraction(21, 320))
    assert (found.likely, found.unlikely) == (Fraction(17, 64), Fraction(1, 20))


def test_a_single_impression_is_private_at_twice_the_epsilon() -> None:
    solution = solve_level1(LEVEL_1_ONE_DRAW, universes.ONE_IMPRESSION_TWICE)
    assert solution.worst == 0
    assert not solution.vacuous


@pytest.mark.parametrize(
    ("name", "universe"),
    [
        ("latest_clearing_is_remembered", "CLOCK_SET_BACK"),
        ("stated_budget_rounded_down", "FRACTION_OF_A_GRAIN"),
    ],
)
def test_a_repair_closes_what_it_is_for(name: str, universe: str) -> None:
    rules, _ = loaded(ROOT / "proposals" / "w3c" / f"{name}.py")
    assert solve_level1(rules, getattr(universes, universe)).worst == 0


def test_one_site_can_use_up_what_all_share_and_pay_nothing() -> None:
    """The draft says that this takes as many sites as the limit is a multiple of a site's."""
    limits = replace(making.SMALL, global_budget=1000, site_quota=500)
    rules = replace(LEVEL_1_2026_05, limits=limits)
    lost: dict[str, Any] = {"lookback_days": 2, "histogram_size": 1}
    system = Level1System(devices=Level1System().devices.set("device", Device(epoch_start=0)))
    for move in (
        making.saved(5, 1, making.NEWS),
        making.saved(5, 1, making.BLOG),
        making.measured(5, 1, epsilon=500, impression_sites=(making.NEWS,), **lost),
        making.measured(5, 2, epsilon=500, impression_sites=(making.BLOG,), **lost),
    ):
        system, _ = Level1Mechanism(rules=rules).step(system, move, lambda law: law)
    left = system.devices["device"].budgets
    assert left.globally(limits, 0) == 0
    assert left.site(limits, 0, making.SHOP) == limits.site_budget


def test_there_are_at_least_sixteen_proposals() -> None:
    assert len(PROPOSALS) >= 16


ASKED = (
    "noise_of_half_the_width",
    "the_newest_impression_is_kept",
)
"""The proposals that the command is asked about; `make catalogue` asks about all."""

OTHERS = [path for path in PROPOSALS if path.stem not in ASKED]


@pytest.mark.parametrize("name", ASKED)
def test_the_verdict_is_the_expected_one(name: str, store: Path) -> None:
    path = ROOT / "proposals" / "w3c" / f"{name}.py"
    _, expected = loaded(path)
    options = Options(effort="quick", only=tuple(SHORT), store=store)
    (result,) = verdict.run([Request(path=path)], options)
    told = {row.claim.id: row.verdict.value for row in result.claims if row.claim.id in SHORT}
    assert {SHORT[claim]: each for claim, each in told.items()} == expected
    assert result.verdict in (Verdict.REFUTED, Verdict.PROVED)
    assert not result.alarms
    assert result.about.family == "w3c"


def test_a_guarantee_that_is_asked_for_alone_is_unknown_if_a_lemma_falls() -> None:
    path = ROOT / "proposals" / "w3c" / "quotas_by_own_credit.py"
    alone = "level1_what_one_site_asks_is_private"
    (result,) = verdict.run([Request(path=path)], Options(effort="quick", only=(alone,)))
    (row,) = result.claims
    assert (row.claim.id, row.verdict) == (alone, Verdict.UNKNOWN)
    assert "on which it rests, is refuted" in row.reason


@cache
def attacks(path: Path) -> list[Level1Attack]:
    """Return an attack on each guarantee that a proposal is expected to break."""
    rules, expected = loaded(path)
    found: list[Level1Attack] = []
    for claim, short in SHORT.items():
        if expected[short] == "refuted":
            attack = games_finding(claim, UNIVERSES[claim], 10**6, rules).attack
            assert isinstance(attack, ToldAttack), claim
            found.append(attack.attack)
    return found


@pytest.mark.parametrize("path", OTHERS, ids=lambda path: path.stem)
def test_what_is_expected_to_be_proved_is_and_nothing_else(path: Path) -> None:
    """That what is refuted has an attack is seen where the attack is replayed."""
    rules, expected = loaded(path)
    proofs = {check.claim: check.run for check in level1_proofs() if check.proves}
    for claim, short in SHORT.items():
        assert (proofs[claim](rules).verdict is Verdict.PROVED) is (expected[short] == "proved")


@pytest.mark.parametrize("path", PROPOSALS, ids=lambda path: path.stem)
def test_an_attack_is_a_scenario_that_replays(path: Path, tmp_path: Path) -> None:
    rules, _ = loaded(path)
    for place, attack in enumerate(attacks(path)):
        folder = tmp_path / str(place)
        folder.mkdir()
        (folder / "attack.json").write_text(json.dumps(scenario_of(attack, rules)))
        (folder / "CONFIG.json").write_text(json.dumps(config_of(attack)))
        scenario = read_scenario(folder / "attack.json")
        assert any(isinstance(event.move, MeasureConversion) for event in scenario.events)
        assert failures(rules, scenario) == []
        for form in (FORMAT, *GROUPS_FORMAT):
            jsonschema.validate(scenario_of(attack, rules), form)
        for form in GROUPS_FORMAT:
            jsonschema.validate(config_of(attack), form)
        assert {"$comment", *config_of(attack)} == set(PARAMETERS)


def test_the_check_of_the_format_refuses_what_is_no_scenario() -> None:
    rules, _ = loaded(ROOT / "proposals" / "w3c" / "noise_of_half_the_width.py")
    attack = solve_level1(rules, universes.BETWEEN).attack
    assert attack is not None
    good = scenario_of(attack, rules)
    jsonschema.validate(good, FORMAT)
    assert good["events"][-1]["intermediarySite"] == "agency.example"
    for broken in (
        {**good, "name": "an attack"},
        {**good, "events": [{**good["events"][0], "seconds": 1.5}]},
        {**good, "events": [{**good["events"][-1], "expected": [-1]}]},
        {**good, "events": [{"seconds": 1, "event": "sumReports"}]},
    ):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(broken, FORMAT)


FINDING = re.compile(r"\| (.+?) \| (.+?) \| `(\w+)` \| `(\w+)` \| (\d+) \| (\d+/\d+) \| (.+?) \|")
FINDINGS = FINDING.findall((ROOT / "docs" / "findings.md").read_text())


def named_rules(name: str) -> Level1Rules:
    versions = {"LEVEL_1_2026_05": LEVEL_1_2026_05, "LEVEL_1_ONE_DRAW": LEVEL_1_ONE_DRAW}
    return versions.get(name) or loaded(ROOT / "proposals" / "w3c" / f"{name}.py")[0]


@pytest.mark.parametrize("finding", FINDINGS, ids=lambda finding: str(finding[0]))
def test_a_finding_is_what_the_tool_says(finding: tuple[str, ...]) -> None:
    _, where, universe, name, moves, delta, repair = finding
    assert re.search("text|reference code|proposal", where)
    found = solve_level1(named_rules(name), getattr(universes, universe)).attack
    assert found is not None
    assert (found.moves, str(found.excess)) == (int(moves), delta)
    repaired = re.fullmatch(r"`(\w+)`", repair)
    if repaired:
        again = solve_level1(named_rules(repaired[1]), getattr(universes, universe))
        assert again.attack is None


def test_every_finding_of_the_page_is_read_and_every_refuted_proposal_is_one() -> None:
    rows = (ROOT / "docs" / "findings.md").read_text().count("\n| ") - 2
    assert len(FINDINGS) == rows
    broken = {path.stem for path in PROPOSALS if " refuted" in path.read_text()}
    assert broken - {"two_draws_of_credit"} <= {finding[3] for finding in FINDINGS}


def test_a_scenario_of_an_attack_is_not_what_the_sound_rules_report(tmp_path: Path) -> None:
    rules, _ = loaded(ROOT / "proposals" / "w3c" / "forget_without_closing_the_epoch.py")
    found = solve_level1(rules, universes.CLEARED).attack
    assert found is not None
    assert any(isinstance(move, ClearHistory) for move in found.longest())
    (tmp_path / "attack.json").write_text(json.dumps(scenario_of(found, rules)))
    (tmp_path / "CONFIG.json").write_text(json.dumps(config_of(found)))
    assert failures(LEVEL_1_ONE_DRAW, read_scenario(tmp_path / "attack.json")) != []


def test_attack_writes_a_scenario(capsys: pytest.CaptureFixture[str]) -> None:
    path = ROOT / "proposals" / "w3c" / "noise_of_half_the_width.py"
    assert main(["attack", str(path), "--format", "w3c-scenario", *QUICK, "--only", GLOBAL]) == 1
    written = json.loads(capsys.readouterr().out)
    assert written["events"][-1]["event"] == "measureConversion"


def test_check_says_what_is_refuted_and_where(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(PROPOSALS[-2]), *QUICK, "--only", GLOBAL]) == 1
    told = capsys.readouterr().out
    assert "refuted  level1_device_epochs_are_private" in told
    assert "moves, delta" in " ".join(told.split())
    assert "the draft's" in told
    assert "the paper's" not in told


def test_what_is_no_proposal_for_level_1_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other.py"
    other.write_text("from spec import PAPER\nRULES = PAPER\n")
    assert main(["check", "--family", "w3c", str(other)]) == 2
    assert "Level1Rules" in capsys.readouterr().err
