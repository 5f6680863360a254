r"""How tight the paper's parameters are: the exact worst δ, and the smallest sound threshold.

The paper's threshold $\tau = \Lambda_1(1 + \ln(\Lambda_0/\delta)/\varepsilon)$ treats the failures
of different keys as if each could use all of $\Lambda_1$. They share it, so the exact worst
$\delta$ is far below the one asked for, and a lower threshold without $\Lambda_0$ is sound. This
module tabulates both at production parameters by closed forms, and in a small universe by solving
the game for every threshold.

    python -m properties.tightness [DIRECTORY]

prints the tables and writes them, with a plot, into the directory, which is `docs` by default.
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

from flint import arb, ctx

from properties.numerals import scientific, significant
from properties.production import (
    ATTRIBUTION,
    EPSILONS,
    Spread,
    admitted_spreads,
    points_at,
)
from properties.solve import solve
from properties.universe import described, source, trigger
from spec.aggregation_service import Query
from spec.contributions import Budget, Unit
from spec.neighbours import ATTRIBUTION_FIXED
from spec.noise import displaced_mass, smallest_sound_truncation
from spec.numbers import Power, bounds, enclose
from spec.paper import PAPER
from spec.reports import Contribution, Report
from spec.rules import AtService, Rules
from spec.universe import SMALL_LIMITS, Universe

if TYPE_CHECKING:
    from spec.rules import AtContribution

DELTAS = tuple(Fraction(1, 10**power) for power in (12, 8, 5, 3))
SPARSITY = (1, 20, 400, 65536)
PLOTTED_DELTA = Fraction(1, 10**8)
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


def admit_any_number(
    at: AtContribution, unit: Unit, spent: Budget, contribution: Contribution
) -> tuple[Budget, bool]:
    """Bound the value that a unit contributes and not the number of contributions."""
    del unit
    value = spent.value + contribution.value
    if value > at.limits.contribution_budget:
        return spent, False
    return replace(spent, value=value, count=spent.count + 1), True


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
    rules = replace(PAPER, admit=admit_any_number, threshold=fixed_threshold(threshold))
    solution = solve(rules, ATTRIBUTION_FIXED, universe)
    limits = universe.limits
    ratio = Power(limits.base, -limits.epsilon / limits.contribution_budget)
    closed = displaced_mass(
        ratio.exact(),
        Power(limits.base, limits.epsilon).exact(),
        (ratio ** (threshold + 1)).exact(),
    )
    return SmallRow(threshold=threshold, solved=solution.worst, closed=closed)


# The tables and the plot.


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


DASHES = ("none", "8 4", "2 3", "9 3 2 3")
WIDTH, HEIGHT, LEFT, TOP, GAP = 320, 220, 60, 40, 90


def logarithm(value: Fraction) -> Fraction:
    """Return the logarithm to base ten, close enough for a plot."""
    with ctx.workprec(64):
        return bounds(enclose(value).log() / arb(10).log())[0]


def plot(table: Sequence[Row]) -> str:
    """Draw both comparisons against epsilon, one line for each sparsity budget."""
    chosen = [row for row in table if row.delta == PLOTTED_DELTA]
    share = panel(
        "smallest sound τ / the paper's τ",
        chosen,
        LEFT,
        lambda row: 1 - row.saved,
        [(Fraction(tenth, 10), f"{tenth * 10}%") for tenth in range(4, 11, 2)],
    )
    worst = panel(
        "exact worst δ / δ asked for",
        chosen,
        LEFT + WIDTH + GAP,
        lambda row: logarithm(row.needed),
        [(Fraction(power), f"1e{power}" if power else "1") for power in range(-8, 1, 2)],
    )
    names = [
        f'<path d="M{LEFT + 170 * place} {TOP + HEIGHT + 58}h40" {stroke(place)}/>'
        f'<text x="{LEFT + 170 * place + 48}" y="{TOP + HEIGHT + 62}">Λ0 = {keys}</text>'
        for place, keys in enumerate(sorted({row.sparsity for row in chosen}))
    ]
    width, height = 2 * WIDTH + LEFT + GAP + 30, TOP + HEIGHT + 80
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            'font-family="sans-serif" font-size="12" role="img">',
            f"<title>Tightness of the threshold at δ = {scientific(PLOTTED_DELTA)}</title>",
            f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
            *share,
            *worst,
            *names,
            "</svg>",
            "",
        ]
    )


def panel(
    title: str,
    table: Sequence[Row],
    left: int,
    height_of: Callable[[Row], Fraction],
    ticks: Sequence[tuple[Fraction, str]],
) -> list[str]:
    """Draw one panel: axes with ticks, and a line for each sparsity budget."""
    low, high = ticks[0][0], ticks[-1][0]
    first, last = Fraction(-2), Fraction(2)

    def x(epsilon: Fraction) -> str:
        return pixels(left + WIDTH * (logarithm(epsilon) - first) / (last - first))

    def y(value: Fraction) -> str:
        return pixels(TOP + HEIGHT * (high - value) / (high - low))

    drawn = [
        f'<text x="{left}" y="{TOP - 14}" font-weight="bold">{title}</text>',
        f'<text x="{left + WIDTH}" y="{TOP + HEIGHT + 36}" text-anchor="end">ε</text>',
    ]
    for value, name in ticks:
        drawn += [
            f'<path d="M{left} {y(value)}H{left + WIDTH}" stroke="#d0d0d0"/>',
            f'<text x="{left - 6}" y="{y(value)}" dy="4" text-anchor="end">{name}</text>',
        ]
    for name in ("1/100", "1/10", "1", "10", "100"):
        middle = x(Fraction(name))
        drawn.append(
            f'<text x="{middle}" y="{TOP + HEIGHT + 18}" text-anchor="middle">{name}</text>'
        )
    for place, keys in enumerate(sorted({row.sparsity for row in table})):
        points = " ".join(
            f"{x(row.epsilon)},{y(height_of(row))}" for row in table if row.sparsity == keys
        )
        drawn.append(f'<polyline points="{points}" {stroke(place)}/>')
    return drawn


def stroke(place: int) -> str:
    """Return how the line of a sparsity budget is drawn: dashes tell them apart, not colours."""
    return f'fill="none" stroke="currentColor" stroke-width="2" stroke-dasharray="{DASHES[place]}"'


def pixels(value: Fraction) -> str:
    """Return a coordinate with one decimal."""
    whole, tenth = divmod(round(value * 10), 10)
    return f"{whole}.{tenth}"


def main(directory: Path = Path("docs")) -> None:
    """Print the tables and write them and the plot into a directory."""
    table = rows()
    small = [small_row(threshold) for threshold in SMALL_THRESHOLDS]
    cells, small_cells = [row.cells() for row in table], [row.cells() for row in small]
    print(f"One query at production parameters, Λ1 = {PAPER.limits.contribution_budget}")
    print(as_text(HEADINGS, cells))
    print(f"\nEvery adversary: {described(small_universe())}; Λ1 = 2, q = 1/2, δ = {SMALL_DELTA}")
    print(as_text(SMALL_HEADINGS, small_cells))
    (directory / "figures").mkdir(parents=True, exist_ok=True)
    (directory / "tightness.csv").write_text(as_csv(HEADINGS, cells), encoding="utf-8")
    (directory / "tightness_small.csv").write_text(
        as_csv(SMALL_HEADINGS, small_cells), encoding="utf-8"
    )
    (directory / "figures" / "tightness.svg").write_text(plot(table), encoding="utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
