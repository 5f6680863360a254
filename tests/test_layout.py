"""The layout of the project: import direction, citations, exact numbers, plain constraints.

Each rule is a function from source text to complaints. It is run on every file it is about, and on
a snippet that breaks it.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

MAY_IMPORT = {
    "spec": {"spec"},
    "proofs": {"spec", "proofs"},
    "properties": {"spec", "proofs", "properties"},
    "sandproof": {"spec", "proofs", "properties", "sandproof"},
    "proposals": {"spec"},
    "tests": {
        *("spec", "proofs", "properties", "sandproof", "proposals"),
        *("benchmarks", "docs", "tests"),
    },
}
OURS = {*MAY_IMPORT, "benchmarks", "docs"}

SECTIONS = {"1", "1.1", "2", "2.1", "2.2", "3", "3.1", "4", "4.1", "4.2", "4.3", "4.4", "5", "6"}
PLACES = {
    "Sec.": SECTIONS,
    "Alg.": {str(number) for number in range(1, 10)},
    "Def.": {"3.1", "3.2", "3.4", "3.5", "3.6", "4.1", "4.8", "4.10", "B.1"},
    "Thm.": {"4.2", "4.3", "4.5", "5.1"},
    "Lem.": {"4.9", "4.11", "A.1", "B.2"},
    "Fact": {"3.3", "4.7", "5.2"},
    "Cor.": {"4.4", "4.6", "5.3"},
    "Remark": {"2.1", "2.2", "2.3", "3.7"},
    "App.": {"A", "B"},
    "Fn.": {str(number) for number in range(1, 11)},
}
PLACE = re.compile(r"(?P<kind>[A-Z][a-z]+\.?) (?P<number>[\w.]+?)(, lines? \d+(-\d+)?)?")
NOWHERE = re.compile(r"none \([^()]+\)")
DEVIATION = re.compile(r"Deviates: [A-E]\d+ .+[.]", re.DOTALL)

LONGEST_SPECIFICATION = 5500
LONGEST_MODULE = 400
LONGEST_BODY = 25
LONGEST_FILE = {"properties": 450, "sandproof": 400}
STILL_LONG: set[str] = set()

EXACT_MATHS = {"ceil", "comb", "factorial", "floor", "gcd", "isqrt", "lcm", "perm", "prod"}
INEXACT_MODULES = {"cmath", "decimal", "numpy", "scipy", "statistics"}
CLOCKS = {"time", "monotonic", "perf_counter", "process_time", "thread_time"}

MACHINE_PATH = re.compile(r"(?<![\w.])/(?:opt|root|home|Users|usr/local|work)/\w")
PINNED = re.compile(r"[A-Za-z0-9._-]+==[A-Za-z0-9.!+]+")


def sources(*packages: str) -> list[Path]:
    return [path for package in packages for path in sorted((ROOT / package).rglob("*.py"))]


def named(paths: list[Path]) -> dict[str, Path]:
    return {str(path.relative_to(ROOT)): path for path in paths}


def imported(tree: ast.AST) -> Iterator[str]:
    """Yield every module that is imported, by statement or by a literal name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module or ""
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(
            ("import_module", "__import__")
        ):
            names = (part for part in node.args[:1] if isinstance(part, ast.Constant))
            yield from (str(name.value) for name in names)


def wrong_imports(package: str, source: str) -> list[str]:
    """Complain of imports against the direction spec, proofs and properties, sandproof, tests."""
    modules = {name.split(".")[0] for name in imported(ast.parse(source))}
    return sorted(modules & OURS - MAY_IMPORT[package])


def wrong_citation(docstring: str) -> str | None:
    """Complain if the docstring does not end in places of the paper that exist."""
    text = " ".join(docstring.split())
    _, found, cited = text.rpartition("Paper: ")
    if not found or not re.search(r"^ *Paper: ", docstring, re.MULTILINE):
        return "no line `Paper: ...` at the end"
    if not cited.endswith("."):
        return f"no full stop after {cited!r}"
    for item in cited[:-1].split("; "):
        place = PLACE.fullmatch(item)
        known = place is not None and place["number"] in PLACES.get(place["kind"], set())
        if not known and not (NOWHERE.fullmatch(item) and item == cited[:-1]):
            return f"no such place: {item!r}"
    before = text[: -len(found + cited)]
    if "Deviates:" in before and not DEVIATION.fullmatch(
        before[before.index("Deviates:") :].strip()
    ):
        return "`Deviates:` must name a reading note, say how, and stand right before `Paper:`"
    return None


