"""A trigger brings a roll of tickets: whoever is credited takes one, and the report shows the next.

Truth: refuted: the ticket on the report tells whether the trigger was credited to a source.
Status: unknown
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from spec import PAPER, Trigger, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class TicketTrigger(Trigger):
    tickets: Hashable


def attribute(at, draw):
    client, credits = PAPER.attribute(at, draw)
    if isinstance(at.cause, TicketTrigger) and credits:
        next(at.cause.tickets, 0)
    return client, credits


def send(at, granted):
    (sent,) = PAPER.send(at, granted)
    if not isinstance(at.cause, TicketTrigger):
        return (sent,)
    return (replace(sent, shown=(sent.shown, next(at.cause.tickets, 0))),)


RULES = replace(PAPER, attribute=attribute, send=send)
