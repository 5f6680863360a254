"""A batch of a hundred reports or more gets twice the noise, and the threshold that belongs to it.

Truth: proved: the size of a batch is public, and the query is charged more than it costs.
Status: proved
"""

from spec import PAPER, replace


def with_more_noise(at, batch):
    if len(batch) < 100:
        return at
    return replace(at, query=replace(at.query, epsilon=at.query.epsilon / 2))


def threshold(at, batch):
    return PAPER.threshold(with_more_noise(at, batch), batch)


def noise(at, batch, threshold):
    return PAPER.noise(with_more_noise(at, batch), batch, threshold)


RULES = replace(PAPER, threshold=threshold, noise=noise)
