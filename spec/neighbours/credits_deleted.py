r"""Attribution fixed and null store: the paper's relations for ARA and for PAA.

Who is credited with what is decided once, on $D$, and the credits of $x$ are deleted. A credit of
ARA is that of the source it names. A credit of PAA belongs to the device and the time window of its
event, whatever budget a proposal keeps for it.

Paper: Sec. 4.2; Sec. 4.3; Sec. 5.
"""

from __future__ import annotations

from dataclasses import replace

from spec.attribution_client import Trigger
from spec.contributions import Credit, Unit
from spec.distributions import Draw
from spec.neighbours.relation import Relation, RelationUndefined, Worlds, decided_on_the_database
from spec.private_aggregation_client import Event, budget_unit
from spec.rules import Rules
from spec.system import Decision, Move, on_aggregation, on_attribution


def delete_credits(
    rules: Rules, unit: Unit, worlds: Worlds, move: Move, decision: Decision, draw: Draw
) -> Decision:
    """Delete what is credited to the unit."""
    return replace(
        decision,
        credits=without_unit(rules, unit, worlds, move, decision.credits),
        credited=tuple(source for source in decision.credited if source != unit),
    )


def without_unit(
    rules: Rules, unit: Unit, worlds: Worlds, move: Move, credits: tuple[Credit, ...]
) -> tuple[Credit, ...]:
    """Return the credits of all units but one."""
    return tuple(each for each in credits if not is_of(rules, unit, worlds, move, each))


def is_of(rules: Rules, unit: Unit, worlds: Worlds, move: Move, credit: Credit) -> bool:
    """Tell whether a credit is the unit's."""
    match move:
        case Event():
            return budget_unit(on_aggregation(rules, worlds.real, move)) == unit
        case Trigger():
            sources = on_attribution(rules, worlds.real, move).client.sources
            if not any(source.source_id == credit.unit for source in sources):
                raise RelationUndefined(
                    f"a trigger is credited to {credit.unit!r}, which is no registered source, "
                    "so that nobody knows whose data it carries"
                )
    return credit.unit == unit


ATTRIBUTION_FIXED = Relation(
    name="attribution fixed",
    meaning="attribution runs once; the reports credited to x are null; admission runs again",
    move=decided_on_the_database(delete_credits),
    units="sources",
)
NULL_STORE = Relation(
    name="null store",
    meaning="programs run once; the contributions of x are deleted; admission runs again",
    move=decided_on_the_database(delete_credits),
    units="devices",
    reports="summary",
)
