"""Every matching source is credited, and the first hundred and fifty of them are granted.

Truth: refuted: whether the credit after that is granted depends on whether there is one of x, for
every trigger anew.
Status: unknown
"""

from __future__ import annotations

from typing import Any

from spec import PAPER, AtContribution, AtTrigger, Credit, Draw, replace

MOST = 12**2 + 6


def attribute(at: AtTrigger, draw: Draw) -> Any:
    """Credit all sources that match."""
    touched = [source for source in at.client.sources if at.rules.matches(at, source)]
    credits = []
    for source in touched:
        parts = at.rules.contributions(at, source)
        credits.append(Credit(unit=source.source_id, contributions=parts))
    return at.client, tuple(credits)


def contribute(at: AtContribution, credits: tuple[Credit, ...]) -> Any:
    """Grant the first hundred and fifty credits."""
    notes = ({}, at.client)
    kept = []
    for credit in credits:
        seen, _ = notes
        seen[credit.unit] = 1
        kept.append(credit if len(seen) <= MOST else replace(credit, contributions=()))
    return PAPER.contribute(at, tuple(kept))


RULES = replace(PAPER, attribute=attribute, contribute=contribute)
