"""A query may be marked as urgent, and is charged twice its epsilon.

Truth: proved: nobody is charged less than before.
Status: not refuted
"""

from dataclasses import dataclass

from spec import PAPER, Query, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class UrgentQuery(Query):
    urgent: bool = False


def charge(at, spent, report):
    if isinstance(at.query, UrgentQuery) and at.query.urgent:
        at = replace(at, query=replace(at.query, epsilon=2 * at.query.epsilon))
    return PAPER.charge(at, spent, report)


RULES = replace(PAPER, charge=charge)
