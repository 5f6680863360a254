"""The noise shrinks with every thousand reports of a query: many reports hide each other.

Truth: refuted: null reports hide nothing. A batch of the report of x and a thousand null reports
    gets the noise of 2 epsilon and is charged epsilon.
Status: refuted
"""

from spec import PAPER, replace


def noise(at, batch, threshold):
    sharper = 1 + len(at.query.report_ids) // 1001
    asked = replace(at.query, epsilon=sharper * at.query.epsilon)
    return PAPER.noise(replace(at, query=asked), batch, threshold)


RULES = replace(PAPER, noise=noise)
