"""A trigger brings a list on which its credits are noted, and only the first one is granted.

The value is split between two sources, newest first.

Truth: refuted: without x the other source is the first on the list and is granted, so that x moves
    what another source contributes.
Status: unknown
"""

from __future__ import annotations

from dataclasses import dataclass

from spec import PAPER, Contribution, Credit, Trigger, replace

Notes = list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class NotedTrigger(Trigger):
    noted: Notes


def attribute(at, draw):
    return at.client, tuple(
        Credit(
            unit=each.source_id,
            contributions=(Contribution(key=each.key, value=at.cause.value // 2),),
        )
        for each in at.client.sources
        if at.rules.matches(at, each)
    )


def the_first_one(at, credit):
    if not isinstance(at.cause, NotedTrigger):
        return credit
    at.cause.noted.append(credit.unit)
    return replace(credit, contributions=credit.contributions[: 2 - len(at.cause.noted)])


def contribute(at, credits):
    return PAPER.contribute(at, tuple(the_first_one(at, each) for each in credits))


RULES = replace(PAPER, attribute=attribute, contribute=contribute)
