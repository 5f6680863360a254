"""A machine for the PAA client: programs, storage writes, budgets per time window."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from hypothesis.stateful import precondition, rule

from properties.machines._machine import Needs
from properties.machines._worlds import ClientMachine
from properties.strategies import events, view_again
from spec.private_aggregation_client import Event
from spec.system import Move, on_aggregation


class AggregationMachine(ClientMachine):
    """Run programs on devices, and let time windows pass."""

    title = "PAA client"
    happens: ClassVar[tuple[str, ...]] = (
        "a storage was written",
        "a time window ended",
        "a null report was sent",
        "a contribution was refused",
        "a unit used up its budget",
        "the worlds differed",
    )
    needs: ClassVar[Needs] = {
        "contributions_stay_within_budget": ("a contribution was refused",),
        "a_report_is_sent_for_every_trigger": ("a null report was sent", "the worlds differed"),
    }

    @rule(event=events())
    def run_a_program(self, event: Event) -> None:
        """Run a program on a device's storage."""
        self.play(replace(event, report_id=self.next_report()))

    @precondition(lambda self: bool(self.devices_with_a_view()))
    @rule()
    def look_again(self) -> None:
        """Run a program that does something else on an empty storage."""
        self.run_a_program(
            Event(report_id=0, device=self.devices_with_a_view()[0], program=view_again)
        )

    def devices_with_a_view(self) -> list[str]:
        """Return the devices whose storage tells of a view."""
        clients = self.system.aggregation.items()
        return sorted(device for device, client in clients if "seen" in client.storage)

    def count_what_happened(self, move: Move) -> None:
        """Count what happened."""
        super().count_what_happened(move)
        if isinstance(move, Event):
            before = on_aggregation(self.tested, self.before, move).client.storage
            after = on_aggregation(self.tested, self.system, move).client.storage
            self.count("a storage was written", before != after)
