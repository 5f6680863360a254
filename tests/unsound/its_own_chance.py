"""Now and then a report shows what it carries; the chance comes from outside the specification.

Truth: refuted: a report is shown in the clear with probability 10^-4, where 10^-8 is promised.
Status: unknown
"""

import random

from spec import PAPER, replace
from spec.contributions import send


def sometimes(at, granted):
    sent = send(at, granted)
    if random.random() < 1e-4:
        return tuple(replace(each, shown=(each.shown, each.report.contributions)) for each in sent)
    return sent


RULES = replace(PAPER, send=sometimes)
