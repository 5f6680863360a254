"""Every report is padded to four contributions with zeros for key 0.

Truth: proved: zeros change no sum, noise around zero never passes the threshold, and null reports
    are padded alike.
Status: not refuted
"""

from spec import PAPER, Contribution, replace
from spec.contributions import send

PADDED = 4
ZERO = Contribution(key=0, value=0)


def send_padded(at, granted):
    (sent,) = send(at, granted)
    parts = sent.report.contributions
    padded = (*parts, *(ZERO,) * (PADDED - len(parts)))
    return (replace(sent, report=replace(sent.report, contributions=padded)),)


RULES = replace(PAPER, send=send_padded)
