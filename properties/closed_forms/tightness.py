r"""How tight the paper's threshold is: the exact worst δ at one point, and the smallest sound one.

At production parameters closed forms decide, for the worst way in which one unit can spread its
budget over keys; in a small universe the game is solved for every threshold.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from properties.broken import forget_the_count
from properties.closed_forms.points import points_at
from properties.closed_forms.unit import ATTRIBUTION, Spread, admitted_spreads
from properties.numerals import scientific, significant
from properties.solve import solve
from properties.universes import source, trigger
from spec.aggregation_service import Query
from spec.neighbours import ATTRIBUTION_FIXED
from spec.noise import displaced_mass, smallest_sound_truncation
from spec.numbers import Power
from spec.paper import PAPER
from spec.reports import Report
from spec.rules import AtService, Rules
from spec.universe import SMALL_LIMITS, Universe

SMALL_DELTA = Fraction(1, 8)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Compare the paper's threshold with the smallest sound one.

    `needed`, `needed_at_smallest` and `needed_below` are the exact worst delta over the one asked
    for: with the paper's threshold, with the smallest sound one, and with one less.
    """

    epsilon: Fraction
    delta: Fraction
    sparsity: int
    threshold: int
    needed: Fraction
    smallest: int
    needed_at_smallest: Fraction
    needed_below: Fraction

    @property
    def saved(self) -> Fraction:
        """Return by how much the smallest sound threshold is lower, as a share of the paper's."""
        return 1 - Fraction(self.smallest, self.threshold)

    def cells(self) -> tuple[str, ...]:
        """Return the row as text."""
        return (
            str(self.epsilon),
            scientific(self.delta),
            str(self.sparsity),
            str(self.threshold),
            scientific(self.needed, 4),
            str(self.smallest),
            f"{significant(100 * self.saved, 3)}%",
            significant(self.needed_at_smallest, 10),
            significant(self.needed_below, 10),
        )


def fixed_threshold(value: int) -> Callable[[AtService, tuple[Report, ...]], int | None]:
    """Return the rule with one threshold for every query that discovers keys."""

    def threshold(at: AtService, batch: tuple[Report, ...]) -> int | None:
        del batch
        return value if at.query.discovers_keys else None

    return threshold


@functools.cache
def _rules_and_spreads(sparsity: int) -> tuple[Rules, tuple[Spread, ...]]:
    """Return the paper's rules with a sparsity budget, and the extreme spreads that they admit."""
    rules = replace(PAPER, limits=replace(PAPER.limits, sparsity_budget=sparsity))
    admitted = admitted_spreads(rules, ATTRIBUTION)
    return rules, tuple({each.keys: each for each in (admitted[0], admitted[-1])}.values())


def row(epsilon: Fraction, delta: Fraction, sparsity: int) -> Row:
    """Compare the thresholds for one query, for every number of keys that the rules admit."""
    rules, spreads = _rules_and_spreads(sparsity)
    limits = rules.limits
    smallest = smallest_sound_truncation(limits.contribution_budget, epsilon, delta, limits.base)

    def needed(changed: Rules) -> tuple[Fraction, int | None]:
        points = list(points_at(changed, spreads, epsilon, delta))
        assert all(point.exact for point in points)
        return max(point.ratio for point in points), points[0].form.threshold

    paper, threshold = needed(rules)
    assert threshold is not None
    return Row(
        epsilon=epsilon,
        delta=delta,
        sparsity=sparsity,
        threshold=threshold,
        needed=paper,
        smallest=smallest,
        needed_at_smallest=needed(replace(rules, threshold=fixed_threshold(smallest)))[0],
        needed_below=needed(replace(rules, threshold=fixed_threshold(smallest - 1)))[0],
    )


# A small universe, in which every threshold is solved.


@dataclass(frozen=True, slots=True, kw_only=True)
class SmallRow:
    """Hold the worst delta with a threshold: solved as a game, and by the closed form."""

    threshold: int
    solved: Fraction
    closed: Fraction

    @property
    def sound(self) -> bool:
        """Tell whether the threshold keeps the delta asked for."""
        return self.solved <= SMALL_DELTA

    def cells(self) -> tuple[str, ...]:
        """Return the row as text."""
        return (
            str(self.threshold),
            str(self.solved),
            str(self.closed),
            "yes" if self.sound else "no",
        )


def small_universe() -> Universe:
    r"""Return a universe with two keys, $\Lambda_1 = 2$ and $q = 1/2$."""
    limits = replace(SMALL_LIMITS, epsilon=Fraction(2), delta=SMALL_DELTA)
    return Universe(
        name="one query with key discovery, two keys, no sparsity bound",
        limits=limits,
        units=("A",),
        moves=6,
        sources=(source("A", "a", 100), source("B", "b", 100)),
        triggers=(trigger("a", 1), trigger("a", 2), trigger("a", 1, 2), trigger("b", 2)),
        trigger_count=3,
        queries=(Query(epsilon=limits.epsilon, delta=limits.delta),),
        query_count=1,
    )


def small_row(threshold: int) -> SmallRow:
    """Solve the small universe for one threshold, without a bound on the number of keys."""
    universe = small_universe()
    rules = replace(PAPER, admit=forget_the_count, threshold=fixed_threshold(threshold))
    solution = solve(rules, ATTRIBUTION_FIXED, universe)
    limits = universe.limits
    ratio = Power(limits.base, -limits.epsilon / limits.contribution_budget)
    closed = displaced_mass(
        ratio.exact(),
        Power(limits.base, limits.epsilon).exact(),
        (ratio ** (threshold + 1)).exact(),
    )
    return SmallRow(threshold=threshold, solved=solution.worst, closed=closed)
