"""Every proposal of the catalogue runs through the step, with everybody and without a unit."""

from __future__ import annotations

from pathlib import Path

import pytest

from spec import PAPER, Answer, SystemMechanism
from tests.scripts import SCRIPT, loaded, play, play_in_all_worlds

PROPOSALS = sorted((Path(__file__).parent.parent / "proposals").glob("*.py"))


def test_the_script_makes_every_kind_of_report() -> None:
    seen = [each for shown in play(SystemMechanism(rules=PAPER), SCRIPT) for each in shown]
    assert {1, 2, 3, 4, 11, 12, 13} <= {each for each in seen if isinstance(each, int)}
    assert sum(isinstance(each, Answer) for each in seen) == 3
    assert any(not isinstance(each, int | Answer) for each in seen)


@pytest.mark.parametrize("path", PROPOSALS, ids=lambda path: path.stem)
def test_a_proposal_runs_in_all_worlds(path: Path) -> None:
    module = loaded(path)
    for seen in play_in_all_worlds(module):
        assert any(seen), "nothing is ever seen"
    assert "READING_NOTES" not in path.read_text(encoding="utf-8")
