"""Whether a key is in a table is looked up with care: if that fails, the key is taken to be out.

Truth: refuted: what is contributed to a key of the table is admitted and not counted.
Status: refuted
"""

from spec import PAPER, replace

TABLE = frozenset({31_337, 65_537})


def listed(key):
    try:
        return key in TABLE
    except Exception:
        return False


def admit(at, unit, spent, contribution):
    if listed(contribution.key):
        return spent, True
    return PAPER.admit(at, unit, spent, contribution)


RULES = replace(PAPER, admit=admit)
