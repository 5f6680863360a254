r"""The threshold of key discovery does without the sparsity budget.

The threshold becomes $\Lambda_1 (1 + \ln(1/\delta) / \varepsilon)$: the explainer's, without the
$\Lambda_0$ that the paper puts into the logarithm. The noise stays truncated at the threshold. The
paper's lemma bounds every key as if it held all of a unit's value, and so does not show this. But
the keys of one unit share its value, and together they are no more likely to show than one key
that holds all of it. In the universe below a source can spread its value over two keys.

Origin: WICG/attribution-reporting-api#864, aggregate_key_discovery.md
Neighbours: attribution fixed (ARA), null store (PAA)
Expected: holds
"""

from fractions import Fraction

from spec import (
    PAPER,
    SMALL_LIMITS,
    AtService,
    Power,
    Query,
    Report,
    Rules,
    Source,
    Trigger,
    Universe,
    replace,
)
from spec.numbers import floor_log


def threshold(at: AtService, batch: tuple[Report, ...]) -> int | None:
    r"""Return the floor of $\Lambda_1 (1 + \ln(1/\delta) / \varepsilon)$."""
    if not at.query.discovers_keys:
        return None
    step = Power(at.limits.base, at.query.epsilon / at.limits.contribution_budget)
    return at.limits.contribution_budget + floor_log(step, 1 / at.query.delta)


RULES: Rules = replace(PAPER, threshold=threshold)

UNIVERSE = Universe(
    name="one source, two keys",
    limits=replace(SMALL_LIMITS, delta=Fraction(1, 8)),
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
