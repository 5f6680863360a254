"""No unsound file of the corpus is proved, and no sound one is refuted: the command decides.

`make corpus` runs this, which takes long; `make test` asks the proofs and the searches alone.
The exit statuses of `sandproof check` are 0 proved, 1 refuted, 2 bad input, 3 not proved.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.corpus import HERE, Entry, entries

PROVED, REFUTED, BAD_INPUT, NOT_PROVED = range(4)
MAY_END_WITH = {
    "refuted": {REFUTED, NOT_PROVED},
    "bad input": {BAD_INPUT},
    "unknown": {NOT_PROVED},
    "proved": {PROVED},
    "not refuted": {PROVED, NOT_PROVED},
}
"""At quick effort a refuted file may be left open; at standard effort it may not."""


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.name)
def test_a_quick_check_says_nothing_false(entry: Entry) -> None:
    found = checked(entry.path)
    assert found.returncode in MAY_END_WITH[entry.status], found.stdout[-2000:] + found.stderr


@pytest.mark.parametrize("path", sorted((HERE / "unsound_w3c").glob("*.py")), ids=lambda x: x.stem)
def test_a_quick_check_of_level_1_says_nothing_false(path: Path) -> None:
    found = checked(path)
    assert found.returncode in MAY_END_WITH["refuted"], found.stdout[-2000:] + found.stderr
    assert "\nsearched: " not in found.stdout


def checked(path: Path) -> subprocess.CompletedProcess[str]:
    """Check a file at quick effort."""
    return subprocess.run(
        [sys.executable, "-m", "sandproof.main", "check", str(path), "--effort", "quick"],
        cwd=HERE.parent,
        capture_output=True,
        text=True,
        check=False,
    )
