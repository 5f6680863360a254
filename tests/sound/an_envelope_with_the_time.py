"""Reports are shown as objects that are equal if their identifiers are; they bring the time.

Truth: proved: the time of the trigger or event is known to the ad-tech.
Status: not refuted
"""

from dataclasses import dataclass, field

from spec import PAPER, replace
from spec.contributions import send


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    report_id: int
    made_at: int = field(default=0, compare=False)


def send_envelopes(at, granted):
    return tuple(
        replace(each, shown=Envelope(report_id=each.report.report_id, made_at=at.now))
        for each in send(at, granted)
    )


RULES = replace(PAPER, send=send_envelopes)
