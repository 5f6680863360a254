"""A query may be marked as a preview, which is not charged.

Truth: refuted: a preview has the noise of any other query and can be asked for without end.
Status: refuted
"""

from dataclasses import dataclass

from spec import PAPER, Query, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewQuery(Query):
    preview: bool = False


def charge(at, spent, report):
    if isinstance(at.query, PreviewQuery) and at.query.preview:
        return spent
    return PAPER.charge(at, spent, report)


RULES = replace(PAPER, charge=charge)
