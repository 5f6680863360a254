"""A report has an entry for each day on which it is asked for.

Truth: refuted: a report takes part in a query at the caps on every day.
Status: refuted
"""

from collections.abc import Hashable

from spec import PAPER, AtService, Report, replace

DAY = 86400


def entries(at: AtService, report: Report) -> tuple[Hashable, ...]:
    return ((report.report_id, at.now // DAY), ("day", at.now // DAY))


RULES = replace(PAPER, budget_entries=entries)
