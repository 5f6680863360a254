"""Every report is padded with zeros to twenty contributions, so that its length tells nothing.

Truth: proved: Zeros change no sum. With key discovery key 0 is now always looked at, but noise
    around a sum of zero never exceeds tau, so it is released only if it would have been before.
    Null reports are padded, too; identifier and arrival stay as they are, and the ledger does
    not look into reports.
Status: proved
"""

from spec import PAPER, Contribution, replace
from spec.contributions import send as paper_send

LENGTH = 20


def send(at, granted):
    """Send what the paper sends, padded."""
    (sent,) = paper_send(at, granted)
    parts = sent.report.contributions
    padding = (Contribution(key=0, value=0),) * (LENGTH - len(parts))
    return (replace(sent, report=replace(sent.report, contributions=parts + padding)),)


RULES = replace(PAPER, send=send)
