r"""The privacy loss of a run: two laws of transcripts, lumped by their likelihood ratio.

The moves of a run are fixed, so the adversary is one that does not adapt, and its transcript is a
sequence of independent observations. A pair of laws is kept as pairs of masses $(P(W), Q(W))$, one
for every likelihood ratio there is. That is all that $\max_W P(W) - e^{\varepsilon} Q(W)$ depends
on, and pairs of masses multiply.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from spec.contributions import Unit
from spec.distributions import Distribution

T = TypeVar("T", bound=Hashable)

Pair = tuple[Fraction, Fraction]


@dataclass(frozen=True, slots=True)
class Loss:
    """Hold the masses of the two worlds, one pair for every likelihood ratio."""

    pairs: tuple[Pair, ...] = ((Fraction(1), Fraction(1)),)

    def then(self, law: Distribution[T], without: Distribution[T]) -> Loss:
        """Return the loss after one more observation, which has these laws in the two worlds."""
        if law == without:
            return self
        seen = dict.fromkeys((*law.support(), *without.support()))
        step = lumped((law.probability_of(each), without.probability_of(each)) for each in seen)
        return Loss(lumped((p * share, q * other) for p, q in self.pairs for share, other in step))

    def together_with(self, other: Loss) -> Loss:
        """Return the loss of two independent transcripts."""
        return Loss(lumped((p * r, q * s) for p, q in self.pairs for r, s in other.pairs))

    def given(self, share: Fraction, other: Fraction) -> Loss:
        """Return the part of the loss on an observation with these probabilities."""
        return Loss(lumped((p * share, q * other) for p, q in self.pairs))

    def delta(self, power: Fraction) -> Fraction:
        r"""Return the least $\delta$ at $e^{\varepsilon}$ for both directions."""
        gains = [(p - power * q, q - power * p) for p, q in self.pairs]
        forth = sum((gain for gain, _ in gains if gain > 0), Fraction(0))
        back = sum((gain for _, gain in gains if gain > 0), Fraction(0))
        return max(forth, back)


def lumped(pairs: Iterable[Pair]) -> tuple[Pair, ...]:
    """Add up the pairs that have one likelihood ratio."""
    sums: dict[Fraction | None, Pair] = {}
    for p, q in pairs:
        if p or q:
            ratio = p / q if q else None
            known = sums.get(ratio)
            sums[ratio] = (p, q) if known is None else (known[0] + p, known[1] + q)
    return tuple(sums.values())


def loss_of(law: Distribution[T], without: Distribution[T]) -> Loss:
    """Return the loss of a single observation."""
    return Loss().then(law, without)


class Losses:
    """Keep what the transcript so far tells of every unit."""

    def __init__(self) -> None:
        self.known: dict[Unit, Loss] = {}
        self.going_on: dict[Unit, Loss] = {}

    def add(self, unit: Unit, law: Distribution[T], without: Distribution[T]) -> None:
        """Add an observation after which neither world's state is random."""
        self.known[unit] = self.going_on.get(unit, Loss()).then(law, without)
        self.going_on[unit] = self.known[unit]

    def add_and_take(
        self, unit: Unit, law: Distribution[T], without: Distribution[T], taken: T | None
    ) -> None:
        """Add an observation after which the run goes on with one outcome only.

        What is lost from then on is a lower bound. Without an outcome that both worlds take,
        nothing more is learned.
        """
        before = self.going_on.get(unit, Loss())
        self.known[unit] = before.then(law, without)
        shares = (Fraction(0), Fraction(0))
        if taken is not None:
            shares = (law.probability_of(taken), without.probability_of(taken))
        self.going_on[unit] = before.given(*shares)
