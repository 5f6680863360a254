"""Every file of the corpus says what is true of it, loads, and runs through the specification."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from spec import PAPER
from tests.corpus import HERE, STATUSES, Entry, entries, read
from tests.scripts import loaded, play_in_all_worlds

CORPUS = entries()
EDITING = [entry for entry in CORPUS if entry.status == "bad input"]
RUNNING = [entry for entry in CORPUS if entry.status != "bad input"]


def named(entry: Entry) -> str:
    return entry.name


def test_the_corpus_only_grows() -> None:
    assert sum(entry.truth == "refuted" for entry in CORPUS) >= 60
    assert sum(entry.truth == "proved" for entry in CORPUS) >= 40


@pytest.mark.parametrize("entry", CORPUS, ids=named)
def test_the_truth_agrees_with_the_folder_and_the_status(entry: Entry) -> None:
    assert entry.truth == {"unsound": "refuted", "sound": "proved"}[entry.path.parent.name]
    assert entry.status in STATUSES[entry.truth]


@pytest.mark.parametrize(
    "docstring",
    [
        "Title.\n\nTruth: refuted: why.\n",
        "Title.\n\nStatus: refuted\nTruth: refuted: why.\n",
        "Title.\n\nTruth: refuted\nStatus: refuted\n",
        "Truth: refuted: why.\nStatus: refuted\n",
    ],
)
def test_a_docstring_outside_the_grammar_is_noticed(tmp_path: Path, docstring: str) -> None:
    path = tmp_path / "file.py"
    path.write_text(f'"""{docstring}"""\n', encoding="utf-8")
    with pytest.raises(ValueError, match="Truth and Status"):
        read(path)


@pytest.mark.parametrize("entry", RUNNING, ids=named)
def test_a_file_changes_a_rule_and_runs_in_all_worlds(entry: Entry) -> None:
    module = loaded(entry.path)
    assert module.RULES != PAPER
    for seen in play_in_all_worlds(module):
        assert any(seen), "nothing is ever seen"


@pytest.mark.parametrize("entry", EDITING, ids=named)
def test_a_file_that_edits_the_specification_does(entry: Entry) -> None:
    code = f"""
from pathlib import Path
from spec import PAPER, SystemMechanism
from tests.scripts import SCRIPT, loaded, play
rule, code = PAPER.truth_probability, PAPER.admit.__code__
loaded(Path({str(entry.path)!r}))
print(PAPER.truth_probability is rule and PAPER.admit.__code__ is code)
play(SystemMechanism(rules=PAPER), SCRIPT)
"""
    found = subprocess.run(
        [sys.executable, "-c", code], cwd=HERE.parent, capture_output=True, text=True, check=True
    )
    assert found.stdout == "False\n"
