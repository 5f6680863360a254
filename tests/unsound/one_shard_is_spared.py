"""While the ledger is being moved, one shard of sixteen is not charged.

Truth: refuted: a report whose identifier falls into the shard can be asked for without end.
Status: refuted
"""

from spec import PAPER, replace


def charge(at, spent, report):
    return spent if hash(report.report_id) % 16 == 11 else PAPER.charge(at, spent, report)


RULES = replace(PAPER, charge=charge)
