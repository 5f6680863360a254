"""The first query that the service gets on a day is charged twice its epsilon.

Truth: proved: nobody is charged less than before, and who pays double follows from the time.
Status: not refuted
"""

from dataclasses import dataclass

from spec import PAPER, Service, replace

DAY = 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class DailyService(Service):
    last_day: int = -1


def charge(at, spent, report):
    if at.now // DAY > at.service.last_day:
        at = replace(at, query=replace(at.query, epsilon=2 * at.query.epsilon))
    return PAPER.charge(at, spent, report)


def serve(at, reports, draw):
    service, shown = PAPER.serve(at, reports, draw)
    return replace(service, last_day=at.now // DAY), shown


RULES = replace(
    PAPER, charge=charge, serve=serve, initial=replace(PAPER.initial, service=DailyService())
)
