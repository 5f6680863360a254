"""Reports with an unusual value are reviewed for an hour before they are sent.

Truth: refuted: a report of x with a value of 30000 arrives an hour after the null report would.
Status: refuted
"""

from spec import PAPER, replace
from spec.contributions import send


def reviewed(band, seconds):
    def send_reviewed(at, granted):
        (sent,) = send(at, granted)
        unusual = any(part.value in band for part in sent.report.contributions)
        return (replace(sent, arrival=sent.arrival + seconds * unusual),)

    return send_reviewed


RULES = replace(PAPER, send=reviewed(range(20_000, 60_000), 3600))
