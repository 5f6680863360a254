"""From 23:00 on reports that carry something wait for the next day, when there is less traffic.

Truth: refuted: after 23:00 the report of x arrives at midnight, and the null report at once.
Status: refuted
"""

from spec import PAPER, replace
from spec.contributions import send

HOUR = 3600
DAY = 24 * HOUR


def wait_for_midnight(at, granted):
    sent = send(at, granted)
    if at.now % DAY < 23 * HOUR or not granted:
        return sent
    return tuple(replace(each, arrival=at.now - at.now % DAY + DAY) for each in sent)


RULES = replace(PAPER, send=wait_for_midnight)
