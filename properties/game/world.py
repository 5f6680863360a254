"""One world of a game: a mechanism with its states numbered and its steps remembered."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction

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


@dataclass(slots=True, kw_only=True)
class World:
    """Run one world's mechanism, with states numbered and steps remembered.

    Actions are told apart by identity, which is quicker than by value: what is remembered holds on
    to its action, so that no other gets its identity. Equal ones are run again. Where the service's
    answers are remembered, whatever else is drawn is drawn by `clients`: it may be shown, but a
    lump of it must not be summed or kept.
    """

    mechanism: Mechanism[Hashable, Hashable, Hashable]
    window: Window
    budget: Steps = field(default_factory=Steps)
    clients: bool = False
    states: list[Hashable] = field(default_factory=list)
    numbers: dict[Hashable, int] = field(default_factory=dict)
    codes: Codes = field(default_factory=Codes)
    steps: dict[tuple[int, int], tuple[Hashable, Step]] = field(default_factory=dict)

    def number(self, state: Hashable) -> int:
        """Return the state's number; states are compared as data."""
        code = self.codes(state)
        found = self.numbers.get(code)
        if found is None:
            found = self.numbers[code] = len(self.states)
            self.states.append(state)
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
        key = (state, id(action))
        known = self.steps.get(key)
        if known is None:

            def run(draw: Draw) -> tuple[int, Hashable]:
                self.budget.take()
                after, response = self.mechanism.step(self.states[state], action, draw)
                return self.number(after), observed(response)

            law = self.clients_law(run) if self.clients else explore(run, self.window.outcomes)
            found = [
                (response, after, ONE if p == 1 else quotient(p))
                for (after, response), p in law.items()
            ]
            known = self.steps[key] = (action, found)
        return known[1]

    def clients_law(
        self, run: Callable[[Draw], tuple[int, Hashable]]
    ) -> Distribution[tuple[int, Hashable]]:
        """Return the law of a step in which clients may draw noise."""
        watched = replace(self.window, watched=self.window.tolerance is None)
        noisy: list[Noisy] = []

        def outcomes(law: Law[object]) -> Iterable[tuple[object, Fraction]]:
            if isinstance(law, Noisy) and None in law.noise.support:
                noisy.append(law)
            return watched.outcomes(law)

        found = explore(run, outcomes)
        for after, response in found.support() if noisy else ():
            check_apart(bare(response), self.states[after])
        return found
