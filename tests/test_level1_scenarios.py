"""Scenarios of Attribution Level 1: the group's own, ours, and what either does not notice."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from properties.level1.mutants import MUTANTS
from sandproof.main import main
from sandproof.scenario import Scenario, failures, read_scenario, scenarios_in
from sandproof.trace_text import BadTrace
from spec.level1 import VERSIONS

ROOT = Path(__file__).resolve().parent.parent
OURS = ROOT / "tests" / "level1"
GROUPS = Path(
    os.environ.get("SANDPROOF_W3C_SCENARIOS", ROOT.parent / "shared" / "w3c" / "scenarios")
)
KNOWN = (
    "api-disabled",
    "basic",
    "clear-site-data",
    "conversion-callers",
    "conversion-sites",
    "credit-longer-than-impressions",
    "expiry",
    "forget-one-site-conversions",
    "impression-sites",
    "match-values",
    "measure-conversion-errors",
    "measure-conversion-localhost",
    "multi-touch-divides-evenly",
    "multi-touch-same-histogram-index",
    "no-matching-impression",
    "priority",
    "save-impression-localhost",
    "single-epoch-budgeting",
)
UNNOTICED = {
    "lookbacks are ignored",
    "impression callers are ignored",
    "the page saves for an intermediary",
    "an index beyond the histogram counts as the last",
    "shares are rounded down",
    "what is left over goes to the first",
    "the site pays half in several epochs",
    "the shared limits are charged nothing",
    "the shared limits are charged half",
    "the global budget is never short",
    "the quota is never short",
    "one impression site pays the quota for all",
    "one short epoch empties the report",
    "clearing site data leaves the budget",
}
"""The mutants on which the 18 scenarios named above all pass."""

needs_the_groups = pytest.mark.skipif(
    not GROUPS.is_dir(), reason=f"no scenarios of the group in {GROUPS}: SANDPROOF_W3C_SCENARIOS"
)


def noticed(name: str, scenarios: list[Scenario]) -> list[str]:
    return [each.name for each in scenarios if failures(MUTANTS[name], each)]


@needs_the_groups
@pytest.mark.parametrize("version", VERSIONS)
def test_every_scenario_of_the_group_passes(version: str) -> None:
    paths = scenarios_in(GROUPS)
    assert paths
    failed = {path.name: failures(VERSIONS[version], read_scenario(path)) for path in paths}
    assert {name: found for name, found in failed.items() if found} == {}


@needs_the_groups
def test_which_mutants_the_known_scenarios_do_not_notice() -> None:
    missing = [name for name in KNOWN if not (GROUPS / f"{name}.json").exists()]
    if missing:
        pytest.skip(f"of the 18 known scenarios there is no {missing[0]}")
    scenarios = [read_scenario(GROUPS / f"{name}.json") for name in KNOWN]
    assert {name for name in MUTANTS if not noticed(name, scenarios)} == UNNOTICED


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("path", scenarios_in(OURS), ids=lambda path: path.stem)
def test_every_scenario_of_ours_passes(path: Path, version: str) -> None:
    scenario = read_scenario(path)
    assert any(event.expected for event in scenario.events)
    assert failures(VERSIONS[version], scenario) == []


@pytest.mark.parametrize("name", MUTANTS)
def test_every_mutant_is_noticed_by_a_scenario_of_ours(name: str) -> None:
    assert noticed(name, [read_scenario(path) for path in scenarios_in(OURS)])


def test_simulate_replays_a_folder(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", "--family", "w3c", str(OURS)]) == 0
    told = capsys.readouterr().out
    assert "5 of 5 scenarios as expected" in told
    assert "one-epoch" in told


def test_simulate_says_what_is_not_as_expected(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = json.loads((OURS / "credit.json").read_text())
    wrong["events"][3]["expected"] = [0, 3, 0]
    (tmp_path / "wrong.json").write_text(json.dumps(wrong))
    (tmp_path / "CONFIG.json").write_text((OURS / "CONFIG.json").read_text())
    assert main(["simulate", "--family", "w3c", str(tmp_path / "wrong.json")]) == 1
    told = capsys.readouterr().out
    assert "[3, 0, 0], expected [0, 3, 0]" in told
    assert "0 of 1 scenarios as expected" in told


BAD = {
    "not JSON": "{",
    "no list": '{"events": 1}',
    "an unknown event": '{"events": [{"seconds": 1, "event": "openWindow"}]}',
    "an unknown field": '{"events": [{"seconds": 1, "event": "enableAPI", "now": 2}]}',
    "no site": '{"events": [{"seconds": 1, "event": "clearImpressionsForSite"}]}',
    "a time twice": '{"events": [{"seconds": 1, "event": "enableAPI"},'
    ' {"seconds": 1, "event": "disableAPI"}]}',
    "an unknown option": '{"events": [{"seconds": 1, "event": "saveImpression",'
    ' "site": "a.example", "options": {"histogramIndex": 0, "color": 1}}]}',
}


@pytest.mark.parametrize("what", BAD)
def test_a_scenario_that_cannot_be_used_is_refused(
    what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "CONFIG.json").write_text((OURS / "CONFIG.json").read_text())
    path = tmp_path / "bad.json"
    path.write_text(BAD[what])
    with pytest.raises(BadTrace):
        read_scenario(path)
    assert main(["simulate", "--family", "w3c", str(path)]) == 2
    assert "sandproof:" in capsys.readouterr().err


def test_a_scenario_without_parameters_is_refused(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    path = tmp_path / "inner" / "lonely.json"
    path.write_text('{"events": []}')
    with pytest.raises(BadTrace, match=r"CONFIG\.json"):
        read_scenario(path)
