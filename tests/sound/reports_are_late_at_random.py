"""Reports leave 10 to 60 minutes late, at random, and show the time at which they are due.

Truth: proved: the delay is drawn uniformly from a fixed table, whatever the report holds, null
    or not. The due time is the registration time plus that delay. Reports that arrive together
    keep the order of registration. So presence, time, order and what is shown have the same law
    in both worlds; the contents are those of the paper.
Status: proved
"""

from __future__ import annotations

from spec import PAPER, AtContribution, Credit, Distribution, Sent, replace
from spec.contributions import send

DELAYS = tuple(60 * minutes for minutes in (10, 20, 30, 40, 50, 60))


def send_late(at: AtContribution, granted: tuple[Credit, ...]) -> Distribution[tuple[Sent, ...]]:
    (now,) = send(at, granted)

    def due(delay: int) -> tuple[Sent, ...]:
        moment = at.now + delay
        return (replace(now, arrival=moment, shown=(now.report.report_id, moment)),)

    return Distribution.uniform(due(delay) for delay in DELAYS)


RULES = replace(PAPER, send=send_late)
