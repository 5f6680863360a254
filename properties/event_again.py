r"""Event-level sources that are registered again: at once, after a while, or after many others.

The paper's client refuses that. Rules that forget sources take it, and a source then draws a second
response. Which ones are taken is found where all sources answer truthfully, so that it costs little
to ask for many.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import product
from typing import TypeVar, cast

from properties.vocabulary import Vocabulary
from properties.worlds import CannotPlay
from spec.distributions import Distribution, Law
from spec.event_client import EventSource, EventTrigger, TriggerSpecification
from spec.numbers import SpecError
from spec.paper import PAPER
from spec.randomized_response import RandomizedResponse
from spec.rules import Limits, Rules
from spec.system import Move, PassTime, System, SystemMechanism

T = TypeVar("T")

DAY = 86_400
SMALL = TriggerSpecification(data=0, windows=(DAY,), buckets=(1,))
LONGER = replace(SMALL, windows=(DAY, 2 * DAY))
NUMBERS = (0, 1, 2, 3, 5, 10, 20)
MOST_BETWEEN = 130
"""The most sources before x is registered again in runs whose law is followed."""

MOST_ASKED = 4200
"""The most sources before x is registered again of which it is only asked whether it is taken."""

RETURN_A_CLIENT = ("register_event_source", "register_event_trigger", "pass_windows")
WAITS = (3 * DAY, 40 * DAY, 400 * DAY)
LONGEST_WAIT = 10**9
MOST_TAKEN = 3
"""How many runs are made in which x is registered again."""


class Made:
    """Make moves where sources answer truthfully, and note those that the rules take."""

    def __init__(self, rules: Rules) -> None:
        self.mechanism = SystemMechanism(rules=rules)
        self.limits: Limits = rules.limits
        self.there: System = self.mechanism.initial
        self.moves: list[Move] = []

    @property
    def gone(self) -> System:
        """Return the only system there is."""
        return self.there

    def make(self, move: Move) -> None:
        """Make a move, unless it is refused."""
        self.offer(move)

    def offer(self, move: Move) -> bool:
        """Make a move, unless it is refused; say whether it was made."""
        with suppress(SpecError):
            self.there, _ = self.mechanism.step(self.there, move, truthful)
            self.moves.append(move)
            return True
        return False


def truthful(law: T | Law[T]) -> T:
    """Let a source answer truthfully, and take the first outcome of another finite law."""
    if type(law) is RandomizedResponse:
        return cast(T, None)
    if isinstance(law, Distribution):
        return cast(T, law.weights[0][0])
    if isinstance(law, Law):
        raise CannotPlay(f"a draw from {type(law).__name__}")
    return law


def registered_again(made: Made) -> bool:
    """Register x once more and trigger it, if that is not refused; say whether it is not."""
    known = [move for move in made.moves if isinstance(move, EventSource) and move.source_id == "x"]
    now = made.there.now
    if not known or not made.offer(replace(known[0], expiry=now + 4 * DAY)):
        return False
    specification = known[0].specifications[0]
    trigger = EventTrigger(
        trigger_id="again",
        destination=known[0].destination,
        filters=known[0].filters,
        data=specification.data,
        value=max(specification.buckets),
    )
    made.make(trigger)
    made.make(PassTime(until=now + 4 * DAY))
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """Say when x is registered again: after how many others, how much time, and for which place.

    The others are `spread` over places of their own, or x and all of them are at one.
    """

    others: int
    wait: int
    spread: bool = False
    elsewhere: bool = False

    def moves(self, rules: Rules) -> list[Move] | None:
        """Return the moves, or None if x is not taken again; triggers of x come before and after.

        The windows of x have passed before anything else comes, and pass again in the end.
        """
        made = Made(rules)
        self.register(made, "x", "shop")
        made.make(trigger_of("x", "shop"))
        made.make(PassTime(until=made.there.now + self.wait))
        for number in range(self.others):
            self.register(made, f"z{number}", f"shop {number}" if self.spread else "shop")
        place = "store" if self.elsewhere else "shop"
        if not self.register(made, "x", place):
            return None
        made.make(trigger_of("x", place))
        made.make(PassTime(until=made.there.now + 3 * DAY))
        return made.moves

    def __str__(self) -> str:
        where = " at places of their own" if self.spread else ""
        there = ", elsewhere" if self.elsewhere else ""
        return f"after {self.others} others{where} and {self.wait} seconds{there}"

    def register(self, made: Made, name: str, place: str) -> bool:
        """Register a source that may send one report, if it is taken; x has two windows."""
        return made.offer(
            EventSource(
                source_id=name,
                destination=place,
                expiry=made.there.now + 30 * DAY,
                filters=frozenset({name}),
                maximum_reports=1,
                specifications=(LONGER if name == "x" else SMALL,),
            )
        )


def trigger_of(name: str, place: str) -> EventTrigger:
    """Return a trigger that a source takes."""
    return EventTrigger(
        trigger_id="", destination=place, filters=frozenset({name}), data=0, value=1
    )


def taken_again(rules: Rules, words: Vocabulary) -> Iterator[tuple[Again, list[Move]]]:
    """Return the first runs in which x is taken again, of few others and short waits first.

    Numbers that the proposal mentions are tried as the number of others and as the time. Only rules
    that return a client can forget a source.
    """
    if all(getattr(rules, name) is getattr(PAPER, name) for name in RETURN_A_CLIENT):
        return
    numbers = sorted({*NUMBERS, *(word for word in words.around if 0 < word <= MOST_ASKED)})
    waits = sorted({*WAITS, *(3 * DAY + x for x in words.around if DAY <= x <= LONGEST_WAIT)})
    taken = 0
    for others, wait, spread, elsewhere in product(numbers, waits, (False, True), (False, True)):
        if others > MOST_BETWEEN and (elsewhere or wait != waits[0]):
            continue
        again = Again(others=others, wait=wait, spread=spread, elsewhere=elsewhere)
        moves = again.moves(rules)
        if moves is not None:
            yield again, moves
            taken += 1
        if taken == MOST_TAKEN:
            return
