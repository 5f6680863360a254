r"""The client lets a unit contribute twice as much, and the noise stays as it is.

The noise hides a change of $\Lambda_1$, which is what the client's cap is for. If a unit may
contribute $2\Lambda_1$, every query costs twice what it is charged.

Origin: comments in patcg-individual-drafts/private-aggregation-api#23
Neighbours: attribution fixed (ARA), null store (PAA)
Expected: refuted, factor 2
"""

from fractions import Fraction

from spec import (
    PAPER,
    SMALL_LIMITS,
    AtContribution,
    Budget,
    Contribution,
    Query,
    Rules,
    Source,
    Trigger,
    Unit,
    Universe,
    replace,
)


def admit_twice_as_much(
    at: AtContribution, unit: Unit, spent: Budget, contribution: Contribution
) -> tuple[Budget, bool]:
    r"""Let a unit contribute up to $2\Lambda_1$."""
    value, count = spent.value + contribution.value, spent.count + 1
    if count > at.limits.sparsity_budget or value > 2 * at.limits.contribution_budget:
        return spent, False
    return replace(spent, value=value, count=count), True


RULES: Rules = replace(PAPER, admit=admit_twice_as_much)

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
