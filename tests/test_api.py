"""Sandproof from Python, from continuous integration and from a hook: what they run works."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from fractions import Fraction
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

import sandproof
from sandproof.about import About
from sandproof.api import request_of
from sandproof.families import paper
from sandproof.main import main
from sandproof.problems import BadInput
from sandproof.result import Result
from spec import PAPER, Rules, replace
from spec.numbers import Base
from spec.verdicts import Check, Evidence, Finding, Verdict

ROOT = Path(__file__).resolve().parent.parent
LEDGER = "the_ledger_never_passes_the_caps"
CHANGE = """from spec import PAPER, replace

def charge_nothing(at, spent, report):
    return spent

RULES = replace(PAPER, charge=charge_nothing)
"""


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let one quick check refute every change of the charge."""

    def run(rules: Rules) -> Finding:
        kept = rules.charge is PAPER.charge
        evidence = Evidence.PROOF if kept else Evidence.ATTACK
        return Finding(claim=LEDGER, check="same", evidence=evidence)

    found = Check(claim=LEDGER, name="same", run=run, controls=())
    monkeypatch.setattr(paper, "checks_of", lambda *_: (found,))


@pytest.fixture
def change(tmp_path: Path) -> Path:
    path = tmp_path / "change.py"
    path.write_text(CHANGE, encoding="utf-8")
    return path


def loaded(path: Path) -> Rules:
    """Import a proposal as a module, as a user would."""
    made = spec_from_file_location("imported_change", path)
    assert made is not None
    assert made.loader is not None
    module = module_from_spec(made)
    sys.modules[made.name] = module
    made.loader.exec_module(module)
    rules = module.RULES
    assert isinstance(rules, Rules)
    return rules


@pytest.mark.usefixtures("quick")
def test_a_file_and_its_rules_are_checked_from_python(change: Path) -> None:
    for proposal in (change, str(change), loaded(change)):
        result = sandproof.check(proposal, jobs=1, only=(LEDGER,))
        assert (result.verdict, result.exit_status) == (Verdict.REFUTED, 1)
        assert [each.field for each in result.about.changes] == ["charge"]
        assert result.why == f"refuted because {LEDGER} no longer holds: rule charge, line 3"
    assert sandproof.check(jobs=1, only=(LEDGER,)).verdict is Verdict.PROVED


@pytest.mark.usefixtures("quick")
def test_a_result_is_shown_in_a_notebook_in_a_frame_of_its_own(change: Path) -> None:
    shown = sandproof.check(change, jobs=1, only=(LEDGER,))._repr_html_()
    assert re.fullmatch(r'<iframe srcdoc="[^"]*" style="[^"]*"></iframe>', shown)
    assert "charge_nothing" in shown


def test_changed_parameters_need_no_file() -> None:
    changed = {"delta": Fraction(1, 10**6), "base": Base(Fraction(2)), "maximum_queries": 3}
    limits = replace(PAPER.limits, **changed)  # type: ignore[arg-type]
    request = request_of(replace(PAPER, limits=limits))
    assert dict(request.settings) == {"delta": Fraction(1, 10**6), "base": 2, "maximum_queries": 3}
    assert request_of(PAPER).settings == ()


def test_what_cannot_be_checked_from_python_is_said(change: Path, tmp_path: Path) -> None:
    written_here = replace(PAPER, charge=lambda at, spent, report: spent)
    other = replace(loaded(change), settle=lambda at, batch: PAPER.settle(at, batch))
    for rules in (written_here, other):
        with pytest.raises(BadInput, match="are not the RULES of a file: write them to one"):
            sandproof.check(rules)
    with pytest.raises(BadInput, match=r"a spec\.level1\.Level1Rules, not an int: 3"):
        sandproof.check(3)  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="no such file"):
        sandproof.check(tmp_path / "nowhere.py", jobs=1)
    with pytest.raises(BadInput, match="there is no effort 'huge'; there are quick"):
        sandproof.check(effort="huge")
    with pytest.raises(BadInput, match=f"there is no claim 'ledger_never.*did you mean {LEDGER}"):
        sandproof.check(only=("ledger_never_passes_the_caps",))


def test_a_proposal_that_checks_itself_is_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "itself.py"
    path.write_text(CHANGE + "import sandproof\nsandproof.check(__file__)\n", encoding="utf-8")
    with pytest.raises(BadInput, match=r"itself\.py, line 8: BadInput: a proposal cannot check"):
        sandproof.check(path, jobs=1)


