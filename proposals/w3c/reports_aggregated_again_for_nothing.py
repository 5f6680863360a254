"""A report takes part in every job whose budget is at most what it states.

Origin: ietf-wg-ppm/draft-ietf-ppm-dap#761
Expected: global refuted, one view refuted, one site refuted
"""

from dataclasses import replace

from spec.level1 import LEVEL_1_ONE_DRAW, Aggregator, AtAggregator, Report


def accept_any_number_of_times(at: AtAggregator, report: Report) -> Aggregator | None:
    """Compare each job by itself."""
    return at.aggregator if at.job.minimal_budget <= report.stated_budget else None


RULES = replace(LEVEL_1_ONE_DRAW, accept=accept_any_number_of_times)
