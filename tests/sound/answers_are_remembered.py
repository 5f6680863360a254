"""A query that was answered before gets the same answer again and is not charged.

Truth: proved: the answer is already known, and reports do not change after they have arrived.
Status: proved
"""

from dataclasses import dataclass

from immutables import Map

from spec import PAPER, Answer, Service, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembering(Service):
    answers: Map = Map()


def serve(at, reports, draw):
    if at.query in at.service.answers:
        return at.service, at.service.answers[at.query]
    service, shown = PAPER.serve(at, reports, draw)
    if isinstance(shown, Answer):
        service = replace(service, answers=service.answers.set(at.query, shown))
    return service, shown


RULES = replace(PAPER, serve=serve, initial=replace(PAPER.initial, service=Remembering()))
