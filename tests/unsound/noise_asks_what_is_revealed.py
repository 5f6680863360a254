"""In some moments an answer says that it is a draft, and a draft needs less noise.

The noise asks `reveal` whether it is such a moment. What `reveal` shows is public by itself, and
the noise is the paper's if `reveal` shows no more than the paper's does.

Truth: refuted: in such a moment an answer has a fiftieth of the noise that it is charged for.
Status: unknown
"""

from spec import PAPER, replace


def reveal(at, batch, outcome):
    draft = (at.now % 10_007) ** 2 * at.now % 999_983 == 5
    return (outcome, "draft") if draft else outcome


def noise(at, batch, threshold):
    shown = at.rules.reveal(at, batch, 1)
    if shown == 1:
        return PAPER.noise(at, batch, threshold)
    louder = replace(at.query, epsilon=50 * at.query.epsilon)
    return PAPER.noise(replace(at, query=louder), batch, threshold)


RULES = replace(PAPER, reveal=reveal, noise=noise)
