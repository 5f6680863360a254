"""Event level: once a source has expired its reports are true; nobody targets by it any more.

Truth: refuted: a window that ends after the source's expiry sends what really happened.
Status: refuted
"""

from spec import PAPER, replace


def pass_windows(at, since, draw):
    records = tuple(
        replace(each, response=None) if each.source.expiry <= at.now else each
        for each in at.client.records
    )
    return PAPER.pass_windows(replace(at, client=replace(at.client, records=records)), since, draw)


RULES = replace(PAPER, pass_windows=pass_windows)
