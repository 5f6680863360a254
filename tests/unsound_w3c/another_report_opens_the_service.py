"""Once report 7 is on record, every other report is accepted again.

Truth: unsound. Whoever sends report 7 first may aggregate the others as often as it likes.
"""

from dataclasses import replace

from spec.level1 import LEVEL_1_ONE_DRAW, Aggregator, AtAggregator, Report
from spec.level1.aggregation import accept


def accept_after_seven(at: AtAggregator, report: Report) -> Aggregator | None:
    if 7 in at.aggregator.used and report.report_id != 7:
        return at.aggregator
    return accept(at, report)


RULES = replace(LEVEL_1_ONE_DRAW, accept=accept_after_seven)
