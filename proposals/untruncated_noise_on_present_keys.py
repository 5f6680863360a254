r"""Keys that are present get untruncated noise, and a threshold that does not count keys.

This is what the code for an optional output domain does: it releases a noisy sum above
$\Lambda_1 (1 + \ln(1/\delta)/\epsilon)$. A key that only $x$ contributes to may be released because
of its noise, and without $x$ it is not there. With untruncated noise these chances add up over the
keys of $x$, and the threshold has no $\Lambda_0$ to pay for them. The worst spread is one large key
and the rest ones: at $\epsilon = 0.64$ it takes $5.5\delta$ with 20 keys and $106\delta$ with 400.
With truncated noise the same threshold is sound: see truncated_noise_without_sparsity.py.

Origin: ThresholdSupplier and the domain-optional code of privacysandbox/aggregation-service
Neighbours: attribution fixed (ARA), null store (PAA)
Expected: refuted
"""

from fractions import Fraction

from spec import (
    PAPER,
    SMALL_LIMITS,
    AtService,
    Base,
    Noise,
    Query,
    Report,
    Rules,
    Source,
    Trigger,
    Universe,
    replace,
)


def untruncated_noise(at: AtService, batch: tuple[Report, ...], threshold: int | None) -> Noise:
    """Return discrete Laplace noise without an end, with or without a threshold."""
    return PAPER.noise(at, batch, None)


def threshold_for_one_key(at: AtService, batch: tuple[Report, ...]) -> int | None:
    r"""Return the paper's threshold with $\Lambda_0 = 1$."""
    rules = replace(at.rules, limits=replace(at.limits, sparsity_budget=1))
    return PAPER.threshold(replace(at, rules=rules), batch)


RULES: Rules = replace(
    PAPER,
    noise=untruncated_noise,
    threshold=threshold_for_one_key,
)

PURCHASE = Trigger(report_id=0, destination="shop", filters=frozenset("a"), key=1, value=1)
UNIVERSE = Universe(
    name="three keys with a value of one each",
    limits=replace(
        SMALL_LIMITS,
        contribution_budget=3,
        sparsity_budget=3,
        epsilon=Fraction(3),
        delta=Fraction(1, 4),
        base=Base(Fraction(8, 7)),
    ),
    units=("A",),
    moves=5,
    sources=(Source(source_id="A", destination="shop", expiry=9, filters=frozenset("a"), key=0),),
    triggers=tuple(replace(PURCHASE, key=key) for key in (1, 2, 3)),
    trigger_count=3,
    queries=(Query(epsilon=Fraction(3), delta=Fraction(1, 4)),),
    query_count=1,
)
