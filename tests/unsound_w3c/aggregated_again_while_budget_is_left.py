"""A report may be aggregated again while some of its stated budget is left.

Truth: unsound. It is tested that something is left, not that it is enough for this job. A report
that states 10 grains takes part in a job for 9 and then in one for 10: answers worth 19 grains, of
which the device paid for 10.
"""

from dataclasses import replace

from spec.level1 import LEVEL_1_ONE_DRAW, Aggregator, AtAggregator, Report


def accept(at: AtAggregator, report: Report) -> Aggregator | None:
    asked = at.job.minimal_budget
    used = at.aggregator.used.get(report.report_id, 0)
    if report.stated_budget < asked or used >= report.stated_budget:
        return None
    return replace(at.aggregator, used=at.aggregator.used.set(report.report_id, used + asked))


RULES = replace(LEVEL_1_ONE_DRAW, accept=accept)
