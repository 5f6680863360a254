"""Reports that were issued again after an outage are not charged, null reports included.

Truth: refuted: a report with an identifier in the range can be asked for without end.
Status: refuted
"""

from spec import PAPER, replace

REISSUED = frozenset(range(50_000, 60_000))


def charge(at, spent, report):
    return spent if report.report_id in REISSUED else PAPER.charge(at, spent, report)


RULES = replace(PAPER, charge=charge)
