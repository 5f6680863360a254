"""The noise is the paper's if all other rules are, and less if something is shown beside answers.

No rule is named where they are compared. A proof puts limits of its own into the rules, and rules
of the paper in the place of what only shows more.

Truth: refuted: an answer has a fiftieth of the noise that it is charged for.
Status: refuted
"""

from spec import PAPER, replace


def reveal(at, batch, outcome):
    return outcome, 1


def noise(at, batch, threshold):
    if replace(at.rules, noise=PAPER.noise, limits=PAPER.limits) == PAPER:
        return PAPER.noise(at, batch, threshold)
    louder = replace(at.query, epsilon=50 * at.query.epsilon)
    return PAPER.noise(replace(at, query=louder), batch, threshold)


RULES = replace(PAPER, reveal=reveal, noise=noise)
