r"""Moved to the dummy: what is credited to $x$ is credited to the dummy source, and contributes.

The paper's function $f$ is not defined on the dummy source. If records moved there still
contribute, with a key piece of the dummy's own, sensitivity doubles, and triples if the dummy holds
records.

Deviates: A4 this is the reading under which the theorem fails.
Paper: Sec. 4.2.
"""

from __future__ import annotations

from dataclasses import replace

from spec.attribution_client import Trigger
from spec.contributions import Credit, Unit
from spec.distributions import Draw
from spec.neighbours.credits_deleted import delete_credits, is_of
from spec.neighbours.relation import Relation, Worlds, decided_on_the_database
from spec.rules import Rules
from spec.system import Decision, Move, on_attribution

DUMMY = "x_⊥"
DUMMY_KEY = 3


def move_credits_to_dummy(
    rules: Rules, unit: Unit, worlds: Worlds, move: Move, decision: Decision, draw: Draw
) -> Decision:
    """Let the dummy source contribute in place of the unit, with a key piece of its own."""
    if not isinstance(move, Trigger):
        return delete_credits(rules, unit, worlds, move, decision, draw)
    at = on_attribution(rules, worlds.real, move)
    moved: list[Credit] = []
    for credit in decision.credits:
        if credit.unit != DUMMY and is_of(rules, unit, worlds, move, credit):
            (source,) = (each for each in at.client.sources if each.source_id == unit)
            dummy = replace(source, source_id=DUMMY, key=DUMMY_KEY)
            credit = Credit(unit=DUMMY, contributions=rules.contributions(at, dummy))
        moved.append(credit)
    return replace(decision, credits=tuple(moved))


MOVED_TO_DUMMY = Relation(
    name="moved to the dummy",
    meaning="what is credited to x is credited to the dummy source, which contributes it",
    move=decided_on_the_database(move_credits_to_dummy),
    units="sources",
    reports="summary",
)
