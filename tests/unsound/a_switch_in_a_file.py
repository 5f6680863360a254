"""What is spared is switched on in a file that lies on the service's machine.

Truth: refuted: with the switch on, nothing is charged.
Status: unknown
"""

from pathlib import Path

from spec import PAPER, replace


def charge(at, spent, report):
    with Path("switch.txt").open() as switch:
        free = int(switch.read() or "0")
    return (PAPER.charge(at, spent, report), spent)[free]


RULES = replace(PAPER, charge=charge)
