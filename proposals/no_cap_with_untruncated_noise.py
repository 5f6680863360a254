r"""A source may contribute any number of times, and present keys get untruncated noise.

The cap on the number of reports per source is dropped: only the sum of values is bounded. Then a
source can spread its budget over $\Lambda_1 = 65536$ keys. With untruncated noise each of them may
be released because of its noise, and the chances add up to more than $\delta$ for every $\epsilon$
below about 10.4. With truncated noise there is no need for the cap: see no_cap_on_contributions.py.

Origin: WICG/attribution-reporting-api#1475 with the noise of privacysandbox/aggregation-service
Neighbours: attribution fixed (ARA), null store (PAA)
Expected: refuted
"""

from fractions import Fraction

from spec import (
    PAPER,
    SMALL_LIMITS,
    AtContribution,
    AtService,
    Base,
    Budget,
    Contribution,
    Noise,
    Query,
    Report,
    Rules,
    Source,
    Trigger,
    Unit,
    Universe,
    replace,
)


def admit_without_a_count(
    at: AtContribution, unit: Unit, spent: Budget, contribution: Contribution
) -> tuple[Budget, bool]:
    """Bound the sum of values only."""
    value = spent.value + contribution.value
    if value > at.limits.contribution_budget:
        return spent, False
    return replace(spent, value=value, count=spent.count + 1), True


def untruncated_noise(at: AtService, batch: tuple[Report, ...], threshold: int | None) -> Noise:
    """Return discrete Laplace noise without an end, with or without a threshold."""
    return PAPER.noise(at, batch, None)


def threshold_for_one_key(at: AtService, batch: tuple[Report, ...]) -> int | None:
    r"""Return the paper's threshold with $\Lambda_0 = 1$."""
    rules = replace(at.rules, limits=replace(at.limits, sparsity_budget=1))
    return PAPER.threshold(replace(at, rules=rules), batch)


RULES: Rules = replace(
    PAPER,
    admit=admit_without_a_count,
    noise=untruncated_noise,
    threshold=threshold_for_one_key,
)

PURCHASE = Trigger(report_id=0, destination="shop", filters=frozenset("a"), key=1, value=1)
UNIVERSE = Universe(
    name="three keys with a value of one each",
    limits=replace(
        SMALL_LIMITS,
        contribution_budget=3,
        sparsity_budget=1,
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
