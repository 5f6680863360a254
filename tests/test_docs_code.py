"""The code on hand-written pages runs, and what the pages link to exists; without building."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

from docs.generator import algorithms, chapters, reference
from docs.generator.names import found, label
from docs.generator.paper import Citations
from sandproof.families.paper_surface import surface
from spec.claims import CLAIMS

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGES = sorted(
    path for path in DOCS.rglob("*.md") if "_" not in path.relative_to(DOCS).parts[0][:1]
)
RUN = re.compile(r"^```\{run\}\n(.*?)^```", re.MULTILINE | re.DOTALL)
RUNNING = [path for path in PAGES if RUN.search(path.read_text(encoding="utf-8"))]
DEVIATES = re.compile(r"\b([AB]\d+)\b")


def printed(path: Path) -> str:
    space: dict[str, object] = {"__name__": path.stem}
    told = io.StringIO()
    with contextlib.redirect_stdout(told):
        for code in RUN.findall(path.read_text(encoding="utf-8")):
            exec(compile(code, str(path), "exec", dont_inherit=True), space)
    return told.getvalue()


@pytest.mark.parametrize("path", RUNNING, ids=lambda path: path.stem)
def test_the_code_of_a_page_runs_and_prints(path: Path) -> None:
    assert printed(path)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_what_a_page_links_to_exists(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert [name for name in re.findall(r"\{chapter\}`([\w.]+)`", text) if not found(name)] == []
    assert [name for name in re.findall(r"\{claim\}`(\w+)`", text) if name not in CLAIMS] == []


def test_every_declared_difference_has_a_page() -> None:
    declared: set[str] = set()
    for path in (DOCS.parent / "spec").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for said in re.findall(r"Deviates: (.*?)\n *Paper:", text, re.DOTALL):
            declared |= set(DEVIATES.findall(said))
    assert len(declared) > 15
    pages = {path.stem.upper() for path in (DOCS / "differences").glob("[ab]*.md")}
    assert declared - pages == set()


def test_registering_again_would_double_the_budget() -> None:
    assert "{1: 131072}" in printed(DOCS / "differences" / "b18.md")


def test_key_discovery_is_what_lists_no_keys() -> None:
    told = printed(DOCS / "differences" / "b19.md").splitlines()
    assert ["True" in line for line in told] == [True, False]


def test_every_module_and_object_has_one_place_on_the_site() -> None:
    pages = chapters.pages(Citations())
    placed = [each for text in pages.values() for each in re.findall(r"^\(([\w-]+)\)=", text, re.M)]
    assert sorted(set(placed)) == sorted(placed)
    linked = {name for claim in CLAIMS.values() for name in claim.subjects}
    for path in PAGES:
        linked |= set(re.findall(r"\{chapter\}`([\w.]+)`", path.read_text(encoding="utf-8")))
    assert {name for name in linked if label(name) not in placed} == set()
    assert "spec/neighbours_never_matches.md" in pages


def test_the_list_of_rules_shows_what_each_decides() -> None:
    text = reference.rules()
    placed = "".join(chapters.pages(Citations()).values())
    for rule in surface():
        assert f"| `{rule.call}` |" in text
    for target in re.findall(r"<(spec-[\w-]+)>", text):
        assert f"({target})=" in placed, target


def test_the_algorithms_stand_beside_the_pseudocode() -> None:
    assert [each.number for each in algorithms.ALGORITHMS] == [1, 2, 3, 4, 6, 8, 9]
    (text,) = algorithms.pages().values()
    placed = "".join(chapters.pages(Citations()).values())
    for target in re.findall(r"<(spec-[\w-]+)>", text):
        assert f"({target})=" in placed, target
    for each in algorithms.ALGORITHMS:
        for name in algorithms.taken_by(each):
            lines = algorithms.code(name)
            assert lines[0].startswith(("def ", "@")), name
            assert not any('"""' in line for line in lines), name
