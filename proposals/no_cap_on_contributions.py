r"""A unit may contribute as often as its value lasts: there is no cap on the number.

Admission checks the sum of values $L_1$ and no longer the number $L_0$. Threshold and noise are the
paper's, with its public $\Lambda_0$. The lemma that at most $\Lambda_0$ keys differ falls, and with
it the paper's proof. The guarantee stands, because truncated noise spends $\delta$ in proportion to
value. (With untruncated noise on the keys present it does not.)

Origin: WICG/attribution-reporting-api#1475, with the paper's noise
Neighbours: attribution fixed (ARA), null store (PAA)
Expected: holds
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


def admit(
    at: AtContribution, unit: Unit, spent: Budget, contribution: Contribution
) -> tuple[Budget, bool]:
    """Admit whatever the unit's value still allows."""
    value = spent.value + contribution.value
    if value > at.limits.contribution_budget:
        return spent, False
    return replace(spent, value=value, count=spent.count + 1), True


RULES: Rules = replace(PAPER, admit=admit)

UNIVERSE = Universe(
    name="two keys where one is allowed",
    limits=replace(SMALL_LIMITS, sparsity_budget=1, delta=Fraction(1, 8)),
    units=("A",),
    moves=5,
    sources=(
        Source(source_id="A", destination="shop", expiry=9, filters=frozenset("a"), key=1),
        Source(source_id="B", destination="shop", expiry=9, filters=frozenset("b"), key=1),
    ),
    triggers=(
        Trigger(report_id=0, destination="shop", filters=frozenset("a"), key=0, value=1),
        Trigger(report_id=0, destination="shop", filters=frozenset("a"), key=2, value=1),
        Trigger(report_id=0, destination="shop", filters=frozenset("b"), key=2, value=2),
    ),
    trigger_count=3,
    queries=(
        Query(epsilon=Fraction(2), delta=Fraction(1, 16)),
        Query(epsilon=Fraction(4), delta=Fraction(1, 8)),
    ),
    query_count=2,
)
