"""A report is as long as what it carries, and its length is seen on the way.

Truth: refuted: a null report is shorter than one that carries a contribution.
Status: refuted
"""

from spec import PAPER, replace
from spec.contributions import send


def send_as_long_as_needed(at, granted):
    (sent,) = send(at, granted)
    return (replace(sent, shown=(sent.shown, len(sent.report.contributions))),)


RULES = replace(PAPER, send=send_as_long_as_needed)
