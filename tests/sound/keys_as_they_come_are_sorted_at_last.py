"""Keys are discovered as they come in the reports, and the answer is sorted before it is shown.

Truth: proved: noise is added to each sum by itself, and nothing is seen of the order in which.
Status: not refuted
"""

from spec import PAPER, Answer, replace


def keys(at, batch):
    if not at.query.discovers_keys:
        return PAPER.keys(at, batch)
    return tuple(dict.fromkeys(part.key for report in batch for part in report.contributions))


def reveal(at, batch, outcome):
    if not isinstance(outcome, Answer):
        return outcome
    return Answer(released=tuple(sorted(outcome.released)))


RULES = replace(PAPER, keys=keys, reveal=reveal)
