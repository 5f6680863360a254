"""Noise and threshold are those of epsilon ten at least, whatever a query asks for.

Truth: proved: there is more noise, with the threshold that belongs to it, at the same charge.
Status: proved
"""

from fractions import Fraction

from spec import PAPER, replace

MOST = Fraction(10)


def capped(at):
    return replace(at, query=replace(at.query, epsilon=min(at.query.epsilon, MOST)))


def threshold(at, batch):
    return PAPER.threshold(capped(at), batch)


def noise(at, batch, threshold):
    return PAPER.noise(capped(at), batch, threshold)


RULES = replace(PAPER, threshold=threshold, noise=noise)
