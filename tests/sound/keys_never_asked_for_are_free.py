"""A batch that was paid for may be asked for keys that no list had, at the same epsilon, for free.

Truth: proved: every key is answered once for a charge. What a unit gives to all keys together is
    within its budget, so that all these lists tell as much as one list of all keys.
Status: not refuted
"""

from collections.abc import Hashable
from dataclasses import dataclass

from immutables import Map

from spec import PAPER, Aborted, AtService, Draw, Key, Report, Service, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class JobService(Service):
    """Remember the batches that were paid for, with the lists of keys they were asked for."""

    paid: Map[Hashable, frozenset[tuple[Key, ...]]] = Map()


def serve(at: AtService, reports: tuple[Report, ...], draw: Draw) -> tuple[Service, Hashable]:
    service, query = at.service, at.query
    assert isinstance(service, JobService)
    job = (frozenset(query.report_ids), query.epsilon, query.delta)
    lists = service.paid.get(job, frozenset())
    if lists and query.keys and all(set(query.keys).isdisjoint(known) for known in lists):
        batch = draw(at.rules.batch(at, reports))
        outcome = at.rules.answer(at, batch, draw)
        after, shown = service, draw(at.rules.reveal(at, batch, outcome))
    else:
        after, shown = PAPER.serve(at, reports, draw)
    if query.keys and not isinstance(shown, Aborted):
        after = replace(after, paid=service.paid.set(job, lists | {query.keys}))
    return after, shown


RULES = replace(PAPER, initial=replace(PAPER.initial, service=JobService()), serve=serve)
