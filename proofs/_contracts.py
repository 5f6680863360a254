r"""Contracts in the place of what has no symbolic form: a logarithm, and the smallest truncation.

Logarithms have no symbolic form. So where `floor_log` is called on symbolic numbers, its contract
stands in for it: it returns some integer $m$, the largest with $p^m \le r$, and what it was called
with is noted. The contract is checked on the running function in threshold_meets_the_tail_lemma,
that of the smallest sound truncation in smallest_sound_truncation_is_tight.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from inspect import getclosurevars
from unittest.mock import patch

from proofs._flow import unguarded
from proofs._proof import assume
from proofs._symbolic import NotSymbolic
from spec import Rules, noise
from spec.numbers import Base, Power, floor_log


@dataclass(kw_only=True)
class FloorLog:
    """Stand in for `floor_log`: return the given integer and note the arguments."""

    result: int
    calls: list[tuple[Power, Fraction]] = field(default_factory=list)

    def __call__(self, power: Power, bound: Fraction) -> int:
        """Return the integer; it is negative exactly for a bound below one."""
        if type(power.base) is Base:
            raise NotSymbolic("another base in the logarithm")
        self.calls.append((power, bound))
        assume((self.result >= 0) if bound >= 1 else (self.result < 0))
        return self.result

    def only_call(self) -> tuple[Power, Fraction]:
        """Return what it was called with, if that happened once."""
        if len(self.calls) != 1:
            raise NotSymbolic(f"{len(self.calls)} calls of floor_log, where one was expected,")
        return self.calls[0]


@dataclass(kw_only=True)
class SmallestTruncation:
    """Stand in for the search of the smallest sound truncation, and note what it is for."""

    result: int
    calls: list[tuple[Power, int, Fraction]] = field(default_factory=list)

    def __call__(self, ask: Callable[[], int | None]) -> int:
        """Return the given integer, which is a sound truncation for what was noted."""
        if not ask.__qualname__.startswith(noise.smallest_sound_truncation.__qualname__):
            raise NotSymbolic(f"raising precision in {ask.__qualname__}")
        # The greatest sound edge is below one, so that the truncation is not negative.
        assume(self.result >= 0)
        given = getclosurevars(ask).nonlocals
        if type(given["step"].base) is Base:
            raise NotSymbolic("another base in the truncation")
        self.calls.append((given["step"], given["contribution"], given["chance"]))
        return self.result


@contextmanager
def by_contract(rules: Rules, result: int) -> Iterator[tuple[FloorLog, SmallestTruncation]]:
    """Let logarithm and smallest truncation be what their contracts say, for what rules call."""
    logarithm, smallest = FloorLog(result=result), SmallestTruncation(result=result)
    with ExitStack() as patches:
        patches.enter_context(patch.object(noise, "floor_log", logarithm))
        patches.enter_context(patch.object(noise, "decide", smallest))
        for rule in (rules.threshold, rules.noise):
            known = getattr(unguarded(rule), "__globals__", {})
            called = {name: logarithm for name, value in known.items() if value is floor_log}
            patches.enter_context(patch.dict(known, called))
        yield logarithm, smallest
