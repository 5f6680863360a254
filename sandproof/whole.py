"""Whole results that are kept: an unchanged proposal is answered without being loaded or run.

What a result depends on is read off the proposal's files: its own, and those that they import from
beside it. A result is kept under a digest of these files, of the question, and, like everything in
the store, of this project. One is kept only if it would be the same the next time, and if the files
are all that the proposal brought when it was run, and still the same. A proposal of which this
cannot be told by reading has no whole result; what its checks found is kept nevertheless.
"""

from __future__ import annotations

import ast
import hashlib
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.machinery import PathFinder
from pathlib import Path
from typing import TYPE_CHECKING

from sandproof.outside import CALCULATES, is_installed
from sandproof.problems import LARGEST
from sandproof.store import Store

if TYPE_CHECKING:
    from sandproof.about import Request
    from sandproof.jobs import Options
    from sandproof.result import Result

STORED = "this result comes from the store; --no-cache asks again"


@dataclass(frozen=True, slots=True)
class Question:
    """Hold a digest of what is asked, and the places of the files that it is asked of."""

    digest: str
    files: frozenset[str]


def question_of(request: Request, options: Options) -> Question | None:
    """Return what is asked, or nothing if its whole result cannot be kept."""
    if options.store is None:
        return None
    with suppress(OSError, SyntaxError, ValueError, MemoryError, RecursionError):
        files = {} if request.path is None else files_read(request.path)
        if files is not None:
            asked = (request, options.effort, options.seed, options.only, sorted(files.items()))
            digest = hashlib.sha256(f"whole result of {asked!r}".encode()).hexdigest()
            return Question(digest, frozenset(files))
    return None


def known_result(question: Question | None, options: Options) -> Result | None:
    """Return the result of an earlier check that asked the same of the same files."""
    started = time.monotonic()
    result = None if question is None else Store(options.store).get_result(question.digest)
    if result is None:
        return None
    return replace(result, notes=(STORED,), seconds=time.monotonic() - started)


def keep(result: Result, before: Question | None, after: Question | None, options: Options) -> None:
    """Keep a result, if its question is after the check what it was before."""
    if before is not None and before == after:
        brought = {str(file.resolve()) for file in result.files}
        if brought <= before.files:
            Store(options.store).put_result(before.digest, replace(result, notes=()))


def files_read(path: Path) -> Mapping[str, str] | None:
    """Return the digests of a proposal's files by their places, its own and all that they import.

    Return nothing if one of them imports what is neither part of Python or of this project, to
    calculate with, nor a single file: then it takes running it to know what it brings.
    """
    PathFinder.invalidate_caches()
    places = [*sys.path, str(path.resolve().parent)]
    found: dict[str, str] = {}
    waiting = [path.resolve()]
    while waiting:
        file = waiting.pop()
        if str(file) in found:
            continue
        if not file.is_file() or file.stat().st_size > LARGEST:
            return None
        source = file.read_bytes()
        found[str(file)] = hashlib.sha256(source).hexdigest()
        for name in imported(source):
            place = PathFinder.find_spec(name, places) if name else None
            origin = Path(place.origin) if place is not None and place.origin else None
            if origin is None or is_installed(origin):
                if name not in CALCULATES:
                    return None
            elif origin.suffix != ".py" or origin.name == "__init__.py":
                return None
            else:
                waiting.append(origin.resolve())
    return found


def imported(source: bytes) -> set[str]:
    """Name the modules that a file imports, wherever in it; that of a relative import is empty."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names.add("" if node.level else (node.module or "").partition(".")[0])
    return names