def wrong_citations(source: str) -> list[str]:
    """Complain of a module without a citation, and of any citation that is wrong.

    What cites nothing comes from where its module comes from.
    """
    complaints = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef):
            docstring = ast.get_docstring(node) or ""
            cites = re.search(r"^ *(Paper|Deviates):", docstring, re.MULTILINE)
            if cites or isinstance(node, ast.Module):
                name = getattr(node, "name", "the module")
                problem = wrong_citation(docstring)
                complaints += [] if problem is None else [f"{name}: {problem}"]
    return complaints


def repeated_citations(source: str) -> list[str]:
    """Complain of a citation of nothing but what the module cites, without a difference."""
    tree = ast.parse(source)
    places = cited(ast.get_docstring(tree) or "")
    return [
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        and (own := cited(ast.get_docstring(node) or ""))
        and own <= places
        and "Deviates:" not in (ast.get_docstring(node) or "")
    ]


def cited(docstring: str) -> set[str]:
    """Return the places that a docstring cites."""
    _, found, places = " ".join(docstring.split()).rpartition("Paper: ")
    return set(places.rstrip(".").split("; ")) if found else set()


def hard_to_read(source: str) -> list[str]:
    """Complain of a module or a body that is too long, and of errors that do not come last."""
    complaints = [] if len(source.splitlines()) <= LONGEST_MODULE else ["the module is too long"]
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            length = (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0
            complaints += [f"{node.name} is too long"] if length > LONGEST_BODY else []
    return complaints + errors_amidst(source)


def errors_amidst(source: str) -> list[str]:
    """Complain of errors before anything else: a chapter shows a module in its own order."""
    body = ast.parse(source).body
    kinds = [is_error(each) for each in body if isinstance(each, ast.FunctionDef | ast.ClassDef)]
    return [] if kinds == sorted(kinds) else ["errors come last"]


def is_error(node: ast.stmt) -> bool:
    """Tell whether a class is an error."""
    bases = node.bases if isinstance(node, ast.ClassDef) else []
    return any(isinstance(base, ast.Name) and base.id.endswith("Error") for base in bases)


def inexact(source: str) -> list[str]:
    """Complain of everything that makes a float."""
    return [
        f"line {getattr(node, 'lineno', 0)}: {ast.unparse(node)}"
        for node in ast.walk(ast.parse(source))
        if _makes_float(node)
    ]


def _makes_float(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, float | complex)
    if isinstance(node, ast.Name):
        return node.id in ("float", "complex")
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return _inexact_name(node.value.id, node.attr)
    if isinstance(node, ast.Import):
        return any(alias.name.split(".")[0] in INEXACT_MODULES for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        module = (node.module or "").split(".")[0]
        return module in INEXACT_MODULES or any(
            _inexact_name(module, alias.name) for alias in node.names
        )
    return False


def _inexact_name(module: str, name: str) -> bool:
    if module == "math":
        return name not in EXACT_MATHS
    return module == "time" and name in CLOCKS


def chance(source: str) -> list[str]:
    """Complain of modules that toss coins: entropy is passed in, and a rule returns a law."""
    return sorted({"random", "secrets", "uuid"} & set(imported(ast.parse(source))))


def bad_constraints(text: str) -> list[str]:
    """Complain of every line that is more than a name and a version."""
    return [line for line in text.splitlines() if line and not PINNED.fullmatch(line)]


def machine_paths(text: str) -> list[str]:
    """Complain of paths that exist on one machine only."""
    return [found.group() for found in MACHINE_PATH.finditer(text)]


def flagged(rule: Callable[[str], list[str]], files: list[Path]) -> dict[str, list[str]]:
    """Return, file by file, what a rule complains of."""
    assert files
    found = {name: rule(path.read_text(encoding="utf-8")) for name, path in named(files).items()}
    return {name: complaints for name, complaints in found.items() if complaints}


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_imports_point_one_way(package: str) -> None:
    assert flagged(partial(wrong_imports, package), sources(package)) == {}


def test_modules_of_spec_cite_the_paper() -> None:
    assert flagged(wrong_citations, sources("spec")) == {}


PAPERS = [path for path in sources("spec") if "level1" not in path.parts]


def test_a_citation_says_more_than_that_of_its_module() -> None:
    assert flagged(repeated_citations, PAPERS) == {}


def test_a_module_is_read_from_its_main_function_down_to_its_errors() -> None:
    assert flagged(hard_to_read, PAPERS) == {}


def test_errors_come_last_in_a_chapter() -> None:
    assert flagged(errors_amidst, sources("spec")) == {}


def test_the_specification_is_short() -> None:
    """Count every line, also blank ones and docstrings."""
    assert sum(len(path.read_text().splitlines()) for path in PAPERS) <= LONGEST_SPECIFICATION


def test_no_float_where_verdicts_are_made() -> None:
    assert flagged(inexact, sources("spec", "proofs", "properties")) == {}


def test_no_chance_in_what_a_proposal_may_import() -> None:
    assert flagged(chance, sources("spec", "proposals")) == {}


def test_constraints_name_versions_and_nothing_else() -> None:
    assert bad_constraints((ROOT / "constraints.txt").read_text()) == []


def test_every_dependency_is_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"].values()
    wanted = {*project["dependencies"], *(name for extra in extras for name in extra)}
    pins = (ROOT / "constraints.txt").read_text().lower().replace("_", "-").splitlines()
    pinned = {line.split("==")[0] for line in pins}
    assert {re.split(r"[\[<>=~!; ]", name)[0].lower() for name in wanted} - pinned == set()


def test_no_file_names_a_path_of_one_machine() -> None:
    texts = ("*.py", "*.pyi", "*.md", "*.toml", "*.txt", "*.json", "*.yml", "Makefile", ".ci/run")
    listed = subprocess.run(
        ["git", "ls-files", *texts], cwd=ROOT, capture_output=True, text=True, check=True
    )
    files = [ROOT / name for name in listed.stdout.split()]
    assert len(files) > 20
    found = {path.name: machine_paths(path.read_text()) for path in files if path.exists()}
    assert {name: paths for name, paths in found.items() if paths} == {}


def test_packages_are_listed_and_typed() -> None:
    setuptools = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    folders = {path.parent for path in sources("spec", "proofs", "properties", "sandproof")}
    packages = {".".join(folder.relative_to(ROOT).parts) for folder in folders}
    assert packages <= set(setuptools["packages"])
    for package in ("spec", "proofs", "properties", "sandproof"):
        assert (ROOT / package / "py.typed").exists()
        assert "py.typed" in setuptools["package-data"][package]


@pytest.mark.parametrize("package", LONGEST_FILE)
def test_a_file_is_read_in_one_sitting(package: str) -> None:
    texts = {name: path.read_text() for name, path in named(sources(package)).items()}
    longer = {x for x, text in texts.items() if len(text.splitlines()) > LONGEST_FILE[package]}
    assert longer == STILL_LONG


def test_the_way_to_a_verdict_fits_on_a_screen() -> None:
    assert len((ROOT / "sandproof" / "verdict.py").read_text().splitlines()) <= 70


def test_continuous_integration_runs_the_tests() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert "make test" in script.read_text()


def test_another_spec_is_named_and_refused(tmp_path: Path) -> None:
    (tmp_path / "spec").mkdir()
    (tmp_path / "spec" / "__init__.py").write_text("")
    program = (
        f"import sys; sys.path[:0] = [{str(tmp_path)!r}, {str(ROOT)!r}];"
        "from sandproof.main import main; sys.exit(main(['check']))"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert run.returncode == 2
    assert str(tmp_path / "spec") in run.stderr
    assert "Traceback" not in run.stderr


OPENED = '"""Open.\n\nPaper: Sec. 2.1; Alg. 1.\n"""\n\n\n'
CITED = 'def act() -> int:\n    """Act.\n\n    {}\n    """\n    return 1\n'

BROKEN: list[tuple[Callable[[str], list[str]], str]] = [
    (lambda text: wrong_imports("spec", text), "from proofs._proof import Proof"),
    (lambda text: wrong_imports("spec", text), "def f():\n    import properties.game"),
    (lambda text: wrong_imports("proofs", text), "import sandproof.main"),
    (lambda text: wrong_imports("proofs", text), "from properties import game"),
    (
        lambda text: wrong_imports("properties", text),
        'import importlib\n\nimportlib.import_module("sandproof.main")',
    ),
    (lambda text: wrong_imports("sandproof", text), "from tests import test_layout"),
    (lambda text: wrong_imports("proposals", text), "from sandproof import main"),
    (wrong_citations, "def act() -> int:\n    return 1"),
    (wrong_citations, '"""Open."""'),
    (repeated_citations, OPENED + CITED.format("Paper: Alg. 1.")),
    (hard_to_read, "x = 1\n" * (LONGEST_MODULE + 1)),
    (hard_to_read, "def act():\n" + "    x = 1\n" * (LONGEST_BODY + 1)),
    (errors_amidst, "class Bad(ValueError):\n    pass\n\n\nclass Good:\n    pass"),
    (hard_to_read, "class Bad(SpecError):\n    pass\n\n\ndef act():\n    pass"),
    (wrong_citations, CITED.format("Nothing is cited.")),
    (wrong_citations, CITED.format("Paper: Alg. 1")),
    (wrong_citations, CITED.format("Paper: Alg. 10.")),
    (wrong_citations, CITED.format("Paper: Theorem 4.2.")),
    (wrong_citations, CITED.format("Paper: Thm. 4.1.")),
    (wrong_citations, CITED.format("Paper: Alg. 1, Alg. 2.")),
    (wrong_citations, CITED.format("Paper: none.")),
    (wrong_citations, CITED.format("Paper: none ().")),
    (wrong_citations, CITED.format("Paper: Alg. 1; none (why).")),
    (wrong_citations, CITED.format("Paper: Alg. 1.\n\n    More text.")),
    (wrong_citations, CITED.format("See Paper: Alg. 1.")),
    (wrong_citations, CITED.format("Deviates: somehow.\n    Paper: Alg. 1.")),
    (wrong_citations, CITED.format("Deviates: B2\n    Paper: Alg. 1.")),
    (wrong_citations, '"""Open.\n\nPaper: Alg. 0.\n"""'),
    (inexact, "half = 0.5"),
    (inexact, "root = 2j"),
    (inexact, "half = float('0.5')"),
    (inexact, "def f(x: float) -> None: ..."),
    (inexact, "import math\nmath.log(2)"),
    (inexact, "from math import exp"),
    (inexact, "import math\nmath.inf"),
    (inexact, "import numpy as np"),
    (inexact, "from time import perf_counter"),
    (chance, "import secrets"),
    (chance, "def f():\n    from random import random"),
    (bad_constraints, "z3-solver>=4"),
    (bad_constraints, "--extra-index-url https://example.org/simple"),
    (bad_constraints, "z3-solver @ file:///wheels/z3.whl"),
    (bad_constraints, "z3-solver==4.0 --hash=sha256:0"),
    (machine_paths, "see /" + "home/someone"),
    (machine_paths, "'/" + "opt/wheels'"),
]


@pytest.mark.parametrize("place", range(len(BROKEN)))
def test_what_breaks_a_rule_is_flagged(place: int) -> None:
    rule, text = BROKEN[place]
    assert rule(text) != []


@pytest.mark.parametrize(
    "cited",
    [
        "Paper: Alg. 1, lines 5-9; Def. 4.10.",
        "Paper: Alg. 1, line 7.",
        "Paper: none (bad input).",
        "Paper: Sec. 2.1; App. A; Lem. A.1; Fn. 2; Remark 3.7; Fact 3.3; Cor. 5.3; Thm. 4.2.",
        "Paper: Sec. 2.1; Alg. 1;\n    Alg. 2.",
        "Deviates: B2 follows the\n    pseudocode.\n    Paper: Alg. 2.",
    ],
)
def test_a_citation_in_the_grammar_passes(cited: str) -> None:
    assert wrong_citations(OPENED + CITED.format(cited)) == []


def test_exact_arithmetic_passes() -> None:
    assert inexact("import math\nfrom time import perf_counter_ns\nmath.floor(7 // 2)") == []
