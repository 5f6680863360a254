"""Windows: which noisy values are told apart, where there are infinitely many.

Noise with infinite support is cut outside a window of noisy values that contains every true sum.
There the likelihood ratio of any two worlds is constant, so that "below" and "above" say all that
the exact value would say. A true sum outside the window enlarges it and starts the game again.
Changed rules see lumps there, and are caught if they look into them. Where this is not so, because
the noise is not geometric or differs between the worlds, because its masses are irrational or
because rules do look into a lump, the window is made so wide that each draw loses less than a
tolerance. The value is then exact up to a known slack.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import floor
from typing import cast

from properties.lump import Inexact, Lump, OutOfWindow, apart
from spec.distributions import Law
from spec.noise import Noise, Noisy
from spec.numbers import Real, SpecError, bounds

REMEMBERED = 2**16
LOOKED_AT = 8
WIDEST = 1024
ROUNDED_BITS = 64
MOST_DRAWS = 32


class WindowTooWide(SpecError):
    """Report more noisy values than can be told apart in any reasonable time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Bound the noisy values that are told apart, and the true sums that may occur.

    Values of truncated noise up to `hidden` are never released, and count as one. Without a
    `tolerance` cutting must lose nothing; with one, each draw may lose as much. If the window is
    `watched`, the values outside are lumps, so that it is noticed if a rule looks into them. Values
    that are unlikely around all of `sums` count as outside, too.
    """

    lowest: int = 0
    highest: int = 4
    hidden: int | None = None
    tolerance: Fraction | None = None
    watched: bool = False
    sums: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        if self.highest - self.lowest > WIDEST:
            raise WindowTooWide(
                f"noisy sums from {self.lowest} to {self.highest} are too many to be told apart"
            )

    @property
    def lost(self) -> Fraction:
        """Bound how far a world's law of transcripts moves because noise is cut.

        All draws together lose no more. More draws of infinite noise could not be explored.
        """
        return Fraction(0) if self.tolerance is None else MOST_DRAWS * self.tolerance

    def outcomes(self, law: Law[object]) -> Iterable[tuple[object, Fraction]]:
        """List a law's outcomes; lump noisy values outside the window where noise is infinite.

        The lumps of each draw are objects of their own.
        """
        if not isinstance(law, Noisy):
            return law.outcomes()
        listed = noisy_outcomes(self, law)
        return [(apart(x), p) for x, p in listed] if self.watched else listed

    def noisy(self, law: Noisy) -> Iterable[tuple[int, Fraction]]:
        """List the outcomes of a noisy sum."""
        low, high = law.noise.support
        if low is None or high is None:
            return self._infinite(law)
        masses = self._masses(law, range(law.centre + low, law.centre + high + 1))
        return masses if self.tolerance is None else self._completed(law, masses)

    def _infinite(self, law: Noisy) -> Iterable[tuple[int, Fraction]]:
        if not self.lowest <= law.centre <= self.highest:
            lowest, highest = min(self.lowest, law.centre), max(self.highest, law.centre)
            raise OutOfWindow(f"a true sum of {law.centre}", lowest, highest)
        inside = self._masses(law, range(self.lowest + 1, self.highest))
        if self.tolerance is not None:
            return self._completed(law, inside)
        if not is_geometric(law.noise, self.lowest - law.centre, self.highest - law.centre):
            raise Inexact(f"{law.noise!r} does not fall by a constant ratio")
        below = 1 - rational(law.noise.tail(self.lowest - law.centre))
        above = rational(law.noise.tail(self.highest - 1 - law.centre))
        return [(self._end(law.noise, False), below), *inside, (self._end(law.noise, True), above)]

    def _end(self, noise: Noise, above: bool) -> int:
        """Return what stands for all values at or beyond one end."""
        if self.watched:
            return cast(int, Lump(noise, self.lowest, self.highest, above))
        return self.highest if above else self.lowest

    def _masses(self, law: Noisy, values: range) -> list[tuple[int, Fraction]]:
        exact = self.tolerance is None
        pairs = ((w, law.noise.pmf(w - law.centre)) for w in values)
        masses = [(w, rational(mass) if exact else rounded(mass)) for w, mass in pairs]
        if self.hidden is None or None in law.noise.support:
            return masses
        unseen = sum((mass for w, mass in masses if w <= self.hidden), Fraction(0))
        return [(self.hidden, unseen), *((w, mass) for w, mass in masses if w > self.hidden)]

    def _completed(
        self, law: Noisy, inside: list[tuple[int, Fraction]]
    ) -> Iterable[tuple[int, Fraction]]:
        """Give what is missing, which the tolerance bounds, to the two ends."""
        assert self.tolerance is not None
        missing = 1 - sum((mass for _, mass in inside), Fraction(0))
        if missing > self.tolerance:
            wider = max(4, (self.highest - self.lowest) // 4)
            message = f"{missing} of {law.noise!r} around {law.centre}"
            raise OutOfWindow(message, self.lowest - wider, self.highest + wider)
        above = min(missing, rounded(law.noise.tail(self.highest - 1 - law.centre)))
        first, last = self._likely(law)
        weights = {x: mass for x, mass in inside if first <= x <= last}
        weights[self.lowest] = weights.get(self.lowest, Fraction(0)) + missing - above
        weights[self.highest] = weights.get(self.highest, Fraction(0)) + above
        for x, mass in inside:
            if not first <= x <= last:
                weights[self.lowest if x < first else self.highest] += mass
        return weights.items()

    def _likely(self, law: Noisy) -> tuple[int, int]:
        """Return the bounds beyond which this noise is within the tolerance, whatever the sum."""
        if self.sums is None or not self.sums[0] <= law.centre <= self.sums[1]:
            return self.lowest, self.highest
        reach = likely_noise(law.noise, self.tolerance, self.highest - self.lowest)
        return self.sums[0] - reach, self.sums[1] + reach


@lru_cache(maxsize=REMEMBERED)
def likely_noise(noise: Noise, tolerance: Fraction | None, most: int) -> int:
    """Return how large noise is, but for a tolerance, or the most that is looked at."""
    mass, size = rounded(noise.pmf(0)), 0
    while tolerance is not None and mass < 1 - tolerance and size < most:
        size += 1
        mass += rounded(noise.pmf(size)) + rounded(noise.pmf(-size))
    return size


@lru_cache(maxsize=REMEMBERED)
def noisy_outcomes(window: Window, law: Noisy) -> Iterable[tuple[int, Fraction]]:
    """List the outcomes of a noisy sum, once."""
    return tuple(window.noisy(law))


def is_geometric(noise: Noise, low: int, high: int) -> bool:
    """Tell whether noise falls by its decay below `low` and above `high`, as far as looked at."""
    if noise.decay is None or not noise.decay.is_rational():
        return False
    ratio, away = noise.decay.exact(), range(LOOKED_AT)
    steps = [*((high + x, high + x + 1) for x in away), *((low - x, low - x - 1) for x in away)]
    return all(rational(noise.pmf(y)) == rational(noise.pmf(x)) * ratio for x, y in steps)


def rational(value: object) -> Fraction:
    """Return an exact probability; refuse an enclosure."""
    if not isinstance(value, Fraction | int):
        raise Inexact(f"the game needs rational probabilities, not {value}")
    return Fraction(value)


def rounded(value: Real) -> Fraction:
    """Return a probability if it is exact, or a little less than it."""
    if isinstance(value, Fraction | int):
        return Fraction(value)
    return max(Fraction(floor(bounds(value)[0] * 2**ROUNDED_BITS), 2**ROUNDED_BITS), Fraction(0))
