"""Noise is never wider than that of a query with epsilon 1/1000: more would be of no use.

Truth: refuted: a query with epsilon 10^-12 is charged that and gets the noise of 1/1000. The ledger
    allows 64 * 10^12 of them. Each has a mean privacy loss of about 10^-6 / 2, in all 3 * 10^7,
    while 64 is promised.
Status: refuted
"""

from fractions import Fraction

from spec import PAPER, replace

LEAST = Fraction(1, 1000)


def noise(at, batch, threshold):
    useful = replace(at.query, epsilon=max(at.query.epsilon, LEAST))
    return PAPER.noise(replace(at, query=useful), batch, threshold)


RULES = replace(PAPER, noise=noise)
