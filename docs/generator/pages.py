"""Write the generated pages before Sphinx reads its sources."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from docs.generator import catalogue, chapters, claims, paper, reference
from docs.generator.evidence import results
from docs.generator.names import ROOT, BrokenLink, faults

if TYPE_CHECKING:
    from sphinx.application import Sphinx

Pages = dict[str, str]


def generate(app: Sphinx) -> None:
    """Check every link, run the checks, and write the pages."""
    broken = faults()
    if broken:
        raise BrokenLink("\n".join(broken))
    chosen = proposals(app.config.catalogue_only)
    own, *proposed = results([None, *chosen])
    cited = paper.Citations()
    pages: Pages = {}
    pages |= chapters.pages(cited)
    pages |= claims.pages(own, cited)
    pages |= catalogue.pages(proposed)
    pages |= reference.pages()
    pages |= paper.pages(cited)
    write(Path(app.srcdir) / "_generated", pages)


def proposals(only: str) -> list[Path]:
    """Return the proposals of the catalogue: all, or those that are asked for by name."""
    found = sorted(path for path in (ROOT / "proposals").glob("*.py") if path.stem[0] != "_")
    names = {name for name in only.split(",") if name}
    missing = names - {path.stem for path in found}
    if missing:
        raise BrokenLink(f"there is no proposal {', '.join(sorted(missing))}")
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
