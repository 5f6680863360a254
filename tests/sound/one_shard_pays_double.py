"""While the ledger is being moved, the reports of one shard of sixteen are charged twice.

Truth: proved: nobody is charged less than before, and who pays double follows from identifiers.
Status: proved
"""

from spec import PAPER, replace


def charge(at, spent, report):
    after = PAPER.charge(at, spent, report)
    if after is None or report.report_id % 16 != 11:
        return after
    return PAPER.charge(at, after, report)


RULES = replace(PAPER, charge=charge)
