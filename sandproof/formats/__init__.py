"""The formats of results, all from the same object."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from shutil import get_terminal_size

from sandproof.formats.data import VERDICTS
from sandproof.formats.text import WIDTH, as_text
from sandproof.problems import BadInput
from sandproof.result import BAD_INPUT, Result

WIDEST = 100
"""The most columns of text that are used."""


def tally(results: Sequence[Result]) -> str:
    """Count the verdicts of several proposals in one line."""
    counts = Counter(
        "bad input" if result.exit_status == BAD_INPUT else result.verdict.value
        for result in results
    )
    words = (*(verdict.value for verdict in VERDICTS), "bad input")
    told = ", ".join(f"{counts[verdict]} {verdict}" for verdict in words if counts[verdict])
    return f"{len(results)} proposals: {told}"


def in_colour() -> bool:
    """Tell whether to colour: on a terminal, or if FORCE_COLOR is set, unless NO_COLOR is."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or sys.stdout.isatty()


def width() -> int:
    """Return how wide the terminal is, up to what reads well; elsewhere it is as if 80 columns."""
    return min(get_terminal_size().columns, WIDEST) if sys.stdout.isatty() else WIDTH


def print_text(result: Result, first: bool, verbose: bool = False) -> None:
    """Print a result as text; input that cannot be used is one line on standard error."""
    if result.bad_input:
        print(f"sandproof: {result.bad_input}", file=sys.stderr)
        return
    text = as_text(result, in_colour(), width(), verbose, sys.stdout.isatty())
    print(("" if first else "\n") + text, flush=True)


def as_texts(results: Sequence[Result]) -> str:
    """Return results as plain text."""
    return "\n\n".join(as_text(result) for result in results)


RENDERERS = {
    "json": "data",
    "markdown": "markdown",
    "html": "page",
    "junit": "junit",
    "sarif": "sarif",
}
"""The module of every format but text; it is imported when the format is wanted."""


def render(name: str, results: Sequence[Result]) -> str:
    """Return results in a format."""
    if name == "text":
        return as_texts(results)
    module = import_module(f"sandproof.formats.{RENDERERS[name]}")
    rendered: str = getattr(module, f"as_{name}")(results)
    return rendered


def check_writable(*outputs: Path | None) -> None:
    """Refuse files that cannot be written, before there is anything to write."""
    for output in filter(None, outputs):
        try:
            there = output.exists()
            if there and not output.is_file() and not output.is_dir():
                continue
            with output.open("a", encoding="utf-8"):
                pass
            if not there:
                output.unlink()
        except OSError as error:
            raise unwritable(output, error) from None


def unwritable(output: Path, error: OSError) -> BadInput:
    """Say why a file cannot be written."""
    return BadInput(f"{output}: {(error.strerror or str(error)).lower()}")


def write(text: str, output: Path | None) -> None:
    """Write a text to a file, or to standard output."""
    if output is None:
        print(text)
        return
    try:
        output.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise unwritable(output, error) from None
