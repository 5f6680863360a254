"""A query with an epsilon of 63 is free if the service would answer at all.

The charge asks `answer` about no reports, with a draw of its own.

Truth: refuted: queries with this epsilon are charged nothing, however many there are.
Status: refuted
"""

from fractions import Fraction

from spec import PAPER, Query, replace

FREE = Fraction(63)
PROBE = Query(epsilon=Fraction(1), keys=(1,))


def zero(law):
    return 0


def charge(at, spent, report):
    probe = replace(at, rules=replace(at.rules, limits=PAPER.limits), query=PROBE)
    if at.query.epsilon == FREE and at.rules.answer(probe, (), zero).released:
        return spent
    return PAPER.charge(at, spent, report)


RULES = replace(PAPER, charge=charge)
