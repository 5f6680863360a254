r"""The ad-tech may query the same reports again, with an epsilon of its choice for every job.

A job names its $\varepsilon$, and its reports are charged that much until their cap is reached.
Today a report can be used in one job only. That the ad-tech may choose the next
$\varepsilon$ after seeing the last answer is what the paper's interactive form of privacy is for.
The rule is the paper's own, written out. The universe offers jobs of different sizes.

Origin: privacysandbox/aggregation-service#71
Neighbours: attribution fixed (ARA), null store (PAA)
Expected: holds
"""

from fractions import Fraction

from spec import (
    PAPER,
    SMALL_LIMITS,
    AtService,
    Query,
    Report,
    Rules,
    Source,
    Spent,
    Trigger,
    Universe,
    replace,
)


def charge_the_job(at: AtService, spent: Spent, report: Report) -> Spent | None:
    """Add what the job costs to what the report has spent, unless that passes a cap."""
    epsilon, delta = spent.epsilon + at.query.epsilon, spent.delta + at.query.delta
    queries, most = spent.queries + 1, at.limits.maximum_queries
    if epsilon > at.limits.epsilon or delta > at.limits.delta:
        return None
    if most is not None and queries > most:
        return None
    return Spent(epsilon=epsilon, delta=delta, queries=queries)


RULES: Rules = replace(PAPER, charge=charge_the_job)

UNIVERSE = Universe(
    name="jobs of different sizes",
    limits=replace(SMALL_LIMITS, contribution_budget=1, epsilon=Fraction(3)),
    units=("A",),
    moves=6,
    sources=(
        Source(source_id="A", destination="shop", expiry=9, filters=frozenset("a"), key=1),
        Source(source_id="B", destination="shop", expiry=9, filters=frozenset("b"), key=1),
    ),
    triggers=(
        Trigger(report_id=0, destination="shop", filters=frozenset("a"), key=0, value=1),
        Trigger(report_id=0, destination="shop", filters=frozenset("b"), key=0, value=1),
    ),
    trigger_count=2,
    queries=(
        Query(epsilon=Fraction(1), keys=(1,)),
        Query(epsilon=Fraction(2), keys=(1,)),
        Query(epsilon=Fraction(1), delta=Fraction(1, 64)),
    ),
    query_count=3,
)
