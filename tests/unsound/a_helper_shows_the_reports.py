"""A helper collects the reports of a batch, and they are shown beside the answer.

Truth: refuted: the ad-tech sees what the reports hold, and so which source was credited.
Status: refuted
"""

from spec import PAPER, replace


def note(shown, report):
    shown.append(report)


def reveal(at, batch, outcome):
    shown = []
    for report in batch:
        note(shown, report)
    return outcome, tuple(shown)


RULES = replace(PAPER, reveal=reveal)
