"""Reports leave at the next full hour.

Truth: proved: when a report arrives depends on the time of its trigger or event alone.
Status: proved
"""

from spec import PAPER, replace
from spec.contributions import send

HOUR = 3600


def send_on_the_hour(at, granted):
    hour = at.now - at.now % HOUR + HOUR
    return tuple(replace(each, arrival=hour) for each in send(at, granted))


RULES = replace(PAPER, send=send_on_the_hour)
