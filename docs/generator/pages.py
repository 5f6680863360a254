"""Write the generated pages before Sphinx reads its sources."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from sphinx.errors import ExtensionError

from docs.generator import algorithms, catalogue, chapters, claims, explorer, paper, reference
from docs.generator.evidence import results
from docs.generator.names import ROOT
from sandproof.result import Result

if TYPE_CHECKING:
    from sphinx.application import Sphinx

Pages = dict[str, str]


def generate(app: Sphinx) -> None:
    """Run the checks and write the pages."""
    chosen = proposals(app.config.catalogue_only)
    own, *proposed = results([None, *chosen])
    cited = paper.Citations()
    pages: Pages = {}
    pages |= chapters.pages(cited)
    pages |= claims.pages(own, cited)
    pages |= catalogue.pages(proposed)
    pages |= algorithms.pages()
    pages |= explorer.pages()
    pages |= reference.pages()
    pages |= paper.pages(cited)
    pages["status.txt"] = status(own, proposed)
    write(Path(app.srcdir) / "_generated", pages)


def status(own: Result, proposed: list[Result]) -> str:
    """Return what was found when the site was built, for the first page."""
    claims = Counter(row.verdict.value for row in own.claims)
    changes = Counter(result.verdict for result in proposed)
    lines = ["| checked by this build | found |", "| --- | --- |"]
    for counted, words in (
        (claims, f"[{len(own.claims)} claims](/_generated/theorems/index.md), the paper's rules"),
        (changes, f"[{len(proposed)} proposed changes](/_generated/catalogue/index.md)"),
    ):
        told = ", ".join(f"{count} {word}" for word, count in counted.items())
        lines.append(f"| {words} | {told} |")
    return "\n".join([*lines, ""])


def proposals(only: str) -> list[Path]:
    """Return the proposals of the catalogue: all, or those that are asked for by name."""
    found = sorted(path for path in (ROOT / "proposals").glob("*.py") if path.stem[0] != "_")
    names = {name for name in only.split(",") if name}
    missing = names - {path.stem for path in found}
    if missing:
        raise ExtensionError(f"there is no proposal {', '.join(sorted(missing))}")
    return [path for path in found if not names or path.stem in names]


def write(directory: Path, pages: Pages) -> None:
    """Write what changed and remove what is no longer there."""
    directory.mkdir(exist_ok=True)
    for path in directory.rglob("*.md"):
        if str(path.relative_to(directory)) not in pages:
            path.unlink()
    for name, text in pages.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    for path in sorted(directory.rglob("*"), reverse=True):
        if path.is_dir() and not any(path.iterdir()):
            shutil.rmtree(path)
