r"""Never matches: $x$ is registered and wins no trigger; everything runs again.

Paper: none (another neighbour relation).
"""

from __future__ import annotations

from dataclasses import replace

from spec.attribution_client import Source
from spec.contributions import Unit
from spec.distributions import Draw
from spec.event_client import SourceRecord
from spec.neighbours.relation import Relation, Worlds
from spec.rules import AtEventTrigger, AtTrigger, Rules
from spec.system import Move, Observation, step


def never_match(
    rules: Rules, unit: Unit, worlds: Worlds, move: Move, draw: Draw
) -> tuple[Worlds, Observation]:
    """Make the move under rules by which no trigger matches the unit."""

    def matches(at: AtTrigger, source: Source) -> bool:
        return source.source_id != unit and rules.matches(at, source)

    def event_matches(at: AtEventTrigger, record: SourceRecord) -> bool:
        return record.source.source_id != unit and rules.event_matches(at, record)

    own_rules = replace(rules, matches=matches, event_matches=event_matches)
    own, seen = step(own_rules, worlds.own, move, draw)
    return replace(worlds, own=own), seen


NEVER_MATCHES = Relation(
    name="never matches",
    meaning="x is registered and wins no trigger; everything runs again",
    move=never_match,
    units="sources",
    reports="summary",
)
