"""Pictures as SVG in the colour of the text: what all are drawn with, and those of a result.

Coordinates are rounded; nothing is decided here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from html import escape

from properties.numerals import bound, scientific

Point = tuple[float, float]

LEFT, TOP, WIDTH, HEIGHT = 52, 40, 310, 190
"""Where a chart stands in its picture, and how large it is."""

APART = 70
"""How far two numbers below a chart must be apart to stand side by side."""

TWICE = 2
"""The multiple of the promised epsilon to which the curve of an attack goes."""

SAMPLES = 160
"""At how many places a curve is computed."""

ON_ITS_OWN = "<style>svg { color: #1b1f24; background: #ffffff }</style>"
"""The colours of a picture that stands in no page."""


def svg(title: str, width: int, height: int, parts: Iterable[str], on_its_own: bool = False) -> str:
    """Return a picture that names itself to those who cannot see it."""
    style = ON_ITS_OWN if on_its_own else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" aria-label="{escape(title)}" '
        'font-family="system-ui, sans-serif" font-size="13" fill="currentColor">'
        f"<title>{escape(title)}</title>{style}{''.join(parts)}</svg>"
    )


def text(x: float, y: float, words: str, **attributes: str) -> str:
    """Return a text."""
    named = {name.replace("_", "-"): value for name, value in attributes.items()}
    extra = "".join(f' {name}="{value}"' for name, value in named.items())
    return f'<text x="{x:g}" y="{y:g}"{extra}>{escape(words)}</text>'


def line(points: Sequence[Point], width: float = 1, dashes: str = "") -> str:
    """Return a polygon line."""
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'<path d="M{path}" fill="none" stroke="currentColor" stroke-width="{width}"{dashed}/>'


def cross(x: float, y: float) -> str:
    """Return a cross that marks a point."""
    return f'<path d="M{x - 6:.1f} {y - 6:.1f}l12 12m0 -12l-12 12" stroke="currentColor" ' + (
        'stroke-width="2"/>'
    )


def logarithm(value: Fraction) -> float:
    """Return the natural logarithm of a fraction above zero, however long it is."""
    return math.log(value.numerator) - math.log(value.denominator)


def attack_curve(
    probability: Fraction,
    other: Fraction,
    power: Fraction,
    allowed: Fraction,
    epsilon: str,
    exact: bool = True,
    worst: Sequence[tuple[Fraction, Fraction]] = (),
) -> str:
    r"""Draw which $\delta$ an attack shows at each $\varepsilon$, beside the promise.

    An event of this probability, and of the other one in the other world, needs a $\delta$ of at
    least their difference $p - e^{\varepsilon} q$. The curve goes to twice the promised epsilon.
    `worst` holds what the worst adversary attains at multiples of it, as dots.
    """
    foot = TOP + HEIGHT
    shown = [each for each in (allowed, probability - power * other) if each > 0]
    lowest = math.floor(min(logarithm(each) for each in shown) / math.log(10)) - 1 if shown else -2
    lowest = min(lowest, -2)

    def delta(times: float) -> float:
        grown = logarithm(other) + times * logarithm(power) if other else -math.inf
        return float(probability) - math.exp(grown) if grown < 0 else 0.0

    def place(times: float, value: float) -> Point:
        height = max(math.log10(value), lowest) if value > 0 else lowest
        return LEFT + WIDTH * times / 2, foot - HEIGHT * (1 - height / lowest)

    parts = [line([(LEFT, TOP), (LEFT, foot), (LEFT + WIDTH, foot)])]
    every = max(1, round(-lowest / 5))
    for exponent in range(0, -lowest, every):
        _, y = place(0, 10.0**-exponent)
        named = "1" if exponent == 0 else f"1e-{exponent}"
        parts.append(text(LEFT - 6, y + 4, named, text_anchor="end", font_size="12"))
    for times, named in ((0, "0"), (1, f"ε = {epsilon}"), (2, "2ε")):
        x, _ = place(times, 0)
        parts.append(text(x, foot + 18, named, text_anchor="middle", font_size="12"))
    curve = [(2 * n / SAMPLES, delta(2 * n / SAMPLES)) for n in range(SAMPLES + 1)]
    points = [place(times, value) for times, value in curve if value > 0]
    if other and points and len(points) <= SAMPLES:
        points.append((points[-1][0], foot))
    parts.append(line(points, 2) if points else "")
    known = [place(float(times), float(delta)) for times, delta in worst if times <= TWICE]
    if known:
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5"/>' for x, y in known]
        dots = "small dots: the worst adversary with as many moves"
        parts.append(text(LEFT - 30, foot + 40, dots, font_size="12"))
    gained = max(probability - power * other, Fraction(0))
    x, y = place(1, float(gained))
    parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4"/>')
    attained = f"attack: δ {'=' if exact else '≥'} {bound(gained, digits=4)}"
    parts.append(text(x - 8, y + 20, attained, text_anchor="end", font_size="12"))
    x, y = place(1, float(allowed))
    parts += [line([(x, y), (LEFT + WIDTH, y)], 2, "5 4"), cross(x, y)]
    promised = f"promised: δ {'≤' if allowed else '='} {scientific(allowed)}"
    parts.append(text(x - 10, y - 8, promised, text_anchor="end", font_size="12"))
    least = "δ that this attack shows" + ("" if exact else ", at least")
    parts.append(text(LEFT - 30, TOP - 18, least, font_weight="600"))
    title = f"{least}, at each ε, against the promise"
    return svg(title, LEFT + WIDTH + 38, foot + 32 + 20 * bool(known), parts)


def noise_curve(
    sums: Sequence[tuple[str, int]],
    scale: float,
    thresholds: Sequence[tuple[str, int]],
    reach: float = math.inf,
    on_its_own: bool = False,
) -> str:
    """Draw the law of the noise around one or two sums, and thresholds, all by their names.

    Noise that is truncated has a `reach`.
    """
    foot = TOP + HEIGHT
    values = [value for _, value in (*sums, *thresholds)]
    low, high = min(values) - 6 * scale, max(values) + 6 * scale

    def across(value: float) -> float:
        return LEFT + WIDTH * (value - low) / (high - low)

    def curve(centre: int) -> list[Point]:
        widest = min(6 * scale, reach)
        offsets = [widest * (n / SAMPLES) ** 2 for n in range(SAMPLES + 1)]
        around = sorted({*offsets, *(-each for each in offsets)})
        return [
            (across(centre + each), foot - HEIGHT * math.exp(-abs(each) / scale)) for each in around
        ]

    parts = [line([(LEFT, foot), (LEFT + WIDTH, foot)])]
    keys: list[tuple[str, str]] = []
    places = sorted(across(value) for _, value in sums)
    apart = places[-1] - places[0] > APART
    for (named, value), dashes in zip(sums, ("", "7 4"), strict=False):
        x = across(value)
        anchor = "middle" if apart or len(sums) == 1 else "end" if x == places[0] else "start"
        parts.append(line(curve(value), 2, dashes))
        parts.append(text(x, foot + 18, str(value), text_anchor=anchor, font_size="12"))
        keys.append((f"{named} = {value}" if named else str(value), dashes))
    for (named, value), dashes in zip(thresholds, ("2 3", "1 5"), strict=False):
        parts.append(line([(across(value), TOP), (across(value), foot)], 2, dashes))
        keys.append((f"{named} = {value}", dashes))
    for number, (named, dashes) in enumerate(keys):
        y = foot + 42 + 20 * number
        parts.append(line([(LEFT, y - 4), (LEFT + 40, y - 4)], 2, dashes))
        parts.append(text(LEFT + 50, y, named))
    parts.append(text(LEFT - 30, TOP - 18, "how likely each noisy sum is", font_weight="600"))
    title = f"The noise around true sums: {', '.join(named for named, _ in keys)}"
    return svg(title, LEFT + WIDTH + 38, foot + 32 + 20 * len(keys), parts, on_its_own)
