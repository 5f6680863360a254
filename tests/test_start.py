"""What needs no solver does not wait for one: counted in what is imported, not in seconds."""

from __future__ import annotations

import gc
import subprocess
import sys
from pathlib import Path

import pytest

from sandproof.main import COMMANDS
from sandproof.this_process import collecting_no_garbage

ROOT = Path(__file__).resolve().parent.parent
HEAVY = {"z3", "cvc5", "sympy", "hypothesis", "distributed", "opendp", "properties", "proofs"}
UNUSED = {"spec.level1", "sandproof.formats.junit", "sandproof.formats.page"}
"""What a result about the paper's rules does without."""

CALCULATE = {"claims", "controls", "new", "params", "simulate"}
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
    ],
)
def test_bad_input_is_refused_without_the_specification(arguments: list[str]) -> None:
    status, names = imported(*arguments)
    assert status == 2
    assert names & HEAVY == set()
    # To know whether there is a claim takes the tables of both families.
    assert "--only" in arguments or names & {"spec", "flint"} == set()


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


def test_nothing_looks_for_garbage_while_there_is_none() -> None:
    assert gc.isenabled()
    with collecting_no_garbage():
        assert not gc.isenabled()
        with collecting_no_garbage():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()
