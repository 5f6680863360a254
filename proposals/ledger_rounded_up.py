r"""The ledger counts millionths of epsilon, and every charge is rounded up.

A ledger in fixed point is cheap and its sums are exact. Rounded up, what it has counted is never
below what was spent, so the caps hold. A job may be refused a little early: in the universe below
three jobs of one third would fit exactly into the cap, and the third is refused.

Origin: w3c/attribution, which counts microepsilons
Neighbours: attribution fixed (ARA), null store (PAA)
Expected: holds
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

UNITS = 10**6


def rounded_up(amount: Fraction) -> Fraction:
    """Return the amount as a whole number of millionths, rounded up."""
    return Fraction(-(-amount * UNITS // 1), UNITS)


def charge(at: AtService, spent: Spent, report: Report) -> Spent | None:
    """Charge what the query costs, rounded up; delta is summed exactly."""
    cost = replace(at.query, epsilon=rounded_up(at.query.epsilon))
    return PAPER.charge(replace(at, query=cost), spent, report)


RULES: Rules = replace(PAPER, charge=charge)

UNIVERSE = Universe(
    name="thirds of an epsilon",
    limits=replace(
        SMALL_LIMITS,
        contribution_budget=1,
        epsilon=Fraction(1),
        delta=Fraction(1, 8),
        base=Base(Fraction(8)),
    ),
    units=("A",),
    moves=5,
    sources=(Source(source_id="A", destination="shop", expiry=9, filters=frozenset("a"), key=1),),
    triggers=(Trigger(report_id=0, destination="shop", filters=frozenset("a"), key=0, value=1),),
    trigger_count=2,
    queries=(
        Query(epsilon=Fraction(1, 3), keys=(1,)),
        Query(epsilon=Fraction(2, 3), keys=(1,)),
        Query(epsilon=Fraction(1, 3), delta=Fraction(1, 8)),
    ),
    query_count=3,
)
