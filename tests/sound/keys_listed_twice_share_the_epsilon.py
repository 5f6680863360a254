"""A key is answered as often as it is listed, with noise for a share of the epsilon.

Truth: proved: if no key is listed more than n times, every line has the noise of an nth of the
    query's epsilon. The lines of one key together tell as much as one line did.
Status: not refuted
"""

from spec import PAPER, replace


def keys(at, batch):
    return at.query.keys or PAPER.keys(at, batch)


def noise(at, batch, threshold):
    times = max((at.query.keys.count(key) for key in at.query.keys), default=1)
    share = replace(at.query, epsilon=at.query.epsilon / times)
    return PAPER.noise(replace(at, query=share), batch, threshold)


RULES = replace(PAPER, keys=keys, noise=noise)
