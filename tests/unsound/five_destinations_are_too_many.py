"""A device that has contributed to five destinations is taken for a robot: no more reports.

Truth: refuted: a source counts once it has contributed. With x the device has five destinations,
    and the report of the next trigger is missing; without x it has four, and the report is sent.
Status: refuted
"""

from spec import PAPER, replace
from spec.contributions import send


def send_unless_robot(at, granted):
    sources = getattr(at.client, "sources", ())
    used = {s.destination for s in sources if at.client.budgets[s.source_id].value > 0}
    return () if len(used) >= 5 else send(at, granted)


RULES = replace(PAPER, send=send_unless_robot)
