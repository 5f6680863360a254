"""Event level: at most three reports of a device are sent when time passes; the rest is dropped.

Truth: proved: this is computed from what the sources would have sent.
Status: proved
"""

from spec import PAPER, replace


def pass_windows(at, since, draw):
    client, reports = PAPER.pass_windows(at, since, draw)
    return client, reports[:3]


RULES = replace(PAPER, pass_windows=pass_windows)
