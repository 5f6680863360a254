"""Responses: compared as data, and packed where many of them lead to one state."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from itertools import product
from math import prod

from flint import fmpq

from properties.game.counting import Steps
from properties.game.masses import ONE, ZERO
from properties.observation import Seen


class Answers:
    """Stand for all answers of the service that leave it in one state, with their shares."""

    __slots__ = ("shares",)

    def __init__(self, weights: dict[Hashable, fmpq]) -> None:
        mass = sum(weights.values(), ZERO)
        self.shares = [(shown, weight / mass) for shown, weight in weights.items()]


class Packer:
    """Pack answers, and give equal ones as one object, so that it is compared once."""

    def __init__(self, budget: Steps) -> None:
        self.budget = budget
        self.known: dict[Hashable, Answers] = {}

    def __call__(self, weights: dict[Hashable, fmpq]) -> Answers:
        """Return the object that stands for these answers."""
        key = frozenset((shown, weight.p, weight.q) for shown, weight in weights.items())
        if key not in self.known:
            self.budget.hold(len(weights))
            self.known[key] = Answers(weights)
        return self.known[key]


def observed(response: Hashable) -> Hashable:
    """Return a response that is compared as data, part by part; packed answers stay packed."""
    if not isinstance(response, tuple):
        return response if isinstance(response, Answers | Seen) else Seen(response)
    return tuple(part if isinstance(part, Answers | Seen) else Seen(part) for part in response)


def bare(response: Hashable) -> Hashable:
    """Return a response as it was shown."""
    if isinstance(response, tuple):
        return tuple(part.value if isinstance(part, Seen) else part for part in response)
    return response.value if isinstance(response, Seen) else response


def unpacked(response: Hashable) -> Iterable[tuple[Hashable, fmpq]]:
    """List the responses that a response stands for, with their shares."""
    if not (isinstance(response, tuple) and any(isinstance(part, Answers) for part in response)):
        return ((response, ONE),)
    parts = [part.shares if isinstance(part, Answers) else [(part, ONE)] for part in response]
    return [
        (tuple(shown for shown, _ in chosen), prod((share for _, share in chosen), start=ONE))
        for chosen in product(*parts)
    ]
