"""A query may name a filtering identifier: only keys that begin with it are summed and answered.

Truth: proved: which keys are left out depends on the key and on the query, and each report pays.
Status: proved
"""

from dataclasses import dataclass

from spec import PAPER, Query, replace

SHIFT = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class FilteredQuery(Query):
    """Hold a query for the contributions of one filtering identifier."""

    filtering_id: int = 0


def is_selected(query, key):
    return not isinstance(query, FilteredQuery) or key >> SHIFT == query.filtering_id


def totals(at, batch):
    sums = PAPER.totals(at, batch)
    return {key: total for key, total in sums.items() if is_selected(at.query, key)}


def keys(at, batch):
    return tuple(key for key in PAPER.keys(at, batch) if is_selected(at.query, key))


RULES = replace(PAPER, totals=totals, keys=keys)
