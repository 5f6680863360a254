"""A report that is listed twice in a batch counts once.

The first report with an identifier counts and its repetitions are dropped silently. The rule is the
paper's own, where a batch is a set, written out.

Origin: privacysandbox/aggregation-service#26
Neighbours: attribution fixed (ARA), null store (PAA)
Expected: holds
"""

from spec import PAPER, AtService, Report, Rules, replace


def first_of_each(at: AtService, reports: tuple[Report, ...]) -> tuple[Report, ...]:
    """Keep the first report with each identifier."""
    kept: dict[int, Report] = {}
    for report in reports:
        kept.setdefault(report.report_id, report)
    return tuple(kept.values())


RULES: Rules = replace(PAPER, batch=first_of_each)
