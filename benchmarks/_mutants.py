"""Mutants of the specification: how many end `sandproof check` with a status that is not zero.

A mutant changes one place of a function of `spec/`: a comparison, a sum, a number, a condition, or
a field that is no longer replaced. A sample is drawn with a seed. Each mutant is checked in a copy
of the project, at quick effort, until it is certain that the check fails (`_until_certain.py`); one
that does not fail there is put to the command itself. One that survives is run through the tests of
its module. Survivors are listed with file and line, but for those that `equivalent_mutants.txt`
lists: they change nothing that anybody could observe, for the reason that stands there.

    python -m benchmarks._mutants --seed 1 --count 20
    python -m benchmarks._mutants --at spec/noise.py:171 --at spec/rules.py:84
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sandproof.result import NOT_PROVED

ROOT = Path(__file__).parent.parent
COPIED = ("spec", "proofs", "properties", "sandproof", "proposals", "tests", "stubs", "benchmarks")
EQUIVALENT = Path(__file__).with_name("equivalent_mutants.txt")
TESTS_OF = {
    "aggregation_service": "service totals",
    "contributions": "admitted attribution_client aggregation_client",
    "expiration": "individual_privacy",
    "interaction": "individual_privacy summary_mechanism",
    "lemmas": "noise",
    "private_aggregation_client": "aggregation_client",
    "reports": "service bad_input",
    "rules": "bad_input surface",
    "universe": "bad_input relations_and_universes",
}
"""The tests of modules that have none with their name; those of relations are in one file."""

COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """Hold one change of one place: from `start` to `end` on a line of a file."""

    file: str
    function: str
    line: int
    start: int
    end: int
    new: str
    text: str

    @property
    def change(self) -> str:
        """Write the line before and after."""
        after = self.text[: self.start] + self.new + self.text[self.end :]
        return f"{self.text.strip()}  ->  {after.strip()}"

    @property
    def name(self) -> str:
        """Return how a list of equivalent mutants calls it."""
        return f"{self.file}: {self.function}: {self.change}"


def all_mutants() -> list[Mutant]:
    """List every mutant of the paper's family."""
    paths = sorted((ROOT / "spec").glob("*.py")) + sorted((ROOT / "spec/neighbours").glob("*.py"))
    left_out = ("__init__.py", "claims.py", "verdicts.py")
    return [each for path in paths if path.name not in left_out for each in mutants_of(path)]


