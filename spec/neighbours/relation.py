r"""What a neighbour relation is, and the world without a unit as an interactive mechanism.

The world without $x$ keeps two systems. One is the run on $D$, of which only the clients matter: it
says what is decided there. The other is the run on $D^{-x}$, which the ad-tech sees.

Chance that is not about $x$ is the same in both. What the run on $D$ draws, the other run does not
draw again where it draws from the same law: a random attribution is one attribution, and a source's
response is one response.

Paper: Sec. 3.1; Def. 3.6.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, Protocol, TypeAlias, TypeVar, cast

from spec.aggregation_service import Query
from spec.contributions import Unit
from spec.distributions import Draw, Law
from spec.numbers import SpecError
from spec.rules import Rules
from spec.system import (
    Decision,
    Move,
    Observation,
    PassTime,
    System,
    SystemMechanism,
    admit,
    decide,
    send,
    step,
)

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Worlds:
    """Hold the clients in the run on $D$, and the whole run on its neighbour."""

    real: System
    own: System


class MoveWithout(Protocol):
    """Make a move in the world without a unit."""

    def __call__(
        self, rules: Rules, unit: Unit, worlds: Worlds, move: Move, draw: Draw
    ) -> tuple[Worlds, Observation]:
        """Return the next state of both worlds and what the ad-tech sees in this one."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Relation:
    """Name a neighbour relation and say how the world without a unit moves.

    A relation is the same as itself alone, whatever it is called.

    `units` says whose absence it is about: sources (ARA) or devices in time windows (PAA).
    `reports` says which reports it is meant for. A guarantee is asked for with a relation only if
    both fit; a guarantee about summary and event-level reports together needs a relation for any.
    """

    name: str
    meaning: str
    move: MoveWithout
    units: Literal["sources", "devices", "any"] = "any"
    reports: Literal["summary", "event", "any"] = "any"

    def __reduce__(self) -> tuple[Callable[[str], Relation], tuple[str]]:
        """Travel between processes by name, so that it is the same relation there."""
        return relation_named, (self.name,)

    def without(self, rules: Rules, unit: Unit) -> OtherWorld:
        """Return the system without the unit."""
        return OtherWorld(rules=rules, unit=unit, move=self.move)


def relation_named(name: str) -> Relation:
    """Return the relation of this specification that has a name."""
    from spec.neighbours import RELATIONS_BY_NAME

    return RELATIONS_BY_NAME[name]


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherWorld:
    r"""Be the system without the unit, $\mathcal{M}^{-x}$, an interactive mechanism."""

    rules: Rules
    unit: Unit
    move: MoveWithout

    @property
    def initial(self) -> Worlds:
        """Return the two worlds before anything has happened."""
        beginning = SystemMechanism(rules=self.rules).initial
        return Worlds(real=clients_of(beginning), own=beginning)

    def step(self, state: Worlds, action: Move, draw: Draw) -> tuple[Worlds, Observation]:
        """Make one move in the world without the unit."""
        return self.move(self.rules, self.unit, state, action, draw)


ChangeDecision: TypeAlias = Callable[[Rules, Unit, Worlds, Move, Decision, Draw], Decision]


def decided_on_the_database(change: ChangeDecision) -> MoveWithout:
    """Decide on $D$; change what is the unit's; admit and send in each world on its own ledgers.

    Paper: Sec. 4.2; Sec. 4.3; Sec. 5.
    """

    def move_without(
        rules: Rules, unit: Unit, worlds: Worlds, move: Move, draw: Draw
    ) -> tuple[Worlds, Observation]:
        if isinstance(move, Query):
            own, seen = step(rules, worlds.own, move, draw)
            return replace(worlds, own=own), seen
        deciding, following = SharedDraws(draw), SharedDraws(draw)
        decision = decide(rules, worlds.real, move, deciding.first)
        real = take_in(rules, worlds.real, move, decision, following.first)
        kept = change(rules, unit, worlds, move, decision, deciding.again)
        own, granted = admit(rules, worlds.own, move, kept, following.again)
        own, seen = send(rules, own, move, granted, following.again)
        return Worlds(real=real, own=own), seen

    return move_without


def take_in(rules: Rules, real: System, move: Move, decision: Decision, draw: Draw) -> System:
    """Let the clients of the run on $D$ take in the move; what is sent there does not matter."""
    real, granted = admit(rules, real, move, decision, draw)
    if isinstance(move, PassTime):
        real, _ = send(rules, real, move, granted, draw)
    return clients_of(real)


def clients_of(system: System) -> System:
    """Forget everything but the clients and the time.

    Paper: none (what is sent does not come back to the clients).
    """
    return System(
        now=system.now,
        attribution=system.attribution,
        aggregation=system.aggregation,
        events=system.events,
        registered=system.registered,
    )


class SharedDraws:
    """Draw for the run on $D$ first, and draw the same again for the other run.

    What was drawn from a law is used up once. A draw from another law is a new one. To decide and
    to follow a decision have draws of their own, so that no coin is used for both.
    """

    def __init__(self, draw: Draw) -> None:
        self.draw = draw
        self.drawn: list[tuple[Law[object], object]] = []

    def first(self, law: T | Law[T], /) -> T:
        """Draw for the run on $D$."""
        outcome: T = self.draw(law)
        if isinstance(law, Law):
            self.drawn.append((cast(Law[object], law), outcome))
        return outcome

    def again(self, law: T | Law[T], /) -> T:
        """Draw for the other run."""
        for place, (other, outcome) in enumerate(self.drawn):
            if isinstance(law, Law) and other == law:
                del self.drawn[place]
                return cast(T, outcome)
        return self.draw(law)


class RelationUndefined(SpecError):
    """Report that a neighbour relation has no meaning for the given rules."""
