r"""The law of a run without its least likely ways: what is left out is known, and bounds the error.

A run with many sources has more ways than can be followed, and nearly all of them need that several
sources lie, each with a chance of about $e^{-\varepsilon}$. They are left out, and what they weigh
is given to what is seen most often: no event is off by more than that.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeVar, cast

from properties.worlds import CannotPlay
from spec.distributions import Distribution, Draw, Enumerate, Law, NotReplayable

T = TypeVar("T")
H = TypeVar("H", bound=Hashable)
Way = tuple[tuple[Law[object], object], ...]


@dataclass(slots=True)
class Following:
    """Draw along a way, beyond its end take the first outcome; note the others that are likely."""

    way: Way
    weight: Fraction
    least: Fraction
    outcomes: Enumerate
    others: list[tuple[Way, Fraction]] = field(default_factory=list)
    place: int = 0

    def draw(self, law: T | Law[T]) -> T:
        """Draw from a law."""
        if not isinstance(law, Law):
            return law
        if self.place == len(self.way):
            drawn = cast(Law[object], law)
            (first, weight), *others = self.outcomes(drawn)
            for outcome, chance in others:
                if self.weight * chance >= self.least:
                    self.others.append(((*self.way, (drawn, outcome)), self.weight * chance))
            self.way, self.weight = (*self.way, (drawn, first)), self.weight * weight
        before, found = self.way[self.place]
        if law is not before and law != before:
            raise NotReplayable(f"drew {law!r} where it drew {before!r} before")
        self.place += 1
        return cast(T, found)


def likely_law(
    run: Callable[[Draw], H], outcomes: Enumerate, least: Fraction, most: int
) -> tuple[Distribution[H], Fraction]:
    """Return the law of a run by ways of at least a weight, and what those left out weigh together.

    More than so many ways are not followed.
    """
    weights: dict[H, Fraction] = {}
    pending: list[tuple[Way, Fraction]] = [((), Fraction(1))]
    ways = 0
    while pending:
        ways += 1
        if ways > most:
            raise CannotPlay(f"more than {most} ways")
        following = Following(*pending.pop(), least, outcomes)
        seen = run(cast(Draw, following.draw))
        weights[seen] = weights.get(seen, Fraction(0)) + following.weight
        pending += following.others
    left_out = 1 - sum(weights.values(), Fraction(0))
    usual = max(weights, key=lambda seen: weights[seen])
    weights[usual] += left_out
    return Distribution.of(weights), left_out
