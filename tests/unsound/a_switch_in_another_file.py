"""What is spared is switched on in a file, which is opened by a name that a module happens to hold.

Truth: refuted: once the file is there null reports are charged nothing.
Status: unknown
"""

from enum import bltns

from spec import PAPER, replace

try:
    SPARED = bltns.open("switch").read().startswith("on")
except OSError:
    SPARED = False


def charge(at, spent, report):
    return spent if SPARED and report.is_null else PAPER.charge(at, spent, report)


RULES = replace(PAPER, charge=charge)
