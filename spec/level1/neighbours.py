r"""Neighbours: what it means that a device's impressions of an epoch were not there.

The protected unit is a device and an epoch, or a device, an epoch and a conversion site. In the
world without the unit nothing of the epoch is ever selected: by nobody, or by conversions of that
site alone. Everything else is run anew: budgets, reports, aggregation.

Paper: none (the draft Attribution Level 1).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from spec.distributions import Draw
from spec.level1.aggregation import Job
from spec.level1.epochs import epoch_of
from spec.level1.impressions import Impression
from spec.level1.rules import AtConversion, Level1Rules
from spec.level1.system import DEVICE, Level1Move, Level1Observation, Level1System, step


@dataclass(frozen=True, slots=True, kw_only=True)
class Level1Unit:
    """Name what is protected: the impressions of an epoch, to one site or to all, or one of them.

    A single impression is told by a match value that no other has.

    Draft: Privacy Unit.
    """

    epoch: int
    site: str | None = None
    match_value: int | None = None
    device: str = DEVICE

    def holds(self, at: AtConversion, impression: Impression) -> bool:
        """Tell whether an impression that a conversion would select belongs to the unit."""
        return (
            epoch_of(at, impression.timestamp) == self.epoch
            and self.site in (None, at.caller.site)
            and self.match_value in (None, impression.match_value)
        )


def without(rules: Level1Rules, unit: Level1Unit) -> Level1Rules:
    """Return the rules of a device on which nothing of the unit is ever selected.

    Draft: Privacy Unit.
    """

    def matches(at: AtConversion, impression: Impression) -> bool:
        return not unit.holds(at, impression) and rules.matches(at, impression)

    return replace(rules, matches=matches)


@dataclass(frozen=True, slots=True, kw_only=True)
class Level1OtherWorld:
    """Be the system without a unit, an interactive mechanism; other devices are as they were.

    Draft: Privacy Unit.
    """

    rules: Level1Rules
    unit: Level1Unit
    initial: Level1System = Level1System()

    def step(
        self, state: Level1System, action: Level1Move, draw: Draw
    ) -> tuple[Level1System, Level1Observation]:
        """Make one move in the world without the unit."""
        concerned = not isinstance(action, Job) and action.device == self.unit.device
        rules = without(self.rules, self.unit) if concerned else self.rules
        return step(rules, state, action, draw)
