r"""The exact law of event-level reports, over all responses that were drawn and not seen.

The state of the event-level client is random. So a law over states, each with what was seen on the
way there, is kept for $D$ and for every $D^{-x}$.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from fractions import Fraction
from typing import TypeVar, cast, overload

from properties.machines._loss import Loss, loss_of
from properties.observation import Codes, Seen
from spec.contributions import Unit
from spec.distributions import Distribution, Draw, Law, explore
from spec.event_client import EventSource, EventTrigger
from spec.neighbours import Relation, Worlds, clients_of
from spec.numbers import SpecError
from spec.rules import Rules
from spec.system import Observation, PassTime, System, SystemMechanism, step

S = TypeVar("S")
T = TypeVar("T")

MOST = 400
"""The most states that are followed."""

States = list[tuple[S, tuple[Seen, ...], Fraction]]
EventMove = EventSource | EventTrigger | PassTime


class TooManyStates(SpecError):
    """Report rules that draw so often that their states cannot all be followed."""


class Responses:
    """Follow every response there may be, on the database and without each unit.

    The worlds without a unit are None as long as they are those of the database.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.states: States[System] = [(SystemMechanism(rules=rules).initial, (), Fraction(1))]
        self.without: dict[Unit, States[Worlds] | None] = {}
        self.losses: dict[Unit, Loss] = {}

    def track(self, unit: Unit) -> None:
        """Begin to follow the world without a unit, which is the same so far."""
        self.without.setdefault(unit, None)

    def follow(self, move: EventMove, relation_for: Callable[[Unit], Relation]) -> None:
        """Make a move in every state of every world."""
        before = both_worlds(self.states)
        self.states = moved_states(self.states, lambda run, draw: step(self.rules, run, move, draw))
        for unit, own in self.without.items():
            if own is None and isinstance(move, PassTime):
                continue
            relation = relation_for(unit)

            def moved(
                worlds: Worlds, draw: Draw, unit: Unit = unit, relation: Relation = relation
            ) -> tuple[Worlds, Observation]:
                return relation.move(self.rules, unit, worlds, move, draw)

            other = moved_states(before if own is None else own, moved)
            self.without[unit] = None if same(other, both_worlds(self.states)) else other
            if isinstance(move, PassTime):
                self.losses[unit] = loss_of(law_of_seen(self.states), law_of_seen(other))

    def loss(self, unit: Unit) -> Loss:
        """Return what the event-level reports so far tell of a unit."""
        return self.losses.get(unit, Loss())


def both_worlds(states: States[System]) -> States[Worlds]:
    """Return the worlds without a unit that has not made a difference yet."""
    return [(Worlds(real=clients_of(run), own=run), seen, weight) for run, seen, weight in states]


def same(one: States[S], other: States[S]) -> bool:
    """Tell whether two lists of states are the same, the states compared as data."""
    if one != other:
        return False
    codes = Codes()  # The states of both lists share most of their parts.
    states, others = ([codes(state) for state, _, _ in each] for each in (one, other))
    return states == others


def moved_states(states: States[S], move: Callable[[S, Draw], tuple[S, Hashable]]) -> States[S]:
    """Return the states after a move that may draw, each with what was seen on the way there."""
    after: States[S] = []
    for state, seen, weight in states:

        def moved(draw: Draw, state: S = state) -> tuple[S, Hashable]:
            return move(state, draw)

        for (following, observed), share in outcomes(moved):
            after.append((following, (*seen, Seen(observed)), weight * share))
    if len(after) > MOST:
        raise TooManyStates(f"{len(after)} states, where {MOST} can be followed")
    return after


class Drew(BaseException):
    """Say that a step drew; it passes through rules, which are not to blame for it."""


class Certain:
    """Be a draw for steps that draw nothing."""

    @overload
    def __call__(self, law: Law[T], /) -> T: ...
    @overload
    def __call__(self, law: T | Law[T], /) -> T: ...
    def __call__(self, law: T | Law[T], /) -> T:
        """Return a plain value, or the only outcome there is."""
        if not isinstance(law, Law):
            return law
        if isinstance(law, Distribution) and len(law.weights) == 1:
            return law.weights[0][0]  # type: ignore[no-any-return]
        raise Drew


def outcomes(moved: Callable[[Draw], T]) -> Iterable[tuple[T, Fraction]]:
    """Return the outcomes of a step, apart as data, with probabilities; most steps draw nothing."""
    try:
        return [(moved(Certain()), Fraction(1))]
    except Drew:
        law = explore(lambda draw: Seen(moved(draw)))
        return [(cast(T, outcome.value), weight) for outcome, weight in law.items()]


def law_of_seen(states: States[S]) -> Distribution[tuple[Seen, ...]]:
    """Forget the states."""
    sums: dict[tuple[Seen, ...], Fraction] = {}
    for _, seen, weight in states:
        sums[seen] = sums.get(seen, Fraction(0)) + weight
    return Distribution.of(sums)
