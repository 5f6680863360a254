"""Where a switch is set in the environment, reports show what they carry.

Truth: refuted: where the switch is set the contents of reports are shown in the clear.
Status: unknown
"""

import os

from spec import PAPER, replace
from spec.contributions import send


def switched(at, granted):
    sent = send(at, granted)
    if os.environ.get("SHOW_ALL_REPORTS") == "yes":
        return tuple(replace(each, shown=(each.shown, each.report.contributions)) for each in sent)
    return sent


RULES = replace(PAPER, send=switched)
