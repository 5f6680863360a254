r"""Never registered: $x$ is not registered; everything runs again.

Triggers that $x$ would have won go to older sources, and displace what these would have won later.

Paper: none (another neighbour relation).
"""

from __future__ import annotations

from dataclasses import replace

from spec.attribution_client import Source
from spec.contributions import Unit
from spec.distributions import Draw
from spec.event_client import EventSource
from spec.neighbours.relation import Relation, Worlds
from spec.rules import Rules
from spec.system import Move, Observation, step


def never_register(
    rules: Rules, unit: Unit, worlds: Worlds, move: Move, draw: Draw
) -> tuple[Worlds, Observation]:
    """Make the move, unless it registers the unit."""
    if isinstance(move, Source | EventSource) and move.source_id == unit:
        return worlds, ()
    own, seen = step(rules, worlds.own, move, draw)
    return replace(worlds, own=own), seen


NEVER_REGISTERED = Relation(
    name="never registered",
    meaning="x is not registered; everything runs again",
    move=never_register,
    units="sources",
    reports="summary",
)
