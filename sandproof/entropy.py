"""Entropy: where the uniform bits of a sampler come from."""

from __future__ import annotations

import random
import secrets
from typing import Protocol

from spec.numbers import whole


class Entropy(Protocol):
    """Give independent uniform bits."""

    def bits(self, count: int) -> int:
        """Return a uniform integer below two to the power of the count."""
        ...


class SeededEntropy:
    """Give the same bits for the same seed, for tests and simulations."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(whole(seed, "seed"))

    def bits(self, count: int) -> int:
        """Return a uniform integer below two to the power of the count."""
        return self._random.getrandbits(count)


class SystemEntropy:
    """Give the bits of the operating system."""

    def bits(self, count: int) -> int:
        """Return a uniform integer below two to the power of the count."""
        return secrets.randbits(count)
