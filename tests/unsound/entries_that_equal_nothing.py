"""A report is charged under its identifier and an iterator over its shards.

Truth: refuted: an iterator equals itself only, so that every query finds a new entry that has spent
    nothing, and a report takes part in any number of queries.
Status: refuted
"""

from spec import PAPER, replace


def budget_entries(at, report):
    return ((report.report_id, iter((0, 1))),)


RULES = replace(PAPER, budget_entries=budget_entries)
