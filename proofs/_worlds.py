"""Runs of the whole system with and without a unit, and how far apart they are, exactly."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import TypeVar, cast

from spec import PAPER, Rules
from spec.aggregation_service import Answer, Query
from spec.contributions import Unit
from spec.distributions import Distribution, Draw, Law, hockey_stick
from spec.interaction import Mechanism
from spec.neighbours import Relation
from spec.noise import DiscreteLaplace, Noisy
from spec.numbers import Base, Power, SpecError
from spec.system import Move, Observation, SystemMechanism

S = TypeVar("S")

TWO = Base(Fraction(2))


class NotNoise(SpecError):
    """Report a draw from something other than noise."""


def without_noise(law: object) -> object:
    """Draw the true sum, and what is certain."""
    if isinstance(law, Noisy):
        return law.centre
    if isinstance(law, Distribution) and len(law.support()) == 1:
        return law.support()[0]
    if isinstance(law, Law):
        raise NotNoise(f"a draw from {type(law).__name__}")
    return law


def limited(contribution_budget: int, sparsity_budget: int = 10, rules: Rules = PAPER) -> Rules:
    """Return rules with these budgets, and noise that halves from one integer to the next."""
    limits = replace(
        rules.limits,
        contribution_budget=contribution_budget,
        sparsity_budget=sparsity_budget,
        epsilon=Fraction(contribution_budget),
        base=TWO,
    )
    return replace(rules, limits=limits)


def true_sums(
    mechanism: Mechanism[S, Move, Observation], moves: Sequence[Move], query: Query
) -> Mapping[int, int]:
    """Make the moves and return the sums that the query asks for, without noise."""
    draw = cast(Draw, without_noise)
    state = mechanism.initial
    for move in moves:
        state, _ = mechanism.step(state, move, draw)
    _, seen = mechanism.step(state, query, draw)
    return dict(cast(Answer, seen[0]).released)


def both_sums(
    rules: Rules, relation: Relation, unit: Unit, moves: Sequence[Move], query: Query
) -> tuple[Mapping[int, int], Mapping[int, int]]:
    """Return the sums with the unit and without it."""
    real = true_sums(SystemMechanism(rules=rules), moves, query)
    return real, true_sums(relation.without(rules, unit), moves, query)


def change(first: Mapping[int, int], second: Mapping[int, int]) -> int:
    """Return the L1 norm of the difference of two answers."""
    keys = dict.fromkeys((*first, *second))
    return sum(abs(first.get(key, 0) - second.get(key, 0)) for key in keys)


def delta_at(first: Mapping[int, int], second: Mapping[int, int], exponent: int) -> Fraction:
    r"""Return the exact $\delta$ at $2^{\mathrm{exponent}}$ of sums with noise of ratio one half.

    Outside of the interval of the two true sums the ratio of the masses is constant, so that the
    noisy sum is clamped to it.
    """
    noise = DiscreteLaplace(decay_power=Power(TWO, Fraction(-1)))
    laws: list[Distribution[tuple[Hashable, ...]]] = []
    for sums in (first, second):
        law: Distribution[tuple[Hashable, ...]] = Distribution.certain(())
        for key in sorted({*first, *second}):
            low, high = sorted((first.get(key, 0), second.get(key, 0)))
            one = clamped(noise, sums.get(key, 0), low, high)
            pairs = product(law.items(), one.items())
            law = Distribution.of({(*a, b): p * q for (a, p), (b, q) in pairs})
        laws.append(law)
    return hockey_stick(laws[0], laws[1], Fraction(2) ** exponent)


def clamped(noise: DiscreteLaplace, centre: int, low: int, high: int) -> Distribution[int]:
    """Return the law of a noisy sum, with everything beyond the interval moved to its ends."""
    above = [Fraction(1)]
    for point in range(low, high):
        above.append(cast(Fraction, noise.tail(point - centre)))
    above.append(Fraction(0))
    return Distribution.of({low + i: above[i] - above[i + 1] for i in range(high - low + 1)})
