r"""The threshold lacks its first $\Lambda_1$: it is $\Lambda_1 \ln(\Lambda_0 / \delta) / \epsilon$.

The paper's threshold is $\Lambda_1 (1 + \ln(\Lambda_0/\delta)/\epsilon)$. The term that looks
negligible pays for the move of the sum itself. Without it a key that only $x$ contributes to is
released with probability about $\delta (e^\epsilon - 1) / (2 \Lambda_0)$ at production parameters,
where $q$ is near 1. That is above $\delta$ once $e^\epsilon > 2 \Lambda_0 + 1$.

Origin: a plausible slip in the paper's formula
Neighbours: attribution fixed (ARA), null store (PAA)
Expected: refuted
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
    Trigger,
    Universe,
    replace,
)


def threshold_too_low(at: AtService, batch: tuple[Report, ...]) -> int | None:
    r"""Return the paper's threshold less $\Lambda_1$."""
    threshold = PAPER.threshold(at, batch)
    return None if threshold is None else threshold - at.limits.contribution_budget


RULES: Rules = replace(PAPER, threshold=threshold_too_low)

UNIVERSE = Universe(
    name="one key, discovered",
    limits=SMALL_LIMITS,
    units=("A",),
    moves=3,
    sources=(Source(source_id="A", destination="shop", expiry=9, filters=frozenset("a"), key=1),),
    triggers=(Trigger(report_id=0, destination="shop", filters=frozenset("a"), key=0, value=2),),
    trigger_count=1,
    queries=(Query(epsilon=Fraction(4), delta=Fraction(1, 32)),),
    query_count=1,
)
