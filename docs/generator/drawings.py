"""Pictures as SVG in the colour of the text: timelines, noise and threshold, privacy curves."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from docs.generator.explorer import rows
from docs.generator.names import ROOT
from properties.broken import REAL_REPORTS_CHARGED, REPEATS_COUNT
from properties.game import Steps
from properties.solve import _games, first_window
from properties.universes import attribution_universe
from sandproof.formats.svg import Point, cross, line, svg, text
from sandproof.simulation import Noiseless, Row, simulate
from sandproof.trace import DAY, read_trace
from sandproof.traces_told import day
from spec import PAPER, Base, Power
from spec.neighbours import ATTRIBUTION_FIXED
from spec.noise import DiscreteLaplace
from spec.rules import Rules
from spec.universe import Universe

PLOTTED_DELTA = "1e-8"
DASHES = ("", "8 4", "2 3", "9 3 2 3")
"""How the lines of sparsity budgets are drawn: dashes tell them apart, not colours."""

LINE = 17
MOVES = 4
WIDER = 8
PATTERNS = (
    '<defs><pattern id="{0}-hatch" width="6" height="6" patternUnits="userSpaceOnUse" '
    'patternTransform="rotate(45)"><path d="M0 0V6" stroke="currentColor" stroke-width="1.5"/>'
    "</pattern></defs>"
)
MARKS = {
    "source": '<circle cx="{x}" cy="{y}" r="6" fill="none" stroke="currentColor" '
    'stroke-width="2"/>',
    "trigger": '<rect x="{l}" y="{t}" width="12" height="12" fill="currentColor"/>',
    "query": '<path d="M{x} {t}L{r} {y}L{x} {b}L{l} {y}Z" fill="currentColor"/>',
    "window": '<path d="M{l} {b}L{x} {t}L{r} {b}Z" fill="currentColor"/>',
    "null": '<rect x="{l}" y="{t}" width="12" height="12" fill="none" stroke="currentColor" '
    'stroke-width="2"/>',
}


def draw(name: str) -> str:
    """Return a picture by its name."""
    if name.startswith("timeline:"):
        return timeline(name.partition(":")[2])
    if name not in DRAWINGS:
        raise KeyError(f"there is no drawing {name}")
    return DRAWINGS[name]()


def timeline(name: str) -> str:
    """Draw a trace of the paper's examples as it runs through the specification, without noise."""
    trace = read_trace(ROOT / "sandproof" / "traces" / f"{name}.json")
    rows = list(simulate(trace, Noiseless()))
    parts, y = [], 24
    ends = []
    for row in rows:
        words = textwrap.wrap(row.result, 42)
        parts.append(mark(row, 78, y))
        parts.append(text(62, y + 4, moment(row.time, rows), text_anchor="end", font_size="12"))
        parts.append(text(94, y + 4, row.cause, font_weight="600"))
        parts += [text(94, y + 4 + LINE * (n + 1), each) for n, each in enumerate(words)]
        ends.append(y)
        y += LINE * (len(words) + 1) + 16
    axis = line([(78, ends[0]), (78, ends[-1])], 1, "2 3")
    return svg(trace.description, 400, y - 8, [axis, *parts])


def moment(seconds: int, rows: Sequence[Row]) -> str:
    """Return a time in the unit that suits the trace."""
    if max(row.time for row in rows) < DAY:
        return f"{seconds // 60} min"
    return day(seconds)


def mark(row: Row, x: int, y: int) -> str:
    """Return the mark of a row: hollow where nothing is reported."""
    kind = row.cause.removeprefix("event ")
    if "null" in row.details or row.details.get("credited") == []:
        kind = "null"
    kind = "trigger" if kind == "event" else kind
    place = {"x": x, "y": y, "l": x - 6, "r": x + 6, "t": y - 6, "b": y + 6}
    shape = MARKS.get(kind, MARKS["source"]).format(**place)
    back = f'<circle cx="{x}" cy="{y}" r="8" style="fill: var(--color-background-primary)"/>'
    return back + shape


