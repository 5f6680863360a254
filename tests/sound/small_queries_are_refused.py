"""A query with an epsilon below 1/10000 is refused.

Truth: proved: what is refused follows from the query alone.
Status: proved
"""

from fractions import Fraction

from spec import PAPER, replace


def charge(at, spent, report):
    return None if at.query.epsilon < Fraction(1, 10_000) else PAPER.charge(at, spent, report)


RULES = replace(PAPER, charge=charge)
