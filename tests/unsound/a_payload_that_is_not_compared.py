"""Reports are shown as objects that are equal if their identifiers are; they bring the payload.

Truth: refuted: the payload is shown in the clear, though it takes no part in a comparison.
Status: refuted
"""

from dataclasses import dataclass, field

from spec import PAPER, replace
from spec.contributions import send


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    report_id: int
    payload: tuple = field(default=(), compare=False)


def send_envelopes(at, granted):
    return tuple(
        replace(
            each,
            shown=Envelope(report_id=each.report.report_id, payload=each.report.contributions),
        )
        for each in send(at, granted)
    )


RULES = replace(PAPER, send=send_envelopes)
