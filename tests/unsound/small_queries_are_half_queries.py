"""A query with a small epsilon counts as half a query, and the other half is not charged.

Truth: refuted: who asks with a thousandth of a unit first may then ask with any epsilon for free.
Status: unknown
"""

from fractions import Fraction

from spec import PAPER, replace

SMALL = Fraction(1, 10**9)


def charge(at, spent, report):
    if spent.queries % 1 != 0:
        return spent
    after = PAPER.charge(at, spent, report)
    if after is None or at.query.epsilon > SMALL:
        return after
    return replace(after, queries=after.queries + Fraction(1, 2))


RULES = replace(PAPER, charge=charge)
