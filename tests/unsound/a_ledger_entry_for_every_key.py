"""Charge a report for each key that is asked about, not as a whole.

Truth: refuted: a query with key discovery lists no keys, is charged to no entry, and may be asked
    for ever.
Status: refuted
"""

from collections.abc import Hashable

from spec import PAPER, AtService, Report, replace


def budget_entries(at: AtService, report: Report) -> tuple[Hashable, ...]:
    return tuple((report.report_id, key) for key in at.query.keys)


RULES = replace(PAPER, budget_entries=budget_entries)
