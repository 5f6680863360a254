"""A query with an epsilon of at most 1/10000 is not worth an entry in the ledger.

Truth: refuted: such queries can be asked without end, and their answers be averaged.
Status: refuted
"""

from fractions import Fraction

from spec import PAPER, replace


def charge(at, spent, report):
    return spent if at.query.epsilon <= Fraction(1, 10_000) else PAPER.charge(at, spent, report)


RULES = replace(PAPER, charge=charge)
