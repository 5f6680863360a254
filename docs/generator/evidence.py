"""Verdicts for the site, from running the checks or from the store of what they found before."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import chdir
from pathlib import Path

from sphinx.errors import ExtensionError

from docs.generator.names import ROOT
from sandproof.about import Request
from sandproof.jobs import Options
from sandproof.result import Result
from sandproof.store import users_store
from sandproof.verdict import run

EFFORT = "quick"


def results(paths: Sequence[Path | None]) -> list[Result]:
    """Check the paper's own rules (None) and proposals."""
    requests = [Request(path=path and path.relative_to(ROOT)) for path in paths]
    found = []
    with chdir(ROOT):
        for result in run(requests, Options(effort=EFFORT, jobs=2, store=users_store())):
            if result.interrupted:
                raise KeyboardInterrupt
            if result.bad_input:
                raise ExtensionError(result.bad_input)
            found.append(result)
            told = f"{result.about.name}: {result.verdict.value}, {result.seconds:.0f} s"
            print(f"[{len(found)}/{len(requests)}] {told}", file=sys.stderr, flush=True)
    return found
