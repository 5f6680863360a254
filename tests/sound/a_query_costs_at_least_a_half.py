"""A query is charged an epsilon of at least one half.

Truth: proved: nobody is charged less than before.
Status: proved
"""

from fractions import Fraction

from spec import PAPER, replace


def charge(at, spent, report):
    cost = replace(at.query, epsilon=max(at.query.epsilon, Fraction(1, 2)))
    return PAPER.charge(replace(at, query=cost), spent, report)


RULES = replace(PAPER, charge=charge)
