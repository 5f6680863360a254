"""Event level: a source that has expired sends no more reports.

Truth: proved: which reports are dropped follows from the time and from the sources' expiry.
Status: proved
"""

from spec import PAPER, replace


def pass_windows(at, since, draw):
    client, reports = PAPER.pass_windows(at, since, draw)
    alive = {r.source.source_id for r in client.records if at.now < r.source.expiry}
    return client, tuple(report for report in reports if report.source_id in alive)


RULES = replace(PAPER, pass_windows=pass_windows)
