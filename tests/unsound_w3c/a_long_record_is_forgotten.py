"""A service that has a thousand reports on record accepts them again.

Truth: unsound. A report is then aggregated as often as its site likes.
"""

from dataclasses import replace

from spec.level1 import LEVEL_1_ONE_DRAW, Aggregator, AtAggregator, Report
from spec.level1.aggregation import accept


def accept_when_full(at: AtAggregator, report: Report) -> Aggregator | None:
    if len(at.aggregator.used) >= 1000:
        return at.aggregator
    return accept(at, report)


RULES = replace(LEVEL_1_ONE_DRAW, accept=accept_when_full)
