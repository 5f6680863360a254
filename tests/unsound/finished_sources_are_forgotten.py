"""Once windows have passed, sources that are no longer active are deleted.

Truth: refuted: a source becomes inactive by its true account, and its drawn response goes with it.
    With three windows and one report, a report in the third is impossible after a trigger in the
    first, and possible without it.
Status: refuted
"""

from spec import PAPER, replace


def pass_windows(at, since, draw):
    client, reports = PAPER.pass_windows(at, since, draw)
    kept = tuple(record for record in client.records if record.active)
    return replace(client, records=kept), reports


RULES = replace(PAPER, pass_windows=pass_windows)
