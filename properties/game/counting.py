"""Steps: searches are bounded by what they do, and never by the time it takes."""

from __future__ import annotations

from dataclasses import dataclass

from spec.numbers import SpecError


class OutOfSteps(SpecError):
    """Report that the steps allowed are used up."""


@dataclass(slots=True)
class Steps:
    """Count the steps that a search takes, and stop it when those allowed are used up.

    A step is a node that is valued or a run of a mechanism's step. They are counted and not timed,
    so that a search ends at the same place on every machine, however busy it is.
    """

    allowed: int | None = None
    taken: int = 0

    def take(self) -> None:
        """Count one more step."""
        if self.allowed is not None and self.taken >= self.allowed:
            raise OutOfSteps(f"the {self.allowed} steps allowed are used up")
        self.taken += 1

    @property
    def left(self) -> int | None:
        """Return how many more steps may be taken, if they are limited."""
        return None if self.allowed is None else self.allowed - self.taken
