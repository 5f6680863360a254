"""An event-level report says how many reports its source has sent.

Truth: refuted: the client counts the reports of the truthful account. A drawn report that is shown
    with number zero is known to be drawn.
Status: refuted
"""

from spec import PAPER, replace


def event_visible(at, report):
    (sent,) = (r.sent for r in at.client.records if r.source.source_id == report.source_id)
    return report, sent


RULES = replace(PAPER, event_visible=event_visible)
