"""A query that was answered before is answered again without a charge, with new noise.

Truth: refuted: the same query asked without end has its noise averaged away.
Status: refuted
"""

from dataclasses import dataclass

from spec import PAPER, Answer, Service, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembering(Service):
    asked: frozenset = frozenset()


def serve(at, reports, draw):
    if at.query in at.service.asked:
        return at.service, at.rules.answer(at, at.rules.batch(at, reports), draw)
    service, shown = PAPER.serve(at, reports, draw)
    if isinstance(shown, Answer):
        service = replace(service, asked=service.asked | {at.query})
    return service, shown


RULES = replace(PAPER, serve=serve, initial=replace(PAPER.initial, service=Remembering()))
