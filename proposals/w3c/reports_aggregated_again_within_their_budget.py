"""A report takes part in several jobs as long as their budgets sum to at most what it states.

Origin: ietf-wg-ppm/draft-ietf-ppm-dap#761
Expected: global proved, one view proved, one site proved
"""

from dataclasses import replace

from spec.level1 import LEVEL_1_ONE_DRAW, Aggregator, AtAggregator, Report


def accept_within_budget(at: AtAggregator, report: Report) -> Aggregator | None:
    """Add up the budgets of a report's jobs."""
    used = at.aggregator.used.get(report.report_id, 0) + at.job.minimal_budget
    if used > report.stated_budget:
        return None
    return replace(at.aggregator, used=at.aggregator.used.set(report.report_id, used))


RULES = replace(LEVEL_1_ONE_DRAW, accept=accept_within_budget)
