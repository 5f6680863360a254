"""Verdicts for the site, from running the checks; kept until a source changes."""

from __future__ import annotations

import hashlib
import os
import pickle
from collections.abc import Sequence
from contextlib import chdir
from pathlib import Path

from sphinx.errors import ExtensionError

from docs.generator.names import ROOT
from sandproof.about import Request
from sandproof.jobs import Options
from sandproof.result import Result
from sandproof.verdict import run

KEPT = ROOT / "docs" / "_build" / ".evidence"
SOURCES = ("spec", "proofs", "properties", "sandproof")
EFFORT = "quick"


def fingerprint() -> str:
    """Return a hash of every source that a verdict depends on."""
    digest = hashlib.sha256(EFFORT.encode() + (ROOT / "constraints.txt").read_bytes())
    for package in SOURCES:
        for path in sorted((ROOT / package).rglob("*.py")):
            digest.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def results(paths: Sequence[Path | None]) -> list[Result]:
    """Check the paper's own rules (None) and proposals; take over what has been found before."""
    sources = fingerprint()
    places = {path: KEPT / key(sources, path) for path in paths}
    missing = [path for path, place in places.items() if not place.exists()]
    requests = [Request(path=path and path.relative_to(ROOT)) for path in missing]
    KEPT.mkdir(parents=True, exist_ok=True)
    with chdir(ROOT):
        found = run(requests, Options(effort=EFFORT, jobs=2))
        for path, result in zip(missing, found, strict=True):
            if result.interrupted:
                raise KeyboardInterrupt
            if result.bad_input:
                raise ExtensionError(result.bad_input)
            keep(places[path], result)
    return [pickle.loads(place.read_bytes()) for place in places.values()]


def keep(place: Path, result: Result) -> None:
    """Keep a result; another build may read it at the same time."""
    part = place.with_suffix(f".{os.getpid()}")
    part.write_bytes(pickle.dumps(result))
    part.replace(place)


def key(sources: str, path: Path | None) -> str:
    """Return the name of the file that keeps a result."""
    own = b"" if path is None else path.read_bytes()
    name = "paper" if path is None else path.stem
    return f"{name}-{hashlib.sha256(sources.encode() + own).hexdigest()[:20]}.pickle"
