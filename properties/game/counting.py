"""Steps and room: searches are bounded by what they do and keep, never by time or by a machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from spec.numbers import SpecError
from spec.verdicts import Reason

ROOM = 2**20
"""How many entries a game may remember, unless it is told otherwise: less than a kilobyte each."""


class OutOfSteps(SpecError):
    """Report that the steps allowed are used up."""

    reason: ClassVar[Reason] = Reason.OUT_OF_STEPS


class OutOfRoom(OutOfSteps):
    """Report that a search would have to remember more than it may."""

    reason: ClassVar[Reason] = Reason.OUT_OF_ROOM


@dataclass(slots=True)
class Steps:
    """Count the steps that a search takes and what it remembers; stop it where that is too much.

    A step is a node that is valued or a run of a mechanism's step. What is remembered are nodes,
    states, what actions lead to, and every answer that is told apart. Both are counted, not timed
    or measured, so that a search ends at the same place on every machine, however busy it is.
    """

    allowed: int | None = None
    taken: int = 0
    room: int | None = ROOM
    held: int = 0

    def take(self) -> None:
        """Count one more step."""
        if self.allowed is not None and self.taken >= self.allowed:
            raise OutOfSteps(f"the {self.allowed} steps allowed are used up")
        self.taken += 1

    def hold(self, entries: int) -> None:
        """Count more entries that are remembered."""
        self.check_room(entries)
        self.held += entries

    def check_room(self, entries: int) -> None:
        """Stop before more is made than may be remembered."""
        if self.room is not None and self.held + entries > self.room:
            raise OutOfRoom(f"more than the {self.room} entries allowed would be remembered")
