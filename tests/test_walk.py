"""The walk of one trigger: how many calls it is from a step to the line that stores the report."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

import pytest

import spec
from spec import PAPER, Move, System, SystemMechanism, step
from tests.small import CERTAIN, event, play, source, trigger

HOME = str(Path(spec.__file__).parent)
LONGEST_WALK = 8
MOST_FUNCTIONS = 16
ASIDE = ("checked_", "is_contribution", "whole", "limits")
"""What refuses bad input, and the property that reads the limits, lead nowhere."""


@dataclass
class Walk:
    """Note the calls of functions in spec, and which are open where the report is stored."""

    before: System
    open: list[str] = field(default_factory=list)
    entered: list[str] = field(default_factory=list)
    stored: list[str] = field(default_factory=list)
    counted: list[str] = field(default_factory=list)

    def __call__(self, frame: FrameType, what: str, called: object) -> None:
        name = frame.f_code.co_name
        if not frame.f_code.co_filename.startswith(HOME) or name.startswith(("<", *ASIDE)):
            return
        if what == "call":
            place = f"{Path(frame.f_code.co_filename).stem}.{name}"
            self.open.append(place)
            self.entered.append(place)
            if place == "contributions.admit":
                self.counted = list(self.open)
        elif what == "return":
            self.open.pop()
        elif what == "c_call" and getattr(called, "__self__", None) is self.before.reports:
            self.stored = list(self.open)


def walk(before: System, act: Callable[[], object]) -> Walk:
    """Run something that makes one move, and return the walk."""
    found = Walk(before=before)
    sys.setprofile(found)
    try:
        act()
    finally:
        sys.setprofile(None)
    return found


MOVES: dict[str, Move] = {
    "trigger": trigger(1),
    "event": event(1, lambda storage: (storage, 1, 1), device="device"),
}


@pytest.mark.parametrize("name", MOVES)
def test_a_step_is_near_the_line_that_stores_the_report(name: str) -> None:
    before, _ = play(PAPER, [source("y"), source("x")])
    found = walk(before, lambda: step(PAPER, before, MOVES[name], CERTAIN))
    assert found.stored == ["system.step", "system.send", "system.deliver"]
    assert found.counted[0] == "system.step"
    assert max(len(found.stored), len(found.counted)) <= LONGEST_WALK
    assert len(set(found.entered)) <= MOST_FUNCTIONS, sorted(set(found.entered))


def test_every_call_is_counted() -> None:
    before, _ = play(PAPER, [source("x")])
    mechanism = SystemMechanism(rules=PAPER)
    direct = walk(before, lambda: step(PAPER, before, trigger(1), CERTAIN))
    further = walk(before, lambda: mechanism.step(before, trigger(1), CERTAIN))
    assert further.stored == ["system.step", *direct.stored]
    assert len(further.entered) == len(direct.entered) + 1
