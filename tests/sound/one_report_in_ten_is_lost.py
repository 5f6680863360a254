"""One report in ten, whether or not it is null, gets lost.

Truth: proved: whether a report is lost is drawn from nothing that it carries.
Status: proved
"""

from fractions import Fraction

from spec import PAPER, coin, replace
from spec.contributions import send

ARRIVES = coin(Fraction(9, 10))


def send_most(at, granted):
    sent = send(at, granted)
    return ARRIVES.map(lambda arrives: sent if arrives else ())


RULES = replace(PAPER, send=send_most)
