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

from properties.game.undrawn import Late, own_of
from properties.game.world import Parts
from spec.aggregation_service import Query, Service
from spec.neighbours import RELATIONS, Relation, Worlds
from spec.paper import PAPER
from spec.system import System

NO_SERVICE = PAPER.initial.service


class SystemParts(Parts):
    """Take the service out of a system, or out of the world without a unit."""

    def apart(self, state: Hashable) -> tuple[Hashable, Hashable]:
        """Return the state with an empty service, and the service."""
        return self.joined(state, NO_SERVICE), own_of(state).service

    def joined(self, front: Hashable, back: Hashable) -> Hashable:
        """Return the state with this service."""
        service = cast(Service, back)
        if isinstance(front, Late):
            if own_of(front).service is service:
                return front
            return replace(front, clients=self.joined(front.clients, service))
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
        own = own_of(front)
        named = {name: own.reports[name] for name in action.report_ids if name in own.reports}
        seen = System(now=own.now, reports=Map(named))
        clients = front.clients if isinstance(front, Late) else front
        return Worlds(real=System(), own=seen) if isinstance(clients, Worlds) else seen


def parts_for(relation: Relation) -> Parts:
    """Return the parts of the world without a unit; a relation of a proposal may look anywhere."""
    return SystemParts() if relation in RELATIONS else Parts()
