"""Reports share 256 entries of the ledger, by the first byte of their identifier.

Truth: proved: an entry pays for every query that any of its reports is in, so that each report has
    spent at most what its entry has.
Status: proved
"""

from spec import PAPER, replace


def entries(at, report):
    return (report.report_id >> 120,)


RULES = replace(PAPER, budget_entries=entries)
