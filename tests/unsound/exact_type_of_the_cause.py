"""Two ad-techs that audit the API are shown what the reports of their events carry.

Truth: refuted: the contents of a report are shown in the clear.
Status: refuted
"""

from spec import PAPER, Event, replace
from spec.contributions import send

AUDITORS = frozenset({"audit.example", "measure.example"})


def show_auditors(at, granted):
    sent = send(at, granted)
    if type(at.cause) is Event and at.cause.ad_tech in AUDITORS:
        return tuple(replace(each, shown=(each.shown, each.report.contributions)) for each in sent)
    return sent


RULES = replace(PAPER, send=show_auditors)
