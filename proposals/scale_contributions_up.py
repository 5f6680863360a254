r"""The service multiplies every value by two before it adds the same noise.

Small values drown in the noise, so it is tempting to scale them up in the service. But the noise
hides a change of $\Lambda_1$, and scaled up a unit changes the sums by $2\Lambda_1$. Shrinking the
noise by the same factor is the same change written differently. Scaling down is private, and
useless: see scale_contributions_down.py.

Origin: near WICG/attribution-reporting-api#1188, which scales down
Neighbours: attribution fixed (ARA), null store (PAA)
Expected: refuted, factor 2
"""

from collections.abc import Mapping
from fractions import Fraction

from spec import (
    PAPER,
    SMALL_LIMITS,
    AtService,
    Key,
    Query,
    Report,
    Rules,
    Source,
    Trigger,
    Universe,
    replace,
)


def twice_the_totals(at: AtService, batch: tuple[Report, ...]) -> Mapping[Key, int]:
    """Sum the values of the batch per key, each taken twice."""
    return {key: 2 * value for key, value in PAPER.totals(at, batch).items()}


RULES: Rules = replace(PAPER, totals=twice_the_totals)

UNIVERSE = Universe(
    name="one source, one trigger, one query",
    limits=replace(SMALL_LIMITS, epsilon=Fraction(2), delta=Fraction(0)),
    units=("A",),
    moves=3,
    sources=(Source(source_id="A", destination="shop", expiry=9, filters=frozenset("a"), key=1),),
    triggers=(Trigger(report_id=0, destination="shop", filters=frozenset("a"), key=0, value=2),),
    trigger_count=1,
    queries=(Query(epsilon=Fraction(2), keys=(1,)),),
    query_count=1,
)
