"""A trigger brings a table in which credited sources are entered, and the report shows its size.

Truth: refuted: the size of the table tells whether the trigger was credited to a source.
Status: unknown
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from spec import PAPER, Trigger, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class TableTrigger(Trigger):
    table: Mapping[str, int]


def attribute(at, draw):
    client, credits = PAPER.attribute(at, draw)
    if isinstance(at.cause, TableTrigger):
        for each in credits:
            at.cause.table.update({each.unit: at.now})
    return client, credits


def send(at, granted):
    (sent,) = PAPER.send(at, granted)
    if not isinstance(at.cause, TableTrigger):
        return (sent,)
    return (replace(sent, shown=(sent.shown, len(at.cause.table))),)


RULES = replace(PAPER, attribute=attribute, send=send)
