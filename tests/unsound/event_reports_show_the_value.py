"""Event-level reports also show the sum of the values of their trigger datum.

Truth: refuted: the sum is that of the truthful account, whether or not the report is drawn.
Status: refuted
"""

from spec import PAPER, replace


def event_visible(at, report):
    (record,) = (r for r in at.client.records if r.source.source_id == report.source_id)
    return report, record.values.get(report.data, 0)


RULES = replace(PAPER, event_visible=event_visible)
