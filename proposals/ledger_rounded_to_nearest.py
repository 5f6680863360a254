"""The ledger counts tenths of epsilon, rounded to the nearest.

A charge below half a tenth is rounded to nothing, so a report can take part in any number of
such queries. Fixed point itself is sound if every charge is rounded up.

Origin: w3c/attribution keeps its budgets in fixed point, rounded up
Neighbours: attribution fixed (ARA), null store (PAA)
Expected: refuted, factor 2
"""

from fractions import Fraction

from spec import (
    PAPER,
    SMALL_LIMITS,
    AtService,
    Base,
    Query,
    Report,
    Rules,
    Source,
    Spent,
    Trigger,
    Universe,
    replace,
)

GRAIN = Fraction(1, 10)


def charge_to_the_nearest(at: AtService, spent: Spent, report: Report) -> Spent | None:
    """Charge a whole number of grains, the one nearest to the query's epsilon."""
    epsilon = spent.epsilon + round(at.query.epsilon / GRAIN) * GRAIN
    delta = spent.delta + at.query.delta
    if epsilon > at.limits.epsilon or delta > at.limits.delta:
        return None
    return replace(spent, epsilon=epsilon, delta=delta)


RULES: Rules = replace(PAPER, charge=charge_to_the_nearest)

HALF = GRAIN / 2
UNIVERSE = Universe(
    name="a cap of one half grain",
    # In units of ln 4^10, half a grain is ln 2.
    limits=replace(
        SMALL_LIMITS,
        contribution_budget=1,
        epsilon=HALF,
        delta=Fraction(0),
        base=Base(Fraction(4) ** 10),
    ),
    units=("A",),
    moves=4,
    sources=(Source(source_id="A", destination="shop", expiry=9, filters=frozenset("a"), key=1),),
    triggers=(Trigger(report_id=0, destination="shop", filters=frozenset("a"), key=0, value=1),),
    trigger_count=1,
    queries=(Query(epsilon=HALF, keys=(1,)),),
    query_count=2,
)
