"""The command line: every command, its help, its output and its exit status."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from fractions import Fraction
from pathlib import Path

import pytest

import sandproof
from proofs import CHECKS
from sandproof import VERSION
from sandproof.commands.attack import as_story
from sandproof.families import paper, w3c
from sandproof.figures import certain_digits, figures_of, significant
from sandproof.formats import check_writable
from sandproof.main import COMMANDS, main
from sandproof.parameters_told import variance
from spec import PAPER, Rules, replace
from spec.aggregation_service import Spent
from spec.claims import CLAIMS
from spec.noise import laplace_pmf
from spec.reports import Report
from spec.rules import AtService
from spec.verdicts import Check, Control, Evidence, Finding, Kind

ROOT = Path(__file__).parent.parent
LEDGER = "the_ledger_never_passes_the_caps"
ATTRIBUTION = "attribution_summaries_are_private"

CHANGE = '''"""Charge for nothing.

Expected: refuted.
"""

from spec import PAPER, replace


def charge_nothing(at, spent, report):
    return spent


RULES = replace(PAPER, charge=charge_nothing)
'''


WEAKER = """from spec import PAPER, replace
RULES = replace(PAPER, limits=replace(PAPER.limits, delta=1))
"""


class Attack:
    """Stand in for an attack."""

    def story(self) -> str:
        return "1. The ad-tech asks twice."

    def to_json(self) -> dict[str, object]:
        return {"steps": [{"move": "The ad-tech asks twice."}]}

    def to_pytest(self, proposal: str) -> str:
        return f"def test_replays() -> None:\n    assert {proposal!r}\n"


def is_paper(claim: str) -> Check:
    """Return a check that refutes every change of charge."""

    def run(rules: Rules) -> Finding:
        if rules.charge is PAPER.charge:
            return Finding(claim=claim, check="same", evidence=Evidence.PROOF, method="identity")
        return Finding(claim=claim, check="same", evidence=Evidence.ATTACK, attack=Attack())

    def free_of_charge(at: AtService, spent: Spent, report: Report) -> Spent:
        return spent

    broken = replace(PAPER, charge=free_of_charge)
    control = Control(name="charges nothing", run=lambda: run(broken), rules=broken)
    return Check(claim=claim, name="same", run=run, controls=(control,))


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> list[Check]:
    """Replace all checks by quick ones."""
    found = [is_paper(claim) for claim in CLAIMS]
    monkeypatch.setattr(paper, "checks_of", lambda *_: tuple(found))
    return found


@pytest.fixture
def change(tmp_path: Path) -> Path:
    path = tmp_path / "change.py"
    path.write_text(CHANGE, encoding="utf-8")
    return path


def printed(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    status = main(list(map(str, arguments)))
    output, errors = capsys.readouterr()
    return status, output, errors


def test_every_module_of_a_command_is_one() -> None:
    modules = {path.stem for path in (ROOT / "sandproof" / "commands").glob("*.py")}
    assert modules == {*COMMANDS, "__init__", "options"}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main([command, "--help"])
    assert left.value.code == 0
    assert f"usage: sandproof {command}" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments", [[], ["frobnicate"], ["check", "--effort", "huge"], ["check", "--jobs", "0"]]
)
def test_a_wrong_command_line_is_bad_input(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert left.value.code == 2


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["chekc"], "there is no command 'chekc'; did you mean check?"),
        (["frobnicate"], "there is no command 'frobnicate'; there are check, attack, compare"),
        (["check", "--efort=quick"], "--efort=quick; did you mean --effort?"),
        (["claims", "--lst"], "--lst; did you mean --list?"),
    ],
)
def test_a_misspelt_command_or_option_is_told_what_was_meant(
    arguments: list[str], hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert (left.value.code, hint in capsys.readouterr().err) == (2, True)


@pytest.mark.usefixtures("quick")
def test_check_without_a_proposal_is_about_the_paper(capsys: pytest.CaptureFixture[str]) -> None:
    status, output, errors = printed(capsys, "check", "-v")
    assert (status, errors) == (0, "")
    last = "proved: the paper's own rules: every guarantee is proved (5 proved)"
    assert output.endswith(f"\n{last}\n")
    assert "To check a change: sandproof new my_change" in output
    assert output.count("  proved   ") == len(CLAIMS)


@pytest.mark.usefixtures("quick")
def test_check_of_a_broken_proposal_tells_the_attack(
    change: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, output, _ = printed(capsys, "check", change)
    assert status == 1
    assert "1. The ad-tech asks twice." in output
    assert output.rstrip().split("\n")[-1].startswith(f"refuted: {change}: ")


@pytest.mark.usefixtures("quick")
def test_check_of_parameters_needs_no_proposal(capsys: pytest.CaptureFixture[str]) -> None:
    status, output, _ = printed(capsys, "check", "--set", "sparsity_budget=65536")
    assert status == 0
    assert "sparsity_budget: 20 -> 65536" in output
    assert "It depends on none of the changed rules:" in output
    status, output, _ = printed(capsys, "check", "--set", "delta=1", "--fail-if-weaker")
    assert status == 4
    assert "(64, 1e-8) → (64, 1): WEAKER" in " ".join(output.split())


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("form", "old", "new", "status", "told"),
    [
        ("text", "paper", "weaker.py", 4, "WEAKER"),
        ("json", "weaker.py", "paper", 0, "stronger"),
        ("markdown", "weaker.py", "change.py", 1, "BROKEN"),
    ],
)
def test_two_proposals_are_compared(
    form: str,
    old: str,
    new: str,
    status: int,
    told: str,
    change: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert change.parent == tmp_path
    (tmp_path / "weaker.py").write_text(WEAKER, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    found, output, _ = printed(capsys, "compare", old, new, "--format", form)
    assert (found, told in output) == (status, True)


def test_what_is_not_there_is_not_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, output, errors = printed(capsys, "compare", "paper", tmp_path / "nowhere.py")
    assert (status, output, errors.count("\n")) == (2, "", 1)


@pytest.mark.usefixtures("quick")
def test_check_of_several_proposals_reports_each(
    change: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = tmp_path / "missing.py"
    status, output, errors = printed(capsys, "check", change, missing, change)
    assert status == 2
    assert f"sandproof: {missing}: no such file or directory\n" in errors
    others = [line for line in errors.splitlines() if not line.startswith("sandproof: ")]
    assert all(line.startswith(f"refuted: {change}: ") for line in others)
    assert output.count("\nrefuted: ") == 2
    assert output.endswith("3 proposals: 2 refuted, 1 bad input\n")


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("form", ["text", "json", "markdown", "html", "junit", "sarif"])
def test_check_writes_every_format_to_a_file(
    form: str, change: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "report"
    status, output, _ = printed(capsys, "check", change, "--format", form, "--output", target)
    assert (status, output) == (1, "")
    assert "charge_nothing" in target.read_text(encoding="utf-8") or form in ("junit", "sarif")
    assert LEDGER in target.read_text(encoding="utf-8")


@pytest.mark.usefixtures("quick")
def test_a_file_that_cannot_be_written_is_bad_input(
    change: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, _, errors = printed(capsys, "check", change, "--output", tmp_path)
    assert (status, errors) == (2, f"sandproof: {tmp_path}: is a directory\n")


@pytest.mark.parametrize(
    "arguments", [("check", "--output"), ("attack", "--output"), ("attack", "--pytest")]
)
def test_whether_a_file_can_be_written_is_known_before_the_check(
    arguments: tuple[str, str],
    change: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sandproof.verdict.run", lambda *_: pytest.fail("it was checked"))
    command, option = arguments
    target = tmp_path / "nowhere" / "report.txt"
    status, _, errors = printed(capsys, command, change, option, target)
    assert (status, errors) == (2, f"sandproof: {target}: no such file or directory\n")


def test_looking_whether_a_file_can_be_written_leaves_it_alone(tmp_path: Path) -> None:
    there, absent = tmp_path / "there", tmp_path / "absent"
    there.write_text("kept")
    check_writable(there, absent, None)
    assert there.read_text() == "kept"
    assert not absent.exists()


@pytest.mark.usefixtures("quick")
def test_bad_input_is_counted_as_such(
    change: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    empty = tmp_path / "empty.py"
    empty.touch()
    status, output, _ = printed(capsys, "check", change, empty)
    assert status == 2
    assert output.splitlines()[-1] == "2 proposals: 1 refuted, 1 bad input"


@pytest.mark.parametrize("setting", ["nothing=1", "delta=much", "delta"])
def test_a_wrong_setting_is_one_line(setting: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, output, errors = printed(capsys, "check", "--set", setting)
    assert (status, output) == (2, "")
    assert errors.startswith("sandproof: --set ")
    assert errors.count("\n") == 1


@pytest.mark.usefixtures("quick")
def test_attack_tells_the_story_and_writes_a_test(
    change: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    test = tmp_path / "test_attack.py"
    status, output, _ = printed(capsys, "attack", change, "--pytest", test)
    assert status == 1
    assert output.startswith("refuted because ")
    assert "\n\n  1. The ad-tech asks twice.\n\nrefuted: " in output
    assert test.read_text(encoding="utf-8").endswith(f"assert {change.name!r}\n")
    stopped = replace(sandproof.check(change), interrupted=True)
    assert "Interrupted: what was not finished is unknown." in as_story(stopped)


def test_the_test_of_an_attack_fails_for_the_change_and_not_for_the_paper(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change, test = tmp_path / "change.py", tmp_path / "test_attack.py"
    rule = "def send(at, granted):\n    return PAPER.send(at, granted) if granted else ()\n"
    text = f"from spec import PAPER, replace\n{rule}RULES = replace(PAPER, send=send)\n"
    change.write_text(text, encoding="utf-8")
    options = ("--effort", "quick", "--only", ATTRIBUTION, "--pytest", test)
    status, output, _ = printed(capsys, "attack", change, *options)
    assert (status, "1. " in output) == (1, True)
    replayed = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(test)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert "1 failed, 1 passed" in replayed.stdout
    assert re.search(r"assert '[^']+ > [^']+' == ''", replayed.stdout)
    assert str(tmp_path) not in test.read_text(encoding="utf-8")


@pytest.mark.usefixtures("quick")
def test_attack_as_json_is_null_if_there_is_none(
    change: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, output, _ = printed(capsys, "attack", change, "--format", "json")
    data = json.loads(output)
    assert (status, data["verdict"]) == (1, "refuted")
    assert data["attack"]["steps"] == [{"move": "The ad-tech asks twice."}]
    assert CLAIMS[data["claim"]].kind is Kind.GUARANTEE
    same = tmp_path / "same.py"
    same.write_text("from spec import PAPER\nRULES = PAPER\n", encoding="utf-8")
    test = tmp_path / "test_attack.py"
    status, output, errors = printed(capsys, "attack", same, "--format", "json", "--pytest", test)
    assert (status, json.loads(output)["attack"]) == (0, None)
    assert "there is no attack to replay" in errors
    assert not test.exists()


@pytest.mark.usefixtures("quick")
def test_claims_lists_every_claim_with_its_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    status, output, _ = printed(capsys, "claims")
    assert status == 0
    assert all(claim in output for claim in CLAIMS)
    assert output.endswith(f"{len(CLAIMS)} claims: {len(CLAIMS)} proved\n")
    assert max(map(len, output.split("\n"))) <= 100


def test_claims_can_be_listed_without_running_a_check(capsys: pytest.CaptureFixture[str]) -> None:
    status, output, _ = printed(capsys, "claims", "--list")
    assert status == 0
    assert output.endswith(f"\n{len(CLAIMS)} claims\n")
    status, output, _ = printed(capsys, "claims", "--list", "--format", "json")
    assert [claim["id"] for claim in json.loads(output)] == list(CLAIMS)


def test_claims_shows_a_claim_with_its_proof(capsys: pytest.CaptureFixture[str]) -> None:
    assert any(check.claim == LEDGER for check in CHECKS)
    status, output, _ = printed(capsys, "claims", LEDGER)
    assert status == 0
    assert "\\" not in output, "no LaTeX in a terminal"
    for part in (
        "Kind: guarantee",
        "Promise: (64, 1e-8) per report",
        "Paper: Alg. 1",
        f"Proof: proofs/{LEDGER}.py",
        "Assumes: ",
        "z3",
    ):
        assert part in output
    assert output.endswith(f"\nproved: {LEDGER}\n")


def test_an_unknown_claim_is_bad_input(capsys: pytest.CaptureFixture[str]) -> None:
    status, _, errors = printed(capsys, "claims", "the_ledger")
    assert (status, errors) == (
        2,
        f"sandproof: there is no claim 'the_ledger'; did you mean {LEDGER}?\n",
    )
    assert printed(capsys, "controls", "nothing")[0] == 2


def test_controls_fails_if_a_check_refutes_none(
    quick: list[Check], capsys: pytest.CaptureFixture[str]
) -> None:
    quick[:] = [is_paper(LEDGER)]
    status, output, _ = printed(capsys, "controls", "--family", "paper")
    assert status == 0
    assert "refuted  charges nothing" in output
    assert output.endswith("1 checks, 1 cells: every check refutes its controls\n")
    quick.append(replace(is_paper(LEDGER), name="idle", controls=()))
    status, output, _ = printed(capsys, "controls", "--family", "paper")
    assert status == 1
    assert output.endswith(f"not shown to fail: {LEDGER} (idle)\n")


def test_controls_can_run_checks_on_the_broken_rules_of_others(
    quick: list[Check], capsys: pytest.CaptureFixture[str]
) -> None:
    lemma = "a_refused_query_charges_nothing"
    quick[:] = [is_paper(LEDGER), is_paper(lemma), is_paper("joint_convexity")]
    status, output, _ = printed(
        capsys, "controls", "--family", "paper", "--full", "--format", "json"
    )
    cells = {row["claim"]: row["controls"] for row in json.loads(output)}
    assert status == 0
    assert [cell["own"] for cell in cells[LEDGER]] == [True, False, False]
    assert cells[lemma][1]["control"] == f"charges nothing (of {LEDGER})"
    assert len(cells["joint_convexity"]) == 1


def test_params_gives_the_figures_people_compute_by_hand(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, output, _ = printed(capsys, "params", "--format", "json")
    values = {name: entry["value"] for name, entry in json.loads(output).items()}
    assert status == 0
    assert values["outputs"] == "2925"
    assert values["response_rate"].startswith("0.002426")
    assert values["channel_capacity"].startswith("11.46")
    assert (values["day_factor"], values["day_factor_without_cap"]) == ("16", "144")
    tau, without, smallest = (
        int(values[name])
        for name in ("threshold", "threshold_without_sparsity", "smallest_sound_threshold")
    )
    assert tau > without > smallest


def test_params_is_exact_for_a_rational_base(capsys: pytest.CaptureFixture[str]) -> None:
    setting = ["--set", "base=2", "--set", "contribution_budget=2", "--epsilon", "2"]
    status, output, _ = printed(
        capsys, "params", *setting, "--delta", "1/8", "--event-epsilon", "2",
        "--reports", "3", "--windows", "2,2", "--buckets", "2,2", "--format", "json",
    )  # fmt: skip
    found = json.loads(output)
    assert status == 0
    assert found["outputs"]["exact"] == "27"
    assert found["truth_probability"]["exact"] == "1/10"
    assert found["decay"]["exact"] == "1/2"
    assert found["smallest_sound_threshold"]["exact"] == "4"


def test_params_prints_text(capsys: pytest.CaptureFixture[str]) -> None:
    status, output, _ = printed(capsys, "params")
    assert status == 0
    assert "|O|, the number of outputs" in output
    assert re.search(r"δ of the query +1e-8\n", output)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--reports", "three"], "--reports: 'three' is not a number"),
        (["--windows", "2,"], "--windows: '' is not a number"),
        (["--windows", "2,2", "--buckets", "1"], "2 data have windows, 1 buckets"),
        (["--epsilon", "big"], "'big' is not a number"),
        (["--epsilon", "0"], "epsilon must be positive, not 0"),
        (["--capacity", "-1"], "must not be negative"),
    ],
)
def test_params_refuses_what_makes_no_sense(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, output, errors = printed(capsys, "params", *arguments)
    assert (status, output) == (2, "")
    assert message in errors
    assert errors.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("--event-epsilon", "20000"),
        ("--event-epsilon", "100000", "--format", "json"),
        ("--set", "base=1000000", "--epsilon", "2000"),
        ("--set", "window_length=1"),
    ],
)
def test_params_writes_numbers_of_any_length(
    arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    status, output, errors = printed(capsys, "params", *arguments)
    assert (status, errors) == (0, "")
    assert output


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--delta", "1e-99999999"), "an exponent between -300 and 300"),
        (("--delta", "9" * 5000), "a number has at most 300 digits"),
        (("--delta", "1/0"), "divides by zero"),
        (("--delta", "-1"), "delta must be in [0, 1], not -1"),
        (("--epsilon", "nan"), "--epsilon: 'nan' is not a number"),
        (("--epsilon", "1e-300"), "512 bits do not enclose it"),
        (("--event-epsilon", "1e9"), "too large to be written out"),
        (("--reports", "100000"), "up to 500 reports"),
        (("--reports", "1.5"), "--reports: 1.5 is not a whole number"),
        (("--set", "delta=1e-999999999"), "an exponent between -300 and 300"),
    ],
)
def test_params_refuses_numbers_that_would_take_forever(
    arguments: tuple[str, str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, output, errors = printed(capsys, "params", *arguments)
    assert (status, output) == (2, "")
    assert why in errors
    assert errors.count("\n") == 1
    assert len(errors) < 200


@pytest.mark.parametrize(
    "option", [("--timeout", "1e999999999"), ("--jobs", "1e999999999"), ("--seed", "1e-999999999")]
)
def test_options_are_read_like_every_other_number(option: tuple[str, str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["check", *option])
    assert caught.value.code == 2


@pytest.mark.parametrize("debug", ["", "1"])
def test_a_defect_is_one_line_and_asks_for_a_report(
    debug: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_: object) -> int:
        raise LookupError("nothing\nthere")

    monkeypatch.setenv("SANDPROOF_DEBUG", debug)
    monkeypatch.setattr("sandproof.commands.params.run", fails)
    status, output, errors = printed(capsys, "params")
    assert (status, output) == (70, "")
    assert "sandproof: failed unexpectedly: LookupError: nothing there; nothing is dec" in errors
    assert f"report this as an issue of the project you have Sandproof {VERSION} from" in errors
    assert ("Traceback" in errors) == bool(debug)
    assert debug or errors.count("\n") == 1


def test_figures_are_counted_without_writing_the_number_out() -> None:
    for power in (0, 1, 2, 27, 28, 29, 93, 300, 4000):
        for number in (10**power - 1, 10**power, 10**power + 1, 2**power):
            assert figures_of(number) == len(str(number))
    assert figures_of(10**50000) == 50001


def test_the_variance_agrees_with_the_sum_it_stands_for() -> None:
    for ratio in (Fraction(1, 2), Fraction(3, 5)):
        for last in (0, 1, 4):
            masses = {x: laplace_pmf(ratio, last, x) for x in range(-last, last + 1)}
            assert variance(ratio, last) == sum(x * x * mass for x, mass in masses.items())
        assert abs(variance(ratio, None) - variance(ratio, 200)) < Fraction(1, 10**30)


def test_digits_are_rounded_and_only_those_that_are_certain() -> None:
    assert significant(Fraction(2, 3), 4) == "0.6667"
    assert significant(Fraction(1, 10**8), 4) == "1e-8"
    assert significant(Fraction(99999), 3) == "1e5"
    assert significant(Fraction(1234), 6) == "1234"
    assert certain_digits(Fraction(12346, 10**4), Fraction(12348, 10**4)) == "1.235"
    assert certain_digits(Fraction(1), Fraction(9)) == "between 1 and 9"


@pytest.mark.usefixtures("quick")
def test_new_starts_a_proposal_that_can_be_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    status, output, _ = printed(capsys, "new", "my_change")
    assert (status, "sandproof check my_change.py" in output) == (0, True)
    text = Path("my_change.py").read_text(encoding="utf-8")
    status, _, errors = printed(capsys, "new", "my_change.py")
    assert (status, errors) == (2, "sandproof: my_change.py: the file exists already\n")
    assert Path("my_change.py").read_text(encoding="utf-8") == text
    status, output, _ = printed(capsys, "check", "my_change.py")
    assert "+ charge = charge_half_at_most" in output
    assert "Say in one line what changes." in output
    assert status == 1  # the stand-in check refutes every other charge


def test_new_starts_a_proposal_of_either_family(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert printed(capsys, "new", "level_1", "--family", "w3c")[0] == 0
    text = (tmp_path / "level_1.py").read_text(encoding="utf-8")
    for name in w3c.FAMILY.rule_names():
        assert f"\n# {name}(" in text, name
    assert max(map(len, text.splitlines())) <= 100
    status, output, _ = printed(capsys, "check", "level_1.py", "--effort", "quick")
    assert "+ matches = matches_after_an_hour" in output
    assert (status, output.splitlines()[-1].partition(":")[0]) == (0, "proved")
    assert printed(capsys, "new", "paper", "--family", "paper")[0] == 0
    assert printed(capsys, "new", "neither")[0] == 0
    written = [
        (tmp_path / f"{name}.py").read_text(encoding="utf-8") for name in ("paper", "neither")
    ]
    assert written[0] == written[1] != text


@pytest.mark.parametrize("name", ["my-change", "class", "nowhere/my_change"])
def test_new_refuses_names_that_do_not_work(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    status, _, errors = printed(capsys, "new", name)
    assert status == 2
    assert errors.startswith("sandproof: ")


@pytest.mark.usefixtures("quick")
def test_catalogue_compares_verdicts_with_what_is_expected(
    change: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, output, _ = printed(capsys, "catalogue", tmp_path)
    assert status == 0
    assert "change    refuted    refuted" in output
    change.write_text(CHANGE.replace("Expected: refuted", "Expected: holds"), encoding="utf-8")
    status, output, _ = printed(capsys, "catalogue", tmp_path)
    assert status == 1
    assert "UNEXPECTED" in output
    assert printed(capsys, "catalogue", tmp_path / "nowhere")[0] == 2
    status, output, _ = printed(capsys, "catalogue", tmp_path, "named_budgets", "--list")
    assert (status, len(output.split())) == (0, 2)
    assert output.endswith("proposals/named_budgets.py\n")


@pytest.mark.usefixtures("quick")
def test_one_claim_can_be_asked_for(change: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, output, _ = printed(capsys, "check", change, "--only", LEDGER)
    assert (status, ATTRIBUTION in output) == (1, False)
    status, output, _ = printed(capsys, "check", "--only", LEDGER, "--only", "filters_compose")
    assert status == 0
    assert output.endswith(f"nothing but {LEDGER}, filters_compose was decided (2 proved)\n")
    status, _, errors = printed(capsys, "check", "--only", "the_leger_never_passes_the_caps")
    assert (status, f"did you mean {LEDGER}?" in errors) == (2, True)


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["--version"])
    assert (left.value.code, capsys.readouterr().out) == (0, f"sandproof {VERSION}\n")


@pytest.mark.parametrize("module", ["sandproof", "sandproof.main"])
def test_the_package_is_run_as_the_command_is(module: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", module, "--version"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, f"sandproof {VERSION}\n", "")


def test_a_reader_who_stops_early_causes_no_trouble() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "sandproof.main", "claims", "--list"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
    )
    assert process.stdout is not None
    process.stdout.close()
    _, errors = process.communicate(timeout=120)
    assert errors == b""
    assert process.returncode == 141


def test_a_closed_output_is_one_line_and_bad_input() -> None:
    command = f"{sys.executable} -m sandproof.main params >&-"
    done = subprocess.run(
        ["sh", "-c", command], capture_output=True, text=True, check=False, cwd=ROOT
    )
    told = "sandproof: standard output is closed: nobody would read it\n"
    assert (done.returncode, done.stderr) == (2, told)


def test_a_full_disk_is_one_line_and_bad_input() -> None:
    command = f"{sys.executable} -m sandproof.main claims --list > /dev/full"
    done = subprocess.run(
        ["sh", "-c", command], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert (done.returncode, done.stderr) == (2, "sandproof: no space left on device\n")


def test_progress_keeps_to_the_width_of_a_narrow_terminal() -> None:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 40, 0, 0))
    program = (
        "from sandproof.progress import Progress; show = Progress()\n"
        "show(1, 2, ['a_claim_with_a_long_name'] * 3); show.clear()"
    )
    subprocess.run([sys.executable, "-c", program], stderr=theirs, check=True, cwd=ROOT)
    os.close(theirs)
    shown = os.read(ours, 10_000).decode()
    os.close(ours)
    assert "a_claim" in shown
    assert max(map(len, shown.split("\r"))) == 39
