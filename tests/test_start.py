"""What needs no solver does not wait for one: counted in what is imported, not in seconds."""

from __future__ import annotations

import gc
import subprocess
import sys
from pathlib import Path

import pytest

from sandproof.families import NAMES, claims_of
from sandproof.families.claim_names import CLAIM_NAMES
from sandproof.main import COMMANDS
from sandproof.this_process import collecting_no_garbage

ROOT = Path(__file__).resolve().parent.parent
HEAVY = {"z3", "cvc5", "sympy", "hypothesis", "distributed", "opendp", "properties", "proofs"}
UNUSED = {"spec.level1", "sandproof.formats.junit", "sandproof.formats.page"}
"""What a result about the paper's rules does without."""

CALCULATE = {"claims", "controls", "new"}
"""The commands that import the specification whatever is asked of them."""

PROGRAM = """
import sys
from sandproof.main import main
try:
    status = main(sys.argv[1:])
except SystemExit as left:
    status = left.code
# How numbers are written takes no search with it.
names = [name for name in sys.modules if name not in ("properties", "properties.numerals")]
print("\\n", status, *{name.partition(".")[0] for name in names}, *names)
"""


def imported(*arguments: str) -> tuple[int, set[str]]:
    """Run a command; return its exit status and the packages and modules that it imported."""
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    status, *names = run.stdout.splitlines()[-1].split()
    return int(status), set(names)


def test_the_help_imports_neither_the_specification_nor_what_it_calculates_with() -> None:
    status, names = imported("--help")
    assert status == 0
    assert names & {*HEAVY, "spec", "flint", "jsonschema"} == set()
    assert "sandproof" in names


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_a_command_imports_no_solver(command: str) -> None:
    status, names = imported(command, "--help")
    assert status == 0
    assert names & HEAVY == set()
    assert ("spec" in names) == (command in CALCULATE)


@pytest.mark.parametrize(
    "arguments",
    [
        ["chekc"],
        ["check", "nowhere.py"],
        ["check", "--set", "nothing=1"],
        ["check", "--set", "epsilon=x"],
        ["check", "--only", "nothing"],
        ["check", "--effort", "none"],
        ["attack", "nowhere.py"],
        ["compare", "paper", "nowhere.py"],
        ["catalogue", "nowhere"],
        ["campaign", "nowhere.py"],
        ["campaign", "--sweep", "epsilon=2:1"],
        ["params", "nothing"],
        ["params", "--format", "none"],
        ["simulate", "nowhere"],
        ["simulate", "--family", "w3c", "nowhere"],
    ],
)
def test_bad_input_is_refused_without_the_specification(arguments: list[str]) -> None:
    status, names = imported(*arguments)
    assert status == 2
    assert names & {*HEAVY, "spec", "flint"} == set()


@pytest.mark.parametrize("family", NAMES)
def test_the_claims_that_can_be_named_are_those_of_the_table(family: str) -> None:
    assert CLAIM_NAMES[family] == tuple(claims_of(family))


@pytest.mark.parametrize("text", ["", "x = (\n", "\0", "# -*- coding: none -*-\n"])
def test_a_file_that_is_no_program_is_refused_without_a_solver(text: str, tmp_path: Path) -> None:
    path = tmp_path / "change.py"
    path.write_text(text)
    status, names = imported("check", str(path))
    assert status == 2
    assert names & {*HEAVY, "spec"} == set()
    # In another format it has a result, which holds a verdict.
    status, names = imported("check", str(path), "--format", "json")
    assert status == 2
    assert names & {*HEAVY, *UNUSED} == set()


def test_a_check_imports_what_it_needs() -> None:
    """See that the tests above would notice."""
    status, names = imported("check", "--only", "a_refused_query_charges_nothing")
    assert status == 0
    assert {"z3", "cvc5", "properties", "proofs"} <= names


