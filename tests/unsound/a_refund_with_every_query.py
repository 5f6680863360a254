"""After every query the service asks itself for nothing, with a delta below zero.

Truth: refuted: what a query has charged of delta is given back, so that a report takes part in any
    number of queries with key discovery, up to the cap of epsilon.
Status: refuted
"""

from dataclasses import dataclass
from fractions import Fraction

from spec import PAPER, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Refund:
    epsilon: Fraction
    delta: Fraction
    report_ids: tuple[int, ...]
    keys: tuple[int, ...] = ()
    discovers_keys: bool = False


def serve(at, reports, draw):
    service, shown = PAPER.serve(at, reports, draw)
    refund = Refund(
        epsilon=Fraction(1, 10**9), delta=-at.query.delta, report_ids=at.query.report_ids
    )
    service, _ = PAPER.serve(replace(at, service=service, query=refund), reports, draw)
    return service, shown


RULES = replace(PAPER, serve=serve)