def noise() -> str:
    """Draw the law of a noisy sum with truncated noise, what is released and what is hidden."""
    truncation, value, scale = 6, 3, 620
    law = DiscreteLaplace(Power(Base(Fraction(2)), Fraction(-1, 2)), truncation)
    exact = replace(law, decay_power=Power(Base(Fraction(3, 2)), Fraction(-1)))
    parts = [PATTERNS.format("noise")]
    for n, (centre, words) in enumerate(
        ((0, "key absent: true sum 0"), (value, f"key present: true sum {value}"))
    ):
        base = 150 + 170 * n
        parts.append(line([(20, base), (400, base)]))
        parts.append(text(20, base - 118, words, font_weight="600"))
        for x in range(-truncation, truncation + 1):
            place = 160 + 18 * (x + centre)
            height = float(exact.pmf(x)) * scale * 0.8
            released = x + centre > truncation
            fill = "currentColor" if released else "url(#noise-hatch)"
            parts.append(
                f'<rect x="{place - 7}" y="{base - height:.1f}" width="14" height="{height:.1f}" '
                f'fill="{fill}" stroke="currentColor"/>'
            )
        edge = 160 + 18 * truncation + 9
        parts.append(line([(edge, base - 112), (edge, base + 8)], 2, "5 3"))
        parts.append(text(edge + 4, base - 102, "τ"))
        parts.append(text(160, base + 16, "0", text_anchor="middle", font_size="12"))
        parts.append(
            text(160 + 18 * truncation, base + 16, "⌊τ⌋", text_anchor="middle", font_size="12")
        )
    parts.append('<rect x="20" y="352" width="14" height="14" fill="url(#noise-hatch)" ')
    parts.append('stroke="currentColor"/>' + text(40, 364, "hidden: at most τ"))
    parts.append('<rect x="200" y="352" width="14" height="14"/>')
    parts.append(text(220, 364, "released: above τ"))
    title = "Truncated noise around 0 never passes τ; around a true sum of 3 it sometimes does."
    return svg(title, 420, 376, parts)


def small_universe() -> Universe:
    """Return the small universe of ARA with one source and one trigger left."""
    whole = attribution_universe()
    return replace(
        whole,
        units=whole.units[:1],
        sources=whole.sources[:1],
        triggers=whole.triggers[:1],
        trigger_count=1,
        moments=(),
    )


def curve(rules: Rules) -> list[tuple[int, Fraction]]:
    """Return the exact worst delta at each whole epsilon: one source, one trigger, two queries."""
    universe = small_universe()
    scaled = replace(rules, limits=universe.limits)
    window = first_window(scaled, universe)
    window = replace(window, lowest=window.lowest - WIDER, highest=window.highest + WIDER)
    games = _games(scaled, ATTRIBUTION_FIXED, universe, window, Steps())
    promised = int(universe.limits.epsilon)
    return [
        (epsilon, max(game.worst(Fraction(2) ** epsilon, MOVES) for game in games.values()))
        for epsilon in range(2 * promised + 3)
    ]


