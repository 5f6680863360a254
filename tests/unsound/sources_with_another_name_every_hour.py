"""A source of a new kind has another name every hour, and is the same source all the same.

Truth: refuted: budgets are kept by name, so that such a source has one for every hour, and what is
    credited to a name that nobody registered stays when the source is taken away.
Status: unknown
"""

from __future__ import annotations

from dataclasses import dataclass, field

from spec import PAPER, Source, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class HourlySource(Source):
    source_id: str = field(compare=False)


def attempt_order(at, matching):
    return tuple(
        replace(each, source_id=f"{each.source_id} at {at.now // 3600}")
        if isinstance(each, HourlySource)
        else each
        for each in matching
    )


RULES = replace(PAPER, attempt_order=attempt_order)
