r"""How tight the paper's parameters are: the exact worst δ, and the smallest sound threshold.

The paper's threshold $\tau = \Lambda_1(1 + \ln(\Lambda_0/\delta)/\varepsilon)$ treats the failures
of different keys as if each could use all of $\Lambda_1$. They share it, so the exact worst
$\delta$ is far below the one asked for, and a lower threshold without $\Lambda_0$ is sound. This
module tabulates both at production parameters by closed forms, and in a small universe by solving
the game for every threshold.

    python -m docs.generator.tightness [DIRECTORY]

prints the tables and writes them into the directory, which is `docs` by default.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from properties.broken import forget_the_count
from properties.closed_forms.points import EPSILONS, points_at
from properties.closed_forms.unit import ATTRIBUTION, Spread, admitted_spreads
from properties.numerals import scientific, significant
from properties.solve import solve
from properties.universes import described, source, trigger
from spec.aggregation_service import Query
from spec.neighbours import ATTRIBUTION_FIXED
from spec.noise import displaced_mass, smallest_sound_truncation
from spec.numbers import Power
from spec.paper import PAPER
from spec.reports import Report
from spec.rules import AtService, Rules
from spec.universe import SMALL_LIMITS, Universe

if TYPE_CHECKING:
    pass

DELTAS = tuple(Fraction(1, 10**power) for power in (12, 8, 5, 3))
SPARSITY = (1, 20, 400, 65536)
SMALL_DELTA = Fraction(1, 8)
SMALL_THRESHOLDS = range(2, 7)


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


HEADINGS = (
    "ε",
    "δ",
    "Λ0",
    "⌊τ⌋ of the paper",
    "worst δ / δ",
    "smallest sound ⌊τ⌋",
    "lower by",
    "worst δ / δ there",
    "worst δ / δ one below",
)


def fixed_threshold(value: int) -> Callable[[AtService, tuple[Report, ...]], int | None]:
    """Return the rule with one threshold for every query that discovers keys."""

    def threshold(at: AtService, batch: tuple[Report, ...]) -> int | None:
        del batch
        return value if at.query.discovers_keys else None

    return threshold


def row(epsilon: Fraction, delta: Fraction, rules: Rules, spreads: tuple[Spread, ...]) -> Row:
    """Compare the thresholds for one query, for every number of keys that the rules admit."""
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
        sparsity=limits.sparsity_budget,
        threshold=threshold,
        needed=paper,
        smallest=smallest,
        needed_at_smallest=needed(replace(rules, threshold=fixed_threshold(smallest)))[0],
        needed_below=needed(replace(rules, threshold=fixed_threshold(smallest - 1)))[0],
    )


def rows(
    epsilons: Sequence[Fraction] = EPSILONS,
    deltas: Sequence[Fraction] = DELTAS,
    sparsity: Sequence[int] = SPARSITY,
) -> list[Row]:
    """Compare the thresholds over a grid of parameters."""
    found: list[Row] = []
    for keys in sparsity:
        rules = replace(PAPER, limits=replace(PAPER.limits, sparsity_budget=keys))
        admitted = admitted_spreads(rules, ATTRIBUTION)
        spreads = tuple({admitted[0].keys: admitted[0], admitted[-1].keys: admitted[-1]}.values())
        found += [row(e, delta, rules, spreads) for delta in deltas for e in epsilons]
    return found


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


SMALL_HEADINGS = ("⌊τ⌋", "worst δ, solved", "worst δ, closed form", f"at most {SMALL_DELTA}")


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


# The tables.


def as_csv(headings: Sequence[str], table: Sequence[Sequence[str]]) -> str:
    """Return a table with commas between its cells."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(headings)
    writer.writerows(table)
    return text.getvalue()


def as_text(headings: Sequence[str], table: Sequence[Sequence[str]]) -> str:
    """Return a table with aligned columns."""
    lines = [headings, *table]
    widths = [max(len(line[column]) for line in lines) for column in range(len(headings))]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True))
        for line in lines
    )


def main(directory: Path = Path("docs")) -> None:
    """Print the tables and write them into a directory."""
    table = rows()
    small = [small_row(threshold) for threshold in SMALL_THRESHOLDS]
    cells, small_cells = [row.cells() for row in table], [row.cells() for row in small]
    print(f"One query at production parameters, Λ1 = {PAPER.limits.contribution_budget}")
    print(as_text(HEADINGS, cells))
    print(f"\nEvery adversary: {described(small_universe())}; Λ1 = 2, q = 1/2, δ = {SMALL_DELTA}")
    print(as_text(SMALL_HEADINGS, small_cells))
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "tightness.csv").write_text(as_csv(HEADINGS, cells), encoding="utf-8")
    (directory / "tightness_small.csv").write_text(
        as_csv(SMALL_HEADINGS, small_cells), encoding="utf-8"
    )


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
