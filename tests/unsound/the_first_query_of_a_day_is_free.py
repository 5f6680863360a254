"""The first query that the service answers on a day is not charged.

Truth: refuted: time passes, and every day the same report can be asked for with any epsilon.
Status: refuted
"""

from dataclasses import dataclass

from spec import PAPER, Service, replace

DAY = 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class DailyService(Service):
    last_day: int = -1


def settle(at, batch):
    if at.now // DAY > at.service.last_day:
        return at.service.ledger, batch
    return PAPER.settle(at, batch)


def serve(at, reports, draw):
    service, shown = PAPER.serve(at, reports, draw)
    return replace(service, last_day=at.now // DAY), shown


RULES = replace(
    PAPER, settle=settle, serve=serve, initial=replace(PAPER.initial, service=DailyService())
)
