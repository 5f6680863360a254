r"""The noise that an attack is up against: the law of the first noisy sum that x changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from properties.worlds import Draws
from spec.distributions import Distribution
from spec.noise import DiscreteLaplace, Noisy

Told = dict[str, str | int | None]


def noise_told(mine: Sequence[Noisy], theirs: Sequence[Noisy]) -> Told | None:
    r"""Return the first sum that differs between the worlds, as plain data; None if none does.

    A sum is $k$ off with probability in proportion to $b^{-r|k|}$, with `rate` $r$ and `base` $b$.
    A key that is there in one world only has no sum in the other. Other noise is not told.
    """
    pairs: list[tuple[Noisy | None, Noisy | None]] = list(zip(mine, theirs, strict=False))
    if len(mine) != len(theirs):
        only = list((Counter(mine) - Counter(theirs)).elements())
        other = list((Counter(theirs) - Counter(mine)).elements())
        pairs = [(only[0], None)] if len(mine) > len(theirs) else [(None, other[0])]
    one, another = next((pair for pair in pairs if pair[0] != pair[1]), (None, None))
    law = one or another
    if law is None or not isinstance(law.noise, DiscreteLaplace):
        return None
    power = law.noise.decay_power
    return {
        "with_x": None if one is None else one.centre,
        "without_x": None if another is None else another.centre,
        "rate": str(-power.exponent),
        "base": "e" if power.base.value is None else str(power.base.value),
        "threshold": law.noise.truncation,
    }


def without_noise() -> Draws:
    """Return draws that add no noise, and take the first outcome of every other law."""
    return Draws(true_sum, first_of)


def true_sum(place: int, law: Noisy) -> int:
    """Draw no noise."""
    del place
    return law.centre


def first_of(place: int, law: Distribution[object]) -> object:
    """Take the first outcome of a finite law."""
    del place
    return law.weights[0][0]