def test_a_check_leaves_algebra_and_schemas_to_those_who_ask_them() -> None:
    """See that the first verdict does not wait for what few proofs, and no check of a change, need.

    A child that needs algebra imports it for itself.
    """
    for claim in ("a_refused_query_charges_nothing", "group_privacy"):
        status, names = imported("check", "--only", claim)
        assert status == 0
        assert names & {"sympy", "jsonschema"} == set()


FIRST_LINE = """
import sys
import sandproof
from sandproof import case
begun_again = []
start_again = case.Case._start_again
def counted(self, job):
    begun_again.append(job)
    start_again(self, job)
case.Case._start_again = counted
names = set()
def refuted(_):
    names.update(sys.modules)
    raise KeyboardInterrupt
(result,) = sandproof.check_all([sys.argv[1]], refuted=refuted, jobs=1, cache=False)
names = names or set(sys.modules)
print(result.headline, len(begun_again), *sorted(names), sep="\\n")
"""

CHARGES_REAL_REPORTS = """
from spec import PAPER, replace
{more}
def charge(at, spent, report):
    {used}
    return spent if report.is_null else PAPER.charge(at, spent, report)
RULES = replace(PAPER, charge=charge)
"""


def first_line(path: Path) -> tuple[str, int, set[str]]:
    """Check until it is said that a proposal is refuted.

    Return the headline then, how many tasks were begun again, and what was imported by then.
    """
    command = [sys.executable, "-c", FIRST_LINE, str(path)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    headline, again, *names = run.stdout.splitlines()
    return headline, int(again), set(names)


def test_what_is_refuted_is_said_before_proofs_and_machines_are_imported(tmp_path: Path) -> None:
    path = tmp_path / "change.py"
    path.write_text(CHARGES_REAL_REPORTS.format(more="", used="pass"))
    headline, again, names = first_line(path)
    assert headline.startswith("refuted: ")
    assert again == 0
    assert (
        names & {"hypothesis", "unittest.mock", "properties.machines", "spec.level1.claims"}
        == set()
    )
    assert not [name for name in names if name.startswith("proofs.") and "._" not in name]
    assert "properties.searches.directed_worlds" in names


@pytest.mark.parametrize(
    ("more", "used"), [("import spec.concentrated", "pass"), ("", "import spec.concentrated")]
)
def test_what_a_proposal_imports_of_the_specification_is_imported_before_it(
    more: str, used: str, tmp_path: Path
) -> None:
    """See that a task is begun again if its child imported what was not written down before."""
    path = tmp_path / "change.py"
    path.write_text(CHARGES_REAL_REPORTS.format(more=more, used=used))
    headline, again, names = first_line(path)
    assert headline.startswith("refuted: ")
    assert again == 1
    assert "spec.concentrated" in names


@pytest.mark.parametrize("name", ["spec.concentrated", "spec.noise"])
def test_what_a_proposal_imports_it_leaves_alone(name: str, tmp_path: Path) -> None:
    path = tmp_path / "change.py"
    more = f"import {name}\n{name}.added = 1"
    path.write_text(CHARGES_REAL_REPORTS.format(more=more, used="pass"))
    headline, _, _ = first_line(path)
    assert headline.startswith("bad input: ")
    assert f"it changes {name}.added" in headline


def test_a_family_is_known_by_its_rules_wherever_they_are_written(tmp_path: Path) -> None:
    """See that a proposal is of the second family though its own text does not tell."""
    own = (ROOT / "proposals" / "w3c" / "noise_of_half_the_width.py").read_text()
    (tmp_path / "sandproof_test_beside.py").write_text(own)
    path = tmp_path / "change.py"
    path.write_text("from sandproof_test_beside import RULES\n")
    headline, again, names = first_line(path)
    assert headline.startswith("refuted: ")
    assert again == 1
    assert "spec.level1.claims" in names


def test_nothing_looks_for_garbage_while_there_is_none() -> None:
    assert gc.isenabled()
    with collecting_no_garbage():
        assert not gc.isenabled()
        with collecting_no_garbage():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()
