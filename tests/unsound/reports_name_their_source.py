"""A report names the source that the trigger was attributed to.

Truth: refuted: who was credited is what is protected.
Status: refuted
"""

from spec import PAPER, replace
from spec.contributions import send


def send_with_source(at, granted):
    credited = tuple(credit.unit for credit in granted)
    return tuple(replace(each, shown=(each.shown, credited)) for each in send(at, granted))


RULES = replace(PAPER, send=send_with_source)
