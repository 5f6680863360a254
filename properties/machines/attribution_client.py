"""A machine for the ARA client: sources, triggers, budgets that run out, sources that expire."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from properties.machines._machine import Needs
from properties.machines._worlds import ClientMachine
from properties.strategies import LIMITS, NAMES, sources, triggers
from spec.attribution_client import Source, Trigger
from spec.system import Move, on_attribution


class AttributionMachine(ClientMachine):
    """Register sources and triggers, and let time pass."""

    title = "ARA client"
    happens: ClassVar[tuple[str, ...]] = (
        "a trigger was attributed",
        "a trigger fell through to an older source",
        "a source had expired",
        "a null report was sent",
        "a unit used up its budget",
        "the worlds differed",
    )
    needs: ClassVar[Needs] = {
        "contributions_stay_within_budget": ("a unit used up its budget",),
        "a_report_is_sent_for_every_trigger": ("a null report was sent", "the worlds differed"),
    }

    def __init__(self) -> None:
        super().__init__()
        self.sources: dict[str, Source] = {}

    @precondition(lambda self: len(self.sources) < len(NAMES))
    @rule(source=sources())
    def register_a_source(self, source: Source) -> None:
        """Register a source."""
        name, expiry = NAMES[len(self.sources)], self.system.now + source.expiry
        self.play(replace(source, source_id=name, expiry=expiry))

    @precondition(lambda self: bool(self.sources))
    @rule(trigger=triggers(LIMITS))
    def register_a_trigger(self, trigger: Trigger) -> None:
        """Register a trigger."""
        self.play(replace(trigger, report_id=self.next_report()))

    @precondition(lambda self: bool(self.sources))
    @rule(value=st.sampled_from((LIMITS.contribution_budget, 1)))
    def trigger_the_newest(self, value: int) -> None:
        """Register a trigger that matches the newest source and takes all of its budget, or one."""
        newest = list(self.sources.values())[-1]
        self.register_a_trigger(
            Trigger(report_id=0, destination="shop", filters=newest.filters, key=0, value=value)
        )

    def count_what_happened(self, move: Move) -> None:
        """Count what happened."""
        super().count_what_happened(move)
        if isinstance(move, Source):
            self.sources[move.source_id] = move
        if not isinstance(move, Trigger):
            return
        at = on_attribution(self.tested, self.before, move)
        matching = [each.source_id for each in at.client.sources if at.rules.matches(at, each)]
        expired = (each for each in at.client.sources if each.expiry <= at.now)
        self.count("a source had expired", any(each.filters & move.filters for each in expired))
        for credit in self.decision.credits:
            self.count("a trigger was attributed")
            self.count("a trigger fell through to an older source", matching[:1] != [credit.unit])
