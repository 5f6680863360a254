r"""Strategies, played in both worlds from the start, without any memory of the game.

Moves that do not look at the answers are a strategy, too, and get simple numbers: what is tried
must tell the worlds apart exactly as well.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import cast

from properties.game import Plan, Window, observed
from properties.observation import Seen
from properties.simpler import simplest
from spec.contributions import Unit
from spec.distributions import Draw, explore
from spec.interaction import Mechanism
from spec.neighbours import Relation
from spec.numbers import SpecError
from spec.rules import Rules
from spec.system import Move, SystemMechanism

Transcript = tuple[Hashable, ...]
Law = dict[Transcript, Fraction]

OUTCOMES = 10_000
"""How many outcomes are looked at to make the numbers of an attack simple."""

TRIALS = 256
"""How often the moves of an attack are played to make its numbers simple."""


class TooManyOutcomes(SpecError):
    """Report that moves have more outcomes than are looked at."""


def untyped(mechanism: object) -> Mechanism[Hashable, Hashable, Hashable]:
    """Return a mechanism whose states, actions and responses are taken as they come."""
    return cast("Mechanism[Hashable, Hashable, Hashable]", mechanism)


def play(
    mechanism: Mechanism[Hashable, Hashable, Hashable],
    plan: Plan,
    window: Window,
    note: Callable[[], None] = lambda: None,
) -> Law:
    """Return the exact probability of every transcript of a strategy; `note` every outcome."""
    found: Law = {}

    def go(state: Hashable, now: Plan | None, seen: Transcript, weight: Fraction) -> None:
        if now is None:
            found[seen] = found.get(seen, Fraction(0)) + weight
            return
        follow = {observed(branch.response): branch.then for branch in now.branches}
        law = explore(
            lambda draw: observed_step(mechanism, state, now.action, draw), window.outcomes
        )
        for (after, response), share in law.items():
            note()
            then = follow.get(response, now.otherwise)
            go(after.value, then, (*seen, response), weight * share)

    go(mechanism.initial, plan, (), Fraction(1))
    return found


def observed_step(
    mechanism: Mechanism[Hashable, Hashable, Hashable], state: object, action: Hashable, draw: Draw
) -> tuple[Seen, Hashable]:
    """Make a step; the next state and what is seen are compared as data."""
    after, response = mechanism.step(state, action, draw)
    return Seen(after), observed(response)


def laws_of(
    rules: Rules,
    relation: Relation,
    unit: Unit,
    plan: Plan,
    window: Window,
    note: Callable[[], None] = lambda: None,
) -> tuple[Law, Law]:
    """Play a strategy with the unit and without it."""
    there = play(untyped(SystemMechanism(rules=rules)), plan, window, note)
    return there, play(untyped(relation.without(rules, unit)), plan, window, note)


def told_apart(laws: tuple[Law, Law], world: str, power: Fraction) -> tuple[Fraction, Fraction]:
    """Return the probabilities, in a world and in the other, of what tells them apart."""
    mine, theirs = laws if world == "with x" else laws[::-1]
    telling = {seen for seen, p in mine.items() if p > power * theirs.get(seen, Fraction(0))}
    return (
        sum((mine[seen] for seen in telling), Fraction(0)),
        sum((theirs.get(seen, Fraction(0)) for seen in telling), Fraction(0)),
    )


def replayed(
    rules: Rules,
    relation: Relation,
    unit: Unit,
    plan: Plan,
    window: Window,
    world: str,
    power: Fraction,
) -> tuple[Fraction, Fraction]:
    """Play a strategy in both worlds; return the probabilities of what tells them apart."""
    return told_apart(laws_of(rules, relation, unit, plan, window), world, power)


def in_order(moves: Sequence[Move]) -> Plan:
    """Return the strategy that makes moves one after the other, whatever is answered."""
    plan: Plan | None = None
    for move in reversed(moves):
        plan = Plan(action=move, otherwise=plan)
    assert plan is not None
    return plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Hold moves that tell the worlds apart whatever is answered, and how well they do."""

    unit_value: Unit
    made: tuple[Move, ...]
    probability: Fraction
    other: Fraction
    power: Fraction
    times: int = 1

    @property
    def gained(self) -> Fraction:
        """Return the delta that the moves attain."""
        return self.probability - self.power * self.other


def simplest_line(
    rules: Rules,
    relation: Relation,
    unit: Unit,
    moves: tuple[Move, ...],
    window: Window,
    world: str,
    power: Fraction,
    gained: Fraction,
) -> Line | None:
    """Return moves with simple numbers that gain exactly so much, None if the given ones do not."""
    left = OUTCOMES

    def note() -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise TooManyOutcomes(f"more than {OUTCOMES} outcomes")

    def tried(unit: Unit, moves: tuple[Move, ...]) -> Line:
        laws = laws_of(rules, relation, unit, in_order(moves), window, note)
        probability, other = told_apart(laws, world, power)
        return Line(unit_value=unit, made=moves, probability=probability, other=other, power=power)

    try:
        line = tried(unit, moves)
    except TooManyOutcomes:
        return None
    if line.gained != gained:
        return None
    return simplest(line, rules.limits, tried, TRIALS, lambda x, y: x.gained == y.gained)
