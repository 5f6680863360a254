"""The corpus: changes with their truth, one file for every escape or false alarm ever found.

A file of tests/unsound breaks a guarantee, one of tests/sound keeps them all. Its docstring ends
with two entries, `Truth: refuted: why` or `Truth: proved: why`, and `Status:`, what a check of the
file must end with: `refuted`, `bad input` where it edits the specification, `unknown` where it
reads a clock, the environment or chance of its own, writes on what it is given, raises, or breaks
where no search comes to, and for a sound one `proved`, or `not refuted` where there is no proof of
it yet.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
FOLDERS = ("unsound", "sound")
STATUSES = {"refuted": ("refuted", "bad input", "unknown"), "proved": ("proved", "not refuted")}
GRAMMAR = re.compile(
    r"\A(?P<title>[^\n]+\.)\n\n(?:.+\n\n)?"
    r"Truth: (?P<truth>\w+): (?P<why>.+\.)\nStatus: (?P<status>[^\n]+)\n\Z",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Hold a file of the corpus with what its docstring says."""

    path: Path
    title: str
    truth: str
    why: str
    status: str

    @property
    def name(self) -> str:
        """Return the folder and the file's name."""
        return f"{self.path.parent.name}/{self.path.stem}"


def entries() -> list[Entry]:
    """Return every file of the corpus."""
    return [read(path) for folder in FOLDERS for path in sorted((HERE / folder).glob("*.py"))]


def read(path: Path) -> Entry:
    """Return what a file says of itself; a docstring outside the grammar is an error."""
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")), clean=False) or ""
    found = GRAMMAR.match(docstring)
    if found is None:
        raise ValueError(f"{path}: the docstring does not say Truth and Status in their places")
    return Entry(
        path=path, **{name: " ".join(text.split()) for name, text in found.groupdict().items()}
    )
