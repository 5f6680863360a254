"""A job that was answered before gets the same answer again and pays nothing.

Truth: proved: answers are kept under the whole query (parameters, identifiers, keys), and the
    reports behind identifiers never change, so a repeated job shows only what was shown
    already. Refusals are not kept. Which queries are in the cache follows from what the ad-tech
    asked and saw, so it does not differ between worlds beyond the transcript.
Status: proved
"""

from collections.abc import Hashable
from dataclasses import dataclass

from immutables import Map

from spec import PAPER, Aborted, AtService, Draw, Outcome, Query, Report, Service, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceWithCache(Service):
    answered: Map[Query, Hashable] = Map()


def serve(at: AtService, reports: tuple[Report, ...], draw: Draw) -> tuple[Service, Hashable]:
    service = at.service
    if at.query in service.answered:
        return service, service.answered[at.query]

    batch = draw(at.rules.batch(at, reports))
    ledger, accepted = draw(at.rules.settle(at, batch))
    at = replace(at, service=replace(service, ledger=ledger))
    outcome: Outcome = Aborted()
    if accepted is not None:
        outcome = at.rules.answer(at, accepted, draw)
    shown = draw(at.rules.reveal(at, batch, outcome))
    if accepted is None:
        return at.service, shown
    return replace(at.service, answered=service.answered.set(at.query, shown)), shown


RULES = replace(PAPER, serve=serve, initial=replace(PAPER.initial, service=ServiceWithCache()))
