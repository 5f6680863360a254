"""A report shows its length, padded to a multiple of twenty.

Truth: proved: a trigger or an event contributes at most twenty times, so that every report shows
    twenty.
Status: not refuted
"""

from spec import PAPER, replace
from spec.contributions import send


def padded(at, granted):
    length = sum(len(credit.contributions) for credit in granted)
    shown = max(20, (length + 19) // 20 * 20)
    return tuple(replace(each, shown=(each.shown, shown)) for each in send(at, granted))


RULES = replace(PAPER, send=padded)
