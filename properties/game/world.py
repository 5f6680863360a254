"""One world of a game: a mechanism with its states numbered and its steps remembered.

A state may have two parts, such that some actions change the one and do not look at the other.
Then a step is run once for each part that it acts on, and not for each state.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import cast

from flint import fmpq

from properties.game.counting import Steps
from properties.game.masses import ONE, quotient
from properties.game.responses import bare, observed, unpacked
from properties.game.window import Window
from properties.lump import check_apart
from properties.observation import Codes
from spec.distributions import Distribution, Draw, Law, explore
from spec.interaction import Mechanism
from spec.noise import Noisy

Step = list[tuple[Hashable, int, fmpq]]
Outcomes = list[tuple[Hashable, "After", fmpq]]


class Parts:
    """Say of which parts a state consists, and which an action acts on. This is: it is one part.

    An action acts on the front, whatever the back is, and leaves the back as it is. Or it acts on
    the back, looks at no more than a view of the front, and leaves the front as it is. A menu looks
    at fronts alone.
    """

    def apart(self, state: Hashable) -> tuple[Hashable, Hashable]:
        """Return the front, as a state with some back, and the back."""
        return state, None

    def joined(self, front: Hashable, back: Hashable) -> Hashable:
        """Return the state that has this front, or view of a front, and this back."""
        del back
        return front

    def view(self, front: Hashable, action: Hashable) -> Hashable | None:
        """Return what an action on the back may see of the front, None for one on the front."""
        del front, action
        return None

    def alike(self, view: Hashable, back: Hashable, action: Hashable) -> Hashable | None:
        """Return a name for all that an action on the back depends on, None if that is all."""
        del view, back, action
        return None

    def sample(self, view: Hashable, back: Hashable, action: Hashable) -> tuple[Hashable, Hashable]:
        """Return a state and an action to run for all that are alike."""
        return self.joined(view, back), action

    def grown(self, view: Hashable, back: Hashable, action: Hashable, after: Hashable) -> Hashable:
        """Return the back after an action, given the back after the sample."""
        del view, back, action
        return after


class Numbered:
    """Number values in the order in which they come; what is the same data has one number."""

    __slots__ = ("_codes", "_known", "_numbers", "values")

    def __init__(self) -> None:
        self.values: list[Hashable] = []
        self._codes = Codes()
        self._known: dict[int, tuple[Hashable, int]] = {}
        self._numbers: dict[Hashable, int] = {}

    def __call__(self, value: Hashable) -> int:
        """Return the number of a value."""
        known = self._known.get(id(value))
        if known is None:
            number = self._numbers.setdefault(self._codes(value), len(self.values))
            if number == len(self.values):
                self.values.append(value)
            # What is remembered holds on to its value, so that no other gets its identity.
            known = self._known[id(value)] = value, number
        return known[1]


class After:
    """Hold a part of a state after a step, until somebody asks for its number."""

    __slots__ = ("part",)

    def __init__(self, part: Hashable) -> None:
        self.part = part


@dataclass(slots=True)
class Ran:
    """Hold the law of a step on a part: responses, each with the part after it and its mass.

    It holds on to its action, so that no other gets its identity.
    """

    action: Hashable
    view: int | None
    outcomes: Outcomes
    numbered: Step | None = None


@dataclass(slots=True, kw_only=True)
class World:
    """Run one world's mechanism, with states numbered and steps remembered.

    Actions are told apart by identity, which is quicker than by value; equal ones are run again.
    Where the service's answers are remembered, whatever else is drawn is drawn by `clients`: it may
    be shown, but a lump of it must not be summed or kept.
    """

    mechanism: Mechanism[Hashable, Hashable, Hashable]
    window: Window
    budget: Steps = field(default_factory=Steps)
    clients: bool = False
    parts: Parts = field(default_factory=Parts)
    pairs: list[tuple[int, int]] = field(default_factory=list)
    fronts: Numbered = field(default_factory=Numbered)
    backs: Numbered = field(default_factory=Numbered)
    views: Numbered = field(default_factory=Numbered)
    seen: dict[tuple[int, int], int | None] = field(default_factory=dict)
    steps: dict[tuple[int, int | None, int], Ran] = field(default_factory=dict)
    laws: dict[Hashable, Outcomes] = field(default_factory=dict)
    numbers: dict[tuple[int, int], int] = field(default_factory=dict)

    @property
    def states(self) -> list[Hashable]:
        """Return the states by their numbers."""
        return [self.state(number) for number in range(len(self.pairs))]

    def state(self, number: int) -> Hashable:
        """Return the state with a number."""
        front, back = self.pairs[number]
        return self.parts.joined(self.fronts.values[front], self.backs.values[back])

    def front(self, number: int) -> Hashable:
        """Return what a menu may see of the state with a number."""
        return self.fronts.values[self.pairs[number][0]]

    def number(self, state: Hashable) -> int:
        """Return the state's number; states are compared as data."""
        front, back = self.parts.apart(state)
        return self.number_of(self.fronts(front), self.backs(back))

    def number_of(self, front: int, back: int) -> int:
        """Return the number of the state that has these parts."""
        found = self.numbers.get((front, back))
        if found is None:
            found = self.numbers[front, back] = len(self.pairs)
            self.pairs.append((front, back))
            self.budget.hold(1)
        return found

    def step(self, state: int, action: Hashable) -> Step:
        """Return every response with the next state and its probability."""
        return [
            (shown, after, weight * share)
            for response, after, weight in self.packed(state, action)
            for shown, share in unpacked(response)
        ]

    def packed(self, state: int, action: Hashable) -> Step:
        """Return the same, with the answers of the service that lead to one state as one."""
        front, back = self.pairs[state]
        ran = self.ran(state, action)
        if ran.numbered is None:
            merged: dict[tuple[Hashable, int], fmpq] = {}
            for response, after, weight in ran.outcomes:
                if ran.view is None:
                    key = (response, self.fronts(after.part))
                else:
                    seen, before = self.views.values[ran.view], self.backs.values[back]
                    key = (response, self.backs(self.parts.grown(seen, before, action, after.part)))
                merged[key] = merged[key] + weight if key in merged else weight
            ran.numbered = [
                (response, after, weight) for (response, after), weight in merged.items()
            ]
        if ran.view is not None:
            return [(shown, self.number_of(front, n), weight) for shown, n, weight in ran.numbered]
        return [(shown, self.number_of(n, back), weight) for shown, n, weight in ran.numbered]

    def ran(self, state: int, action: Hashable) -> Ran:
        """Return what an action leads to from a state, run once for the part that it acts on."""
        front, back = self.pairs[state]
        name = id(action)
        try:
            view = self.seen[front, name]
        except KeyError:
            view = self.view(front, action)
        key = (front, None, name) if view is None else (view, back, name)
        known = self.steps.get(key)
        if known is None:
            outcomes = (
                self.front_law(front, action) if view is None else self.back_law(view, back, action)
            )
            known = self.steps[key] = Ran(action, view, outcomes)
        return known

    def view(self, front: int, action: Hashable) -> int | None:
        """Return the number of what an action on the back may see, None for one on the front."""
        key = (front, id(action))
        if key not in self.seen:
            shown = self.parts.view(self.fronts.values[front], action)
            self.seen[key] = None if shown is None else self.views(shown)
        return self.seen[key]

    def front_law(self, front: int, action: Hashable) -> Outcomes:
        """Run an action on a front."""
        return self.law(self.fronts.values[front], action, 0)

    def back_law(self, view: int, back: int, action: Hashable) -> Outcomes:
        """Run an action on a back with a view of a front, once for all that are alike."""
        seen, before = self.views.values[view], self.backs.values[back]
        name = self.parts.alike(seen, before, action)
        if name is None:
            return self.law(self.parts.joined(seen, before), action, 1)
        if name not in self.laws:
            self.laws[name] = self.law(*self.parts.sample(seen, before, action), 1)
        return self.laws[name]

    def law(self, before: Hashable, action: Hashable, side: int) -> Outcomes:
        """Run an action; return every response with the part after it on one side."""

        def run(draw: Draw) -> tuple[After, Hashable]:
            self.budget.take()
            after, response = self.mechanism.step(before, action, draw)
            return After(self.parts.apart(after)[side]), observed(response)

        law = self.clients_law(run) if self.clients else explore(run, self.window.outcomes)
        self.budget.hold(len(law.weights))
        return [
            (response, after, ONE if p == 1 else quotient(p))
            for (after, response), p in law.items()
        ]

    def clients_law(
        self, run: Callable[[Draw], tuple[After, Hashable]]
    ) -> Distribution[tuple[After, Hashable]]:
        """Return the law of a step in which clients may draw noise."""
        noisy: list[Noisy] = []

        def outcomes(law: Law[object]) -> Iterable[tuple[object, Fraction]]:
            if not isinstance(law, Noisy):
                return law.outcomes()
            if None in law.noise.support:
                noisy.append(law)
            window = replace(self.window, watched=self.window.tolerance is None)
            return window.outcomes(cast(Law[object], law))

        found = explore(run, outcomes)
        for after, response in found.support() if noisy else ():
            check_apart(bare(response), after.part)
        return found
