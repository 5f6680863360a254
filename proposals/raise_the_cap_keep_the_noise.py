r"""The client lets a unit contribute twice as much, and the noise stays as it is.

The noise hides a change of $\Lambda_1$, which is what the client's cap is for. If a unit may
contribute $2\Lambda_1$, every query costs twice what it is charged.

Origin: comments in patcg-individual-drafts/private-aggregation-api#23
Neighbours: attribution fixed (ARA), null store (PAA)
Expected: refuted, factor 2
"""

from __future__ import annotations

from fractions import Fraction

from spec import (
    PAPER,
    SMALL_LIMITS,
    Budget,
    Limits,
    Query,
    Rules,
    Source,
    Trigger,
    Universe,
    replace,
)


def twice_the_cap(limits: Limits) -> Budget:
    r"""Let a unit contribute up to $2\Lambda_1$."""
    return Budget(value=2 * limits.contribution_budget, count=limits.sparsity_budget)


RULES: Rules = replace(PAPER, cap=twice_the_cap)

UNIVERSE = Universe(
    name="one large trigger",
    limits=replace(SMALL_LIMITS, epsilon=Fraction(2), delta=Fraction(0)),
    units=("A",),
    moves=3,
    sources=(Source(source_id="A", destination="shop", expiry=9, filters=frozenset("a"), key=1),),
    triggers=(Trigger(report_id=0, destination="shop", filters=frozenset("a"), key=0, value=4),),
    trigger_count=1,
    queries=(Query(epsilon=Fraction(2), keys=(1,)),),
    query_count=1,
)
