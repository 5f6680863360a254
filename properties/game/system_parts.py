"""The whole system in two parts: the clients with the reports that arrived, and the service.

In a step of `spec.system` a query alone reaches the service, and what it reaches is the time, the
reports that it names and the service's own state; the rules see no more either. Every other move
leaves the service as it is. The relations of the specification move the world without the unit by
the same steps. So a step is run once for each state of the part that it acts on.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import cast

from immutables import Map

from properties.game.world import Parts
from spec.aggregation_service import Query, Service
from spec.neighbours import RELATIONS, Relation, Worlds
from spec.system import System

NO_SERVICE = Service()


class SystemParts(Parts):
    """Take the service out of a system, or out of the world without a unit."""

    def apart(self, state: Hashable) -> tuple[Hashable, Hashable]:
        """Return the state with an empty service, and the service."""
        own = state.own if isinstance(state, Worlds) else cast(System, state)
        return self.joined(state, NO_SERVICE), own.service

    def joined(self, front: Hashable, back: Hashable) -> Hashable:
        """Return the state with this service."""
        service = cast(Service, back)
        if isinstance(front, Worlds):
            if front.own.service is service:
                return front
            return replace(front, own=replace(front.own, service=service))
        system = cast(System, front)
        return system if system.service is service else replace(system, service=service)

    def view(self, front: Hashable, action: Hashable) -> Hashable | None:
        """Return the time and the reports that a query names."""
        if not isinstance(action, Query):
            return None
        own = front.own if isinstance(front, Worlds) else cast(System, front)
        named = {name: own.reports[name] for name in action.report_ids if name in own.reports}
        seen = System(now=own.now, reports=Map(named))
        return Worlds(real=System(), own=seen) if isinstance(front, Worlds) else seen


def parts_for(relation: Relation) -> Parts:
    """Return the parts of the world without a unit; a relation of a proposal may look anywhere."""
    return SystemParts() if relation in RELATIONS else Parts()
