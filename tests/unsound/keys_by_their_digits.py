"""Keys that end in five nines when written down are reserved for tests and cost nothing.

Truth: refuted: what is contributed to key 99999 is admitted and not counted.
Status: refuted
"""

from spec import PAPER, replace


def admit(at, unit, spent, contribution):
    if f"{contribution.key}".endswith("99999"):
        return spent, True
    return PAPER.admit(at, unit, spent, contribution)


RULES = replace(PAPER, admit=admit)
