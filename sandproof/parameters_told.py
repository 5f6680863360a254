r"""What follows from given parameters, as entries that are printed or drawn."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from html import escape

from flint import ctx

from sandproof.capacity import channel_capacity, largest_epsilon, response_rate
from sandproof.exact_numbers import exact_number, whole_number
from sandproof.figures import DIGITS, Entry, significant
from sandproof.formats import check_writable, write
from sandproof.formats.page import whole_page
from sandproof.formats.svg import noise_curve
from sandproof.formats.text import Writer
from sandproof.problems import BadInput
from sandproof.settings import parse_settings, with_settings
from spec import PAPER, Limits
from spec.distributions import group_privacy
from spec.event_outputs import OutputSet
from spec.noise import laplace_normaliser, smallest_sound_truncation, threshold
from spec.numbers import (
    Base,
    N,
    Power,
    Real,
    SpecError,
    Undecided,
    bounds,
    enclosed,
    positive,
    unit_interval,
)
from spec.randomized_response import truth_probability

BITS = 512
DAY = 24 * 60 * 60
LARGEST_GROUP = 10**6
LARGEST_POWER = 10**5
"""The greatest exponent of e whose power is written out."""

MOST_REPORTS = 500
MOST_DATA = 100
"""The largest source whose outputs are counted."""


def variance(ratio: N, truncation: int | None) -> N:
    r"""Return the variance of discrete Laplace noise, from $q$ and its truncation point.

    It is twice $\sum_{x=1}^{T} x^2 q^x$ over the normaliser, in closed form.
    """
    if truncation is None:
        return 2 * ratio / ((1 - ratio) * (1 - ratio))
    last, edge = truncation, ratio**truncation
    squares = (
        1
        + ratio
        - (last + 1) ** 2 * edge
        + (2 * last**2 + 2 * last - 1) * (edge * ratio)
        - last**2 * (edge * ratio * ratio)
    )
    total = 2 * ratio * squares / ((1 - ratio) * (1 - ratio) * (1 - ratio))
    return total / laplace_normaliser(ratio, truncation)


def run(arguments: argparse.Namespace) -> int:
    """Compute and print."""
    limits = with_settings(PAPER.limits, parse_settings(arguments.settings, PAPER.limits))

    def number(name: str, default: Fraction) -> Fraction:
        text = getattr(arguments, name)
        option = "--" + name.replace("_", "-")
        return default if text is None else exact_number(option, text)

    try:
        sections = {
            "One query of the aggregation service": list(
                query(limits, number("epsilon", limits.epsilon), number("delta", limits.delta))
            ),
            "One event-level source": list(
                event_level(
                    limits,
                    output_set(arguments.reports, arguments.windows, arguments.buckets),
                    number("event_epsilon", limits.event_epsilon),
                    number("capacity", Fraction(0)),
                )
            ),
            "One device and one day of PAA": list(
                device_day(limits, number("day_cap", Fraction(0)))
            ),
        }
    except SpecError as error:
        raise BadInput(str(error)) from None
    check_writable(arguments.output)
    formats = {"text": as_text, "json": as_json, "html": as_html, "svg": as_svg}
    write(formats[arguments.format](sections), arguments.output)
    return 0


def entry(name: str, meaning: str, compute: Callable[[], Real | int], unit: str = "") -> Entry:
    """Compute a number at high precision."""
    with ctx.workprec(BITS):
        value = compute()
        try:
            low, high = bounds(Fraction(value) if isinstance(value, int) else value)
        except Undecided:
            raise BadInput(f"{meaning}: {BITS} bits do not enclose it") from None
    return Entry(name=name, meaning=meaning, low=low, high=high, unit=unit)


def query(limits: Limits, epsilon: Fraction, delta: Fraction) -> Iterator[Entry]:
    """Compute noise and thresholds for a query."""
    most, base = limits.contribution_budget, limits.base
    positive(epsilon, "epsilon")
    unit_interval(delta, "delta")
    written_out("epsilon", epsilon, base)
    decay = Power(base, -epsilon / most)

    def deviation(truncation: int | None) -> Callable[[], Real]:
        return lambda: enclosed(variance(enclosed(decay.value()), truncation)).sqrt()

    yield entry("epsilon", "ε of the query", lambda: epsilon)
    yield entry("delta", "δ of the query", lambda: delta)
    yield entry("contribution_budget", "Λ1, the most that x can change a sum", lambda: most)
    yield entry("decay", "q = e^(-ε/Λ1), the ratio of neighbouring masses", decay.value)
    yield entry("noise_deviation", "standard deviation of untruncated noise", deviation(None))
    if delta > 0:
        tau = threshold(most, limits.sparsity_budget, epsilon, delta, base)
        without = threshold(most, 1, epsilon, delta, base)
        sound = smallest_sound_truncation(most, epsilon, delta, base)
        yield entry("threshold", f"⌊τ⌋ with Λ0 = {limits.sparsity_budget}", lambda: tau)
        yield entry("threshold_without_sparsity", "⌊τ⌋ without Λ0", lambda: without)
        yield entry("smallest_sound_threshold", "the smallest sound ⌊τ⌋", lambda: sound)
        yield entry(
            "truncated_noise_deviation", "standard deviation of noise cut at ⌊τ⌋", deviation(tau)
        )


def written_out(name: str, epsilon: Fraction, base: Base) -> None:
    """Refuse an epsilon whose power is too large to be written out."""
    if exponent_of(epsilon, base) > LARGEST_POWER:
        raise BadInput(f"{name} {significant(epsilon, DIGITS)} is too large to be written out")


def exponent_of(epsilon: Fraction, base: Base) -> Fraction:
    """Return epsilon counted in units of one, rounded up a little."""
    if base.value is None:
        return epsilon
    with ctx.workprec(BITS):
        return epsilon * bounds(enclosed(base.value).log())[1]


def output_set(reports: str, windows: str, buckets: str | None) -> OutputSet:
    """Read the configuration of an event-level source."""
    most = whole_number("--reports", reports)
    per_datum = whole_numbers("--windows", windows)
    own = (most,) * len(per_datum) if buckets is None else whole_numbers("--buckets", buckets)
    if most > MOST_REPORTS or len(per_datum) > MOST_DATA:
        raise BadInput(
            f"outputs are counted for up to {MOST_REPORTS} reports and {MOST_DATA} trigger data"
        )
    return OutputSet(maximum_reports=most, windows=per_datum, buckets=own)


def whole_numbers(option: str, text: str) -> tuple[int, ...]:
    """Read whole numbers with commas between them."""
    return tuple(whole_number(option, part) for part in text.split(","))


def event_level(
    limits: Limits, outputs: OutputSet, epsilon: Fraction, capacity: Fraction
) -> Iterator[Entry]:
    """Compute the output set, the truth probability and the channel of a source."""
    largest = max(limits.event_epsilon, epsilon)
    written_out("event_epsilon", largest, limits.base)
    size, power = outputs.size(), Power(limits.base, epsilon)
    yield entry("event_epsilon", "ε of the source", lambda: epsilon)
    yield entry("outputs", "|O|, the number of outputs", lambda: size)
    yield entry(
        "truth_probability", "the truth is sent", lambda: truth_probability(power.value(), size)
    )
    yield entry(
        "response_rate", "a random output is sent", lambda: response_rate(power.value(), size)
    )
    low, high = channel_capacity(power, size, BITS)
    yield Entry(
        name="channel_capacity", meaning="what a source can tell", low=low, high=high, unit="bits"
    )
    least, most = largest_epsilon(size, capacity, largest, limits.base)
    yield Entry(
        name="largest_epsilon",
        meaning=f"the largest ε up to {largest} "
        f"that tells at most {significant(capacity, DIGITS)} bits",
        low=least,
        high=most,
    )


def device_day(limits: Limits, day_cap: Fraction) -> Iterator[Entry]:
    """Compute what a day of a device costs, by group privacy, with and without a cap per day."""
    windows = -(-DAY // limits.window_length)
    capped = min(windows, -(-day_cap // limits.contribution_budget))
    yield entry("windows_per_day", "windows that a day touches", lambda: windows)
    if day_cap > 0:
        yield entry("day_factor", f"factor in ε, cap of {day_cap} per day", lambda: capped)
    yield entry("day_factor_without_cap", "factor in ε, no cap per day", lambda: windows)
    if limits.epsilon > 0:
        for name, count in (("day_delta", capped), ("day_delta_without_cap", windows)):
            small = exponent_of(limits.epsilon * count, limits.base) <= LARGEST_POWER
            if count and count <= LARGEST_GROUP and small:
                yield entry(
                    name,
                    f"δ by the geometric sum, {count} windows",
                    lambda count=count: group_privacy(  # type: ignore[misc]
                        limits.epsilon, limits.delta, count, limits.base
                    )[1],
                )


def as_text(sections: Mapping[str, Sequence[Entry]]) -> str:
    """Return the answers as a table."""
    out = Writer(colour=False)
    for heading, entries in sections.items():
        out.heading(heading)
        for each in entries:
            vacuous = "(says nothing)" if "delta" in each.name and each.low > 1 else each.unit
            value = f"{each.text} {vacuous}".rstrip()
            out.lines.append(f"  {each.meaning:<54} {value}")
    return "\n".join(out.lines[1:])


def as_json(sections: Mapping[str, Sequence[Entry]]) -> str:
    """Return the answers as JSON, by name."""
    listed = {each.name: each.to_json() for entries in sections.values() for each in entries}
    return json.dumps(listed, indent=2, ensure_ascii=False)


def as_svg(sections: Mapping[str, Sequence[Entry]], on_its_own: bool = True) -> str:
    """Draw the noise of the query, its threshold and the smallest sound one."""
    found = {each.name: each for each in next(iter(sections.values()))}
    # The deviation of untruncated noise is the scale of its law times the root of two.
    scale = float(found["noise_deviation"].high) / math.sqrt(2)
    budget = found["contribution_budget"].low
    named = (("⌊τ⌋", "threshold"), ("smallest sound ⌊τ⌋", "smallest_sound_threshold"))
    thresholds = [(words, int(found[name].low)) for words, name in named if name in found]
    sums = [("true sum", 0), ("true sum Λ1", int(budget))]
    return noise_curve(sums, scale, thresholds, on_its_own=on_its_own)


def as_html(sections: Mapping[str, Sequence[Entry]]) -> str:
    """Return the answers as a page with the picture."""
    parts = ["<h1>What follows from these parameters</h1>"]
    for heading, entries in sections.items():
        rows = "".join(
            f"<tr><td>{escape(each.meaning)}</td>"
            f"<td>{escape(f'{each.text} {each.unit}'.rstrip())}</td></tr>"
            for each in entries
        )
        parts.append(f"<h2>{escape(heading)}</h2><table><tbody>{rows}</tbody></table>")
    drawn = f'<figure class="curve">{as_svg(sections, on_its_own=False)}</figure>'
    return whole_page("Sandproof: parameters", "\n".join([parts[0], drawn, *parts[1:]]))