def mutants_of(path: Path) -> Iterator[Mutant]:
    """List the mutants of a file."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    for function in ast.walk(ast.parse(text)):
        if not isinstance(function, ast.FunctionDef):
            continue
        for node in observable(function):
            for line, start, end, new in changes(node, lines):
                yield Mutant(
                    file=str(path.relative_to(ROOT)),
                    function=function.name,
                    line=line,
                    start=start,
                    end=end,
                    new=new,
                    text=lines[line - 1],
                )


def observable(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """List the nodes of a function, but for messages of errors and inner functions."""
    pending: list[ast.AST] = list(function.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Raise | ast.FunctionDef | ast.JoinedStr):
            continue
        yield node
        pending += ast.iter_child_nodes(node)


def changes(node: ast.AST, lines: list[str]) -> Iterator[tuple[int, int, int, str]]:
    """List what can be put in the place of a node or of its operator."""
    if not hasattr(node, "lineno") or node.lineno != node.end_lineno:
        return
    line, text = node.lineno, lines[node.lineno - 1]
    if not text.isascii():
        return

    def between(first: ast.expr, second: ast.expr) -> tuple[int, int, str]:
        start, end = first.end_col_offset or 0, second.col_offset
        written = text[start:end]
        operator = written.strip(" ()")
        begin = start + written.index(operator) if operator else start
        return begin, begin + len(operator), operator

    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        start, end, operator = between(node.left, node.comparators[0])
        if operator in COMPARISONS:
            yield line, start, end, COMPARISONS[operator]
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        start, end, operator = between(node.left, node.right)
        yield line, start, end, "-" if operator == "+" else "+"
    elif isinstance(node, ast.BoolOp):
        start, end, operator = between(node.values[0], node.values[1])
        yield line, start, end, "or" if operator == "and" else "and"
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        yield line, node.col_offset, node.end_col_offset or 0, str(node.value + 1)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield line, node.col_offset, node.col_offset + len("not "), ""
    elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "replace":
        ends = [each.end_col_offset or 0 for each in (*node.args, *node.keywords)]
        for place, keyword in enumerate(node.keywords, start=len(node.args)):
            yield line, ends[place - 1], keyword.end_col_offset or 0, ""


def tried(mutant: Mutant, seconds: int) -> str:
    """Say what ends a mutant: the status of a check, or the tests of its module, or nothing."""
    with tempfile.TemporaryDirectory() as folder:
        for name in COPIED:
            shutil.copytree(ROOT / name, Path(folder, name))
        shutil.copy(ROOT / "pyproject.toml", folder)
        path = Path(folder, mutant.file)
        lines = path.read_text(encoding="utf-8").splitlines()
        old = lines[mutant.line - 1]
        lines[mutant.line - 1] = old[: mutant.start] + mutant.new + old[mutant.end :]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        if ended(folder, ("-m", "benchmarks._until_certain"), seconds) == NOT_PROVED:
            return f"status {NOT_PROVED}, or worse"
        command = ("-m", "sandproof.main", "check", "--effort", "quick", "--no-cache")
        status = ended(folder, command, seconds)
        if status != 0:
            return f"status {status}"
        tests = ("-m", "pytest", "-q", "-x", "-n", "0", *covering(path))
        return "tests" if ended(folder, tests, seconds) != 0 else "survived"


def covering(path: Path) -> list[str]:
    """Return the files that test a module."""
    folder = "neighbours" if path.parent.name == "neighbours" else path.stem
    return [f"tests/test_{name}.py" for name in TESTS_OF.get(folder, folder).split()]


def ended(folder: str, arguments: tuple[str, ...], seconds: int) -> int | str:
    """Run Python in a copy of the project; return its status."""
    try:
        return subprocess.run(
            (sys.executable, *arguments),
            cwd=folder,
            env={**os.environ, "PYTHONPATH": folder},
            capture_output=True,
            timeout=seconds,
            check=False,
        ).returncode
    except subprocess.TimeoutExpired:
        return "time-out"


def equivalents() -> dict[str, str]:
    """Return the mutants that change nothing that is observed, with the reason of each."""
    lines = EQUIVALENT.read_text(encoding="utf-8").splitlines()
    parts = (line.partition("  # ") for line in lines if line.strip())
    return {name: reason for name, _, reason in parts}


def main() -> None:
    """Draw mutants, try each, and print what became of them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--at", action="append", metavar="FILE:LINE", help="try these")
    parser.add_argument("--timeout", type=int, default=900, metavar="SECONDS")
    parser.add_argument("--list", action="store_true", help="print the mutants, and try none")
    given = parser.parse_args()
    everything, known = all_mutants(), equivalents()
    drawn = random.Random(given.seed).sample(everything, min(given.count, len(everything)))
    if given.at:
        drawn = [each for each in everything if f"{each.file}:{each.line}" in given.at]
    found: list[str] = []
    for mutant in drawn:
        if given.list:
            print(f"{mutant.file}:{mutant.line}: {mutant.change}")
            continue
        outcome = "equivalent" if mutant.name in known else tried(mutant, given.timeout)
        found.append(outcome.split()[0])
        print(f"{outcome:18} {mutant.file}:{mutant.line}: {mutant.change}", flush=True)
    counted = len(found) - found.count("equivalent")
    if counted:
        by_status = found.count("status")
        print(f"{counted} mutants: {by_status} by status, {found.count('tests')} by tests alone")


if __name__ == "__main__":
    main()
