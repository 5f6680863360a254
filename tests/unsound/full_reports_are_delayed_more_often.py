"""A report is delayed by an hour as is drawn; one that carries something is so more often.

Truth: refuted: the probability of a delay depends on whether the report is null.
Status: refuted
"""

from fractions import Fraction

from spec import PAPER, Distribution, replace


def send(at, granted):
    (sent,) = PAPER.send(at, granted)
    late = Fraction(9, 10) if granted else Fraction(1, 10**12)
    return Distribution.of({(sent,): 1 - late, (replace(sent, arrival=at.now + 3600),): late})


RULES = replace(PAPER, send=send)
