"""A query may name a divisor, and counts every value twice if it names none.

Truth: refuted: the sums move by twice the budget, with the noise for once.
Status: refuted
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from spec import PAPER, AtService, Query, Report, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedQuery(Query):
    """A query with a divisor, or none."""

    divisor: int | None = None


def totals(at: AtService, batch: tuple[Report, ...]) -> Mapping[int, int]:
    """Sum, each value doubled if no divisor is given with a weighted query."""
    sums: dict[int, int] = {}
    for report in batch:
        for part in report.contributions:
            more = part.value
            if isinstance(at.query, WeightedQuery) and at.query.divisor is None:
                more = 2 * part.value
            sums[part.key] = sums.get(part.key, 0) + more
    return sums


RULES = replace(PAPER, totals=totals)
