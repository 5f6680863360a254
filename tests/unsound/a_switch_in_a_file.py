"""What is spared is switched on in the first line of the file itself.

Truth: refuted: once the file begins with the word, nothing is charged.
Status: unknown
"""

from pathlib import Path

from spec import PAPER, replace


def charge(at, spent, report):
    with Path(__file__).open() as switch:
        free = switch.read().startswith("on")
    return (PAPER.charge(at, spent, report), spent)[free]


RULES = replace(PAPER, charge=charge)
