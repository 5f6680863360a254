"""From 23:00 on all reports wait for the next day, when there is less traffic.

Truth: proved: when a report arrives depends on the time alone.
Status: proved
"""

from spec import PAPER, replace
from spec.contributions import send

HOUR = 3600
DAY = 24 * HOUR


def wait_for_midnight(at, granted):
    sent = send(at, granted)
    if at.now % DAY < 23 * HOUR:
        return sent
    return tuple(replace(each, arrival=at.now - at.now % DAY + DAY) for each in sent)


RULES = replace(PAPER, send=wait_for_midnight)
