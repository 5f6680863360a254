"""With key discovery, sums are shown in the order in which the reports of a batch name their keys.

Truth: refuted: the order is made after the noise, but from what is in the reports: the first
    report is that of x and names the second key.
Status: refuted
"""

from spec import PAPER, Answer, replace


def reveal(at, batch, outcome):
    if not isinstance(outcome, Answer) or not at.query.discovers_keys:
        return outcome
    named = dict.fromkeys(part.key for report in batch for part in report.contributions)
    noisy = dict(outcome.released)
    return Answer(released=tuple((key, noisy[key]) for key in named if key in noisy))


RULES = replace(PAPER, reveal=reveal)
