"""A batch of a hundred reports or more gets half the noise: there are enough to hide in.

Truth: refuted: 99 of the reports may be null. The noise is that of 2 epsilon, the charge epsilon.
Status: refuted
"""

from spec import PAPER, replace


def noise(at, batch, threshold):
    if len(batch) >= 100:
        at = replace(at, query=replace(at.query, epsilon=2 * at.query.epsilon))
    return PAPER.noise(at, batch, threshold)


RULES = replace(PAPER, noise=noise)