def curves(on_its_own: bool = False) -> str:
    """Draw the exact delta by epsilon of the paper's rules and of two broken rules.

    The picture of README.md is this one on its own: docs/figures/curves.svg.
    """
    shown = {
        "the paper's rules": (PAPER, ""),
        "a repeated report counts twice": (REPEATS_COUNT, "7 4"),
        "only real reports are charged": (REAL_REPORTS_CHARGED, "2 3"),
    }
    limits = attribution_universe().limits
    left, top, wide, high = 44, 36, 330, 220
    foot = top + high
    parts = [line([(left, top), (left, foot), (left + wide, foot)])]
    most = 2 * int(limits.epsilon) + 2

    def place(epsilon: Fraction | int, delta: Fraction | int) -> tuple[float, float]:
        return left + wide * float(Fraction(epsilon) / most), foot - high * float(delta)

    for epsilon in range(0, most + 1, 2):
        x, y = place(epsilon, 0)
        parts.append(text(x, y + 16, str(epsilon), text_anchor="middle", font_size="12"))
    for delta in (Fraction(0), Fraction(1, 2), Fraction(1)):
        x, y = place(0, delta)
        parts.append(text(x - 6, y + 4, str(delta), text_anchor="end", font_size="12"))
    parts.append(text(left + wide, foot + 32, "ε in units of ln 2", text_anchor="end"))
    parts.append(text(left - 30, top - 18, "exact worst δ"))
    x, y = place(limits.epsilon, limits.delta)
    parts.append(cross(x, y) + text(x + 10, y - 8, "promised"))
    for n, (words, (rules, dashes)) in enumerate(shown.items()):
        points = [place(epsilon, delta) for epsilon, delta in curve(rules)]
        parts.append(line(points, 2, dashes))
        y = foot + 56 + 20 * n
        parts.append(line([(left, y - 4), (left + 40, y - 4)], 2, dashes))
        parts.append(text(left + 50, y, words))
    title = "Exact δ by ε for the paper's rules and two broken ones"
    return svg(title, 400, foot + 110, parts, on_its_own)


def tightness() -> str:
    """Draw both comparisons of the tightness table against epsilon, a line for each Λ0."""
    table = [row for row in rows() if row["delta"] == PLOTTED_DELTA]
    budgets = sorted({row["sparsity"] for row in table}, key=int)
    wide, high, left, top, gap = 320, 220, 60, 40, 90
    foot = top + high
    parts: list[str] = []

    def panel(
        title: str,
        start: int,
        height_of: Callable[[dict[str, str]], float],
        ticks: Sequence[tuple[float, str]],
    ) -> None:
        low, most = ticks[0][0], ticks[-1][0]

        def place(epsilon: Fraction, value: float) -> Point:
            # Epsilon goes from a hundredth to a hundred, by its logarithm.
            across = (math.log10(epsilon) + 2) / 4
            return start + wide * across, foot - high * (value - low) / (most - low)

        parts.append(text(start, top - 14, title, font_weight="600"))
        parts.append(text(start + wide, foot + 36, "ε", text_anchor="end"))
        for value, named in ticks:
            (_, y), ends = place(Fraction(1), value), (start, start + wide)
            parts.append(f'<g opacity="0.4">{line([(x, y) for x in ends])}</g>')
            parts.append(text(start - 6, y + 4, named, text_anchor="end", font_size="12"))
        for named in ("1/100", "1/10", "1", "10", "100"):
            x, _ = place(Fraction(named), low)
            parts.append(text(x, foot + 18, named, text_anchor="middle", font_size="12"))
        for budget, dashes in zip(budgets, DASHES, strict=True):
            chosen = [row for row in table if row["sparsity"] == budget]
            points = [place(Fraction(row["epsilon"]), height_of(row)) for row in chosen]
            parts.append(line(points, 2, dashes))

    panel(
        "smallest sound τ / the paper's τ",
        left,
        lambda row: int(row["smallest"]) / int(row["threshold"]),
        [(tenth / 10, f"{tenth * 10}%") for tenth in range(4, 11, 2)],
    )
    panel(
        "exact worst δ / δ asked for",
        left + wide + gap,
        lambda row: math.log10(Fraction(row["ratio"])),
        [(power, f"1e{power}" if power else "1") for power in range(-8, 1, 2)],
    )
    for number, (budget, dashes) in enumerate(zip(budgets, DASHES, strict=True)):
        x, y = left + 170 * number, foot + 58
        parts += [line([(x, y), (x + 40, y)], 2, dashes), text(x + 48, y + 4, f"Λ0 = {budget}")]
    title = f"Tightness of the threshold at δ = {PLOTTED_DELTA}"
    return svg(title, 2 * wide + left + gap + 30, foot + 80, parts)


DRAWINGS: Mapping[str, Callable[[], str]] = {
    "noise": noise,
    "curves": curves,
    "tightness": tightness,
}
