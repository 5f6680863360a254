"""Beside the budget of each report there is one for all queries of a day together.

Truth: proved: every report is charged as ever, and the entry of the day refuses by the time alone.
Status: proved
"""

from collections.abc import Hashable

from spec import PAPER, AtService, Report, replace

DAY = 86400


def entries(at: AtService, report: Report) -> tuple[Hashable, ...]:
    return (report.report_id, ("day", at.now // DAY))


RULES = replace(PAPER, budget_entries=entries)
