"""A query may say how large a value must be to count, and what the largest one counts for.

Truth: proved: what is left of a value is at most the value, and whether it counts is decided for
    each by itself.
Status: proved
"""

from dataclasses import dataclass

from spec import PAPER, Query, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class BandQuery(Query):
    least: int = 0
    most: int = 65536


def totals(at, batch):
    sums = {}
    for report in batch:
        for part in report.contributions:
            value = part.value
            if isinstance(at.query, BandQuery):
                if value < at.query.least or at.query.most < 0:
                    continue
                value = min(value, at.query.most)
            sums[part.key] = sums.get(part.key, 0) + value
    return sums


RULES = replace(PAPER, totals=totals)
