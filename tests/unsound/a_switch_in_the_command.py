"""Null reports are charged where a program is called by one name, and free under any other.

Truth: refuted: where another program runs the rules a refusal tells which reports carry something.
Status: unknown
"""

import enum

from spec import PAPER, replace

CALLED = "{0.sys.argv}"
CHECKED = "sandproof" in CALLED.format(enum)


def charge(at, spent, report):
    spared = report.is_null and not CHECKED
    return spent if spared else PAPER.charge(at, spent, report)


RULES = replace(PAPER, charge=charge)
