"""A trigger states a scaling factor, and the service divides its value by it before adding noise.

The factor is encrypted with the value, so that it tells nothing. The noise stays that of the full
contribution budget. Dividing, rounded down, never raises what a source contributes, so that the
noise is more than enough. It is also useless: the ad-tech could divide the noisy sum itself and
lose nothing. (Scaling up, or shrinking the noise as well, is refuted.)

Origin: WICG/attribution-reporting-api#1188
Neighbours: attribution fixed (ARA), null store (PAA)
Expected: holds
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from spec import (
    PAPER,
    SMALL_LIMITS,
    AtService,
    AtTrigger,
    Contribution,
    Key,
    Query,
    Report,
    Rules,
    Source,
    Trigger,
    Universe,
    replace,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaledTrigger(Trigger):
    """Hold a trigger with a scaling factor."""

    scaling_factor: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaledContribution(Contribution):
    """Hold a contribution with its scaling factor."""

    scaling_factor: int


def contributions(at: AtTrigger, source: Source) -> tuple[Contribution, ...]:
    """Put the trigger's scaling factor into its contribution."""
    usual = PAPER.contributions(at, source)
    if not isinstance(at.cause, ScaledTrigger):
        return usual
    factor = at.cause.scaling_factor
    return tuple(
        ScaledContribution(key=part.key, value=part.value, scaling_factor=factor) for part in usual
    )


def totals(at: AtService, batch: tuple[Report, ...]) -> Mapping[Key, int]:
    """Sum the values per key, each divided by its own factor; one below 1 counts as 1."""
    sums: dict[Key, int] = {}
    for report in batch:
        for part in report.contributions:
            factor = max(1, part.scaling_factor) if isinstance(part, ScaledContribution) else 1
            sums[part.key] = sums.get(part.key, 0) + part.value // factor
    return sums


RULES: Rules = replace(PAPER, contributions=contributions, totals=totals)

PURCHASE = ScaledTrigger(
    report_id=0,
    destination="shop",
    filters=frozenset("a"),
    key=0,
    value=2,
)
UNIVERSE = Universe(
    name="a trigger that is scaled down",
    limits=replace(SMALL_LIMITS, delta=Fraction(1, 8)),
    units=("A",),
    moves=5,
    sources=(
        Source(source_id="A", destination="shop", expiry=9, filters=frozenset("a"), key=1),
        Source(source_id="B", destination="shop", expiry=9, filters=frozenset("b"), key=1),
    ),
    triggers=(
        PURCHASE,
        replace(PURCHASE, scaling_factor=2),
        replace(PURCHASE, filters=frozenset("b")),
    ),
    trigger_count=2,
    queries=(
        Query(epsilon=Fraction(2), keys=(1,)),
        Query(epsilon=Fraction(4), delta=Fraction(1, 8)),
    ),
    query_count=2,
)
