r"""Key discovery uses the smallest threshold that is sound.

It is the smallest $T$ with $q^{T+1} \le \delta (1 + q) / (e^{\varepsilon} - 1 + 2 \delta)$, where
$q = e^{-\varepsilon/\Lambda_1}$. No sparsity budget enters, and at $\delta = 10^{-8}$ and
$\Lambda_0 = 20$ it lies 12 to 20 percent below the paper's threshold. It is tight: in the universe
below the worst adversary gains 3/46 where 1/8 is promised, and with a threshold of one less 3/22.

Origin: ours; the exact condition in place of the paper's bound
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
    Trigger,
    Universe,
    replace,
    smallest_sound_truncation,
)


def threshold(at: AtService, batch: tuple[Report, ...]) -> int | None:
    """Return the smallest sound truncation point of the noise."""
    if not at.query.discovers_keys:
        return None
    return smallest_sound_truncation(
        at.limits.contribution_budget, at.query.epsilon, at.query.delta, at.limits.base
    )


RULES: Rules = replace(PAPER, threshold=threshold)

UNIVERSE = Universe(
    name="all of the budget in one query",
    limits=replace(SMALL_LIMITS, epsilon=Fraction(2), delta=Fraction(1, 8)),
    units=("A",),
    moves=5,
    sources=(
        Source(source_id="A", destination="shop", expiry=9, filters=frozenset("a"), key=1),
        Source(source_id="B", destination="shop", expiry=9, filters=frozenset("b"), key=1),
    ),
    triggers=(
        Trigger(report_id=0, destination="shop", filters=frozenset("a"), key=0, value=2),
        Trigger(report_id=0, destination="shop", filters=frozenset("a"), key=0, value=1),
        Trigger(report_id=0, destination="shop", filters=frozenset("a"), key=2, value=1),
        Trigger(report_id=0, destination="shop", filters=frozenset("b"), key=2, value=2),
    ),
    trigger_count=3,
    queries=(Query(epsilon=Fraction(2), delta=Fraction(1, 8)),),
    query_count=1,
)
