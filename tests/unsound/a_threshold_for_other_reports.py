"""The threshold may be asked for some of the reports, and is shown beside an answer.

It is raised by what these reports hold, so that no key stands out.

Truth: refuted: the threshold of the whole batch is shown, and with it the exact sum of its values.
Status: refuted
"""

from spec import PAPER, replace


def threshold(at, batch, among=()):
    if not among:
        return PAPER.threshold(at, batch)
    return sum(part.value for report in among for part in report.contributions)


def reveal(at, batch, outcome):
    return outcome, at.rules.threshold(at, batch, batch)


RULES = replace(PAPER, threshold=threshold, reveal=reveal)
