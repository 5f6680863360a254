r"""Empty store: the programs of $x$ run on an empty store, and contribute.

The paper replaces the shared storage of $x$ by a dummy, which its text calls an empty store. A
program may still contribute there, and then the change is up to twice the budget.

Deviates: A3 this is the reading under which the theorem fails.
Paper: Sec. 4.3.
"""

from __future__ import annotations

from dataclasses import replace

from spec.contributions import Unit
from spec.distributions import Draw
from spec.neighbours.credits_deleted import delete_credits
from spec.neighbours.relation import Relation, Worlds, decided_on_the_database
from spec.private_aggregation_client import EMPTY_STORAGE, Event, budget_unit
from spec.rules import Rules
from spec.system import Decision, Move, on_aggregation


def run_on_empty_store(
    rules: Rules, unit: Unit, worlds: Worlds, move: Move, decision: Decision, draw: Draw
) -> Decision:
    """Run the unit's programs on an empty store and let them contribute."""
    if not isinstance(move, Event):
        return delete_credits(rules, unit, worlds, move, decision, draw)
    at = on_aggregation(rules, worlds.own, move)
    if budget_unit(at) != unit:
        return decision
    emptied = replace(at, client=replace(at.client, storage=EMPTY_STORAGE))
    return replace(decision, credits=rules.propose(emptied, draw)[1])


EMPTY_STORE = Relation(
    name="empty store",
    meaning="the programs of x run on an empty store and contribute",
    move=decided_on_the_database(run_on_empty_store),
    units="devices",
    reports="summary",
)