@pytest.mark.usefixtures("quick")
def test_parameters_are_set_from_python_as_on_the_command_line(change: Path) -> None:
    result = sandproof.check(change, settings=["delta=1e-6"], jobs=1, only=(LEDGER,))
    assert [each.field for each in result.about.changes] == ["limits.delta", "charge"]
    weaker = replace(PAPER, limits=replace(PAPER.limits, delta=Fraction(1, 2), epsilon=Fraction(3)))
    request = request_of(weaker, ["delta=1e-6"])
    assert dict(request.settings) == {"delta": Fraction(1, 10**6), "epsilon": 3}
    with pytest.raises(BadInput, match="no such parameter; did you mean delta"):
        sandproof.check(settings=["delt=1"])


@pytest.mark.parametrize("command", ["check", "attack", "compare", "claims", "catalogue"])
def test_the_commands_that_check_do_it_as_python_does(
    command: str, change: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[list[object], dict[str, object]]] = []

    def check_all(proposals: list[object], **how: object) -> list[Result]:
        asked.append((proposals, how))
        return [Result(about=About(name="x"), claims=()) for _ in proposals]

    monkeypatch.setattr(sandproof, "check_all", check_all)
    names = {"compare": ["paper", str(change)], "claims": []}.get(command, [str(change)])
    main([command, *names, "--effort", "quick", "--seed", "7", "--no-cache"])
    ((proposals, how),) = asked
    paths = {"compare": [None, change], "claims": [None]}.get(command, [change])
    assert proposals == paths
    assert (how["effort"], how["seed"], how["cache"]) == ("quick", 7, False)


def run_action(directory: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run what the action runs, with its inputs."""
    program = directory / "sandproof"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m sandproof.main "$@"\n')
    program.chmod(0o755)
    given = {"SANDPROOF": str(program), "PYTHONPATH": str(ROOT), "EFFORT": "quick"}
    usual = {"ACCEPT": "", "FAIL_IF_WEAKER": "false", "SARIF": "found.sarif", "ARGUMENTS": ""}
    return subprocess.run(
        [ROOT / "action" / "check.sh"],
        cwd=directory,
        env={**os.environ, **usual, **given, **inputs},
        capture_output=True,
        text=True,
        check=False,
    )


def test_what_the_action_runs_fails_for_a_broken_proposal(change: Path, tmp_path: Path) -> None:
    summary = tmp_path / "summary.md"
    arguments = f"--only {LEDGER}"
    ran = run_action(
        tmp_path, PROPOSALS="chan*.py", ARGUMENTS=arguments, GITHUB_STEP_SUMMARY=str(summary)
    )
    assert ran.returncode == 1, ran.stderr
    assert f"**refuted** | `{LEDGER}`" in summary.read_text(encoding="utf-8")
    (run,) = json.loads((tmp_path / "found.sarif").read_text(encoding="utf-8"))["runs"]
    (found,) = run["results"]
    place = found["locations"][0]["physicalLocation"]
    assert (found["level"], found["ruleId"]) == ("error", LEDGER)
    assert place["artifactLocation"]["uri"] == "change.py"
    assert place["region"]["startLine"] == 3


def test_what_the_action_runs_passes_or_fails_on_a_weaker_promise(tmp_path: Path) -> None:
    weaker = "RULES = replace(PAPER, limits=replace(PAPER.limits, delta=1))\n"
    text = f"from spec import PAPER, replace\n{weaker}"
    (tmp_path / "weaker.py").write_text(text, encoding="utf-8")
    arguments = f"--only {LEDGER}"
    assert run_action(tmp_path, PROPOSALS="weaker.py", ARGUMENTS=arguments).returncode == 0
    strict = {"FAIL_IF_WEAKER": "true", "ACCEPT": "searched"}
    ran = run_action(tmp_path, PROPOSALS="weaker.py", ARGUMENTS=arguments, **strict)
    assert ran.returncode == 4


def test_the_action_hands_over_every_input_and_runs_the_script() -> None:
    action = (ROOT / "action.yml").read_text(encoding="utf-8")
    script = (ROOT / "action" / "check.sh").read_text(encoding="utf-8")
    declared = re.findall(r"^  ([a-z-]+):$", action.partition("runs:")[0], re.MULTILINE)
    handed = dict(re.findall(r"^        ([A-Z_]+): \$\{\{ inputs\.([a-z-]+) \}\}$", action, re.M))
    assert sorted(handed.values()) == sorted(declared)
    assert all(f"${name}" in script or f"${{{name}" in script for name in handed)
    assert '"$GITHUB_ACTION_PATH/action/check.sh"' in action
    assert os.access(ROOT / "action" / "check.sh", os.X_OK)


@pytest.mark.usefixtures("quick")
def test_the_hook_runs_a_command_that_refuses_a_broken_proposal(
    change: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hooks = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    (entry,) = re.findall(r"^  entry: sandproof (.+)$", hooks, re.MULTILINE)
    assert main([*shlex.split(entry), "--only", LEDGER, str(change)]) == 1
    assert "refuted" in capsys.readouterr().out
