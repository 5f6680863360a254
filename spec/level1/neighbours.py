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
from spec.level1.epochs import epoch_of, started
from spec.level1.impressions import Impression
from spec.level1.rules import AtConversion, Level1Rules
from spec.level1.system import (
    DEVICE,
    Level1Move,
    Level1Observation,
    Level1System,
    SaveImpression,
    step,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Level1Unit:
    """Name what is protected: the impressions of an epoch, to one site or to all, or one of them.

    It may be several epochs in a row, `epoch` being the first. A single impression is told by a
    match value that no other has.

    Draft: Privacy Unit.
    """

    epoch: int
    epochs: int = 1
    site: str | None = None
    match_value: int | None = None
    device: str = DEVICE

    def holds(self, at: AtConversion, impression: Impression) -> bool:
        """Tell whether an impression that a conversion would select belongs to the unit."""
        return (
            self.covers(epoch_of(at, impression.timestamp))
            and self.site in (None, at.caller.site)
            and self.match_value in (None, impression.match_value)
        )

    def covers(self, epoch: int) -> bool:
        """Tell whether an epoch is one of the unit's."""
        return self.epoch <= epoch < self.epoch + self.epochs


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

    Where the unit's impressions are `never_saved`, they take no room in the store either. Under the
    rules of the draft that makes no difference. The epochs of the device must have a start then.

    Draft: Privacy Unit.
    """

    rules: Level1Rules
    unit: Level1Unit
    initial: Level1System = Level1System()
    never_saved: bool = False

    def step(
        self, state: Level1System, action: Level1Move, draw: Draw
    ) -> tuple[Level1System, Level1Observation]:
        """Make one move in the world without the unit."""
        if isinstance(action, Job) or action.device != self.unit.device:
            return step(self.rules, state, action, draw)
        after, seen = step(without(self.rules, self.unit), state, action, draw)
        if self.never_saved and isinstance(action, SaveImpression):
            after = self.unsaved(state, action, after)
        return after, seen

    def unsaved(
        self, before: Level1System, move: SaveImpression, after: Level1System
    ) -> Level1System:
        """Return the system in which an impression of the unit's epoch was not saved."""
        device = after.devices[move.device]
        if not self.unit.covers((move.now - started(device)) // self.rules.limits.epoch):
            return after
        store = before.devices[move.device].impressions
        device = replace(device, impressions=store)
        return replace(after, devices=after.devices.set(move.device, device))
