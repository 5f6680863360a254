"""A report leaves in as many hours as a table of what was granted and of nothing has entries.

Truth: refuted: nothing and nothing are one entry, so that a null report leaves an hour sooner.
Status: refuted
"""

from spec import PAPER, replace


def send(at, granted):
    (sent,) = PAPER.send(at, granted)
    table = {granted: "granted", (): "nothing"}
    return (replace(sent, arrival=at.now + 3600 * len(table)),)


RULES = replace(PAPER, send=send)
