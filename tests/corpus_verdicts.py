"""No unsound file of the corpus is proved, and no sound one is refuted: the command decides.

The exit statuses of `sandproof check` are 0 proved, 1 refuted, 2 bad input, 3 not proved.
"""

from __future__ import annotations

import subprocess
import sys

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
    command = [sys.executable, "-m", "sandproof.main", "check", str(entry.path)]
    found = subprocess.run(
        [*command, "--effort", "quick"],
        cwd=HERE.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode in MAY_END_WITH[entry.status], found.stdout[-2000:] + found.stderr
