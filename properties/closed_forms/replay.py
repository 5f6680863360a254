"""A violation, run again through the service itself, and written down."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import cast

from properties.closed_forms.points import Point, place
from properties.closed_forms.service import FAR, OTHERS, asking, copies_of, nulled
from properties.closed_forms.telling import MOST_BITS, Telling, combined, difference
from properties.closed_forms.unit import LARGE_KEY, CannotDecide, T, reports_of
from properties.numerals import scientific, significant
from spec.aggregation_service import Answer, Query
from spec.distributions import Law
from spec.noise import DiscreteLaplace, Noise, Noisy
from spec.numbers import Power, Real, bounds, certainly_at_most, enclosed
from spec.numbers import decide as decided_at_rising_precision
from spec.reports import Contribution, Report
from spec.rules import Rules
from spec.verdicts import Evidence, Finding, Reason


class Recorder:
    """Be a draw that notes every law and answers with a value that is always released."""

    def __init__(self) -> None:
        self.laws: list[Noisy] = []

    def __call__(self, law: T | Law[T], /) -> T:
        """Note a noisy sum and return one far above it."""
        if not isinstance(law, Law):
            return law
        if not isinstance(law, Noisy):
            raise CannotDecide(f"the service draws from {law!r}")
        self.laws.append(law)
        return cast(T, law.centre + FAR)


def refuted(rules: Rules, claim: str, found: Finding, point: Point) -> Finding:
    """Run a violation again and write it down; what does not replay is not reported."""
    telling = point.telling
    assert telling is not None
    event = telling.text(point.spread.keys)
    replayed, there, gone = replay(rules, claim, point, telling)
    if not replayed:
        return replace(
            found,
            detail=f"ALARM: a violation does not replay: {place(point)}: {event}",
        )
    more = "" if point.exact else "at least "
    ratio = significant(point.low / point.delta) if point.delta else "infinite"
    counterexample = {
        "epsilon": str(point.epsilon),
        "delta asked": scientific(point.delta),
        "keys": str(point.spread.keys),
        "spread": point.spread.text(),
        "noise": noise_text(point.form.noise),
        "threshold": "none" if point.form.threshold is None else str(point.form.threshold),
        "event": event,
        "probability with x": scientific(there),
        "probability without x": scientific(gone),
        "delta needed": more + scientific(point.low),
        "ratio": more + ratio,
    }
    needed = f"{scientific(point.low)}, that is {ratio} times the delta asked for"
    return replace(
        found,
        evidence=Evidence.ATTACK,
        reason=Reason.NONE,
        detail=f"{place(point)}: delta needed {more}{needed}",
        counterexample=counterexample,
    )


def replay(
    rules: Rules, claim: str, point: Point, telling: Telling
) -> tuple[bool, Fraction, Fraction]:
    """Send the unit's reports through the service in both worlds and add up the event's masses.

    The masses of a tail are added up by themselves, not read off the tail that found the violation.
    """
    asked = replace(rules, limits=point.form.limits)
    mine = reports_of(rules, claim, point.spread)
    keys = sorted({part.key for report in mine for part in report.contributions})
    query = replace(point.form.query, keys=tuple(keys) if point.form.listed else ())
    others: tuple[Report, ...] = ()
    if not telling.absent:
        amounts = dict.fromkeys(keys, telling.one.background)
        amounts[LARGE_KEY] = telling.large.background
        parts = tuple(Contribution(key=key, value=amount) for key, amount in amounts.items())
        others = (Report(report_id=OTHERS, contributions=parts),)

    worlds = [
        (
            answered(asked, query, (*others, *batch)),
            answered(asked, query, (*others, *nulled(batch))),
        )
        for batch in copies_of(rules, mine)
    ]

    def separated() -> tuple[bool, Fraction, Fraction] | None:
        power = Power(asked.limits.base, query.epsilon).value()
        for laws_with, laws_without in reversed(worlds):
            there, gone = happens(laws_with, telling), happens(laws_without, telling)
            within = certainly_at_most(difference(there, power, gone), query.delta)
            if within is None:
                return None
            if not within:
                break
        return not within, bounds(there)[0], bounds(gone)[1]

    return decided_at_rising_precision(separated, MOST_BITS)


def answered(rules: Rules, query: Query, reports: tuple[Report, ...]) -> dict[int, Noisy]:
    """Return the law of every key's noisy sum, as the service draws it."""
    recorder = Recorder()
    _, shown = rules.serve(asking(rules, query), reports, recorder)
    if not isinstance(shown, Answer):
        raise CannotDecide(f"the service answers {shown!r}")
    return dict(zip((key for key, _ in shown.released), recorder.laws, strict=True))


def happens(laws: dict[int, Noisy], telling: Telling) -> Real:
    """Return the probability of an event, adding up masses."""
    alike = Counter(
        (law.centre, telling.large_from if key == LARGE_KEY else telling.one_from)
        for key, law in laws.items()
    )
    if not alike:
        return Fraction(0)
    noise = next(iter(laws.values())).noise
    if any(law.noise is not noise for law in laws.values()):
        raise CannotDecide("the service does not use one noise for every key")
    chances = [(summed(noise, centre, start), count) for (centre, start), count in alike.items()]
    return combined(chances, telling.every)


def summed(noise: Noise, centre: int, start: int | None) -> Real:
    """Return the probability of a noisy sum of at least `start` as a sum of masses."""
    if start is None:
        return Fraction(1)
    above = start - 1 - centre
    decay, (_, high) = noise.decay, noise.support
    if above < -1 and type(noise) is DiscreteLaplace:
        return 1 - summed(noise, 0, -above)
    if high is not None and above >= high:
        return Fraction(0)
    if decay is None or type(noise) is not DiscreteLaplace:
        return noise.tail(above)
    first, ratio = noise.pmf(above + 1), decay.value()
    if isinstance(first, Fraction) and isinstance(ratio, Fraction):
        return first * (1 - (ratio ** (high - above) if high is not None else 0)) / (1 - ratio)
    ball = enclosed(ratio)
    rest = 1 - ball ** (high - above) if high is not None else enclosed(Fraction(1))
    return enclosed(first) * rest / (1 - ball)


def noise_text(noise: Noise) -> str:
    """Describe the noise in a few words."""
    if type(noise) is not DiscreteLaplace:
        return repr(noise)
    base = noise.decay_power.base.value
    ratio = f"{'e' if base is None else base}^({noise.decay_power.exponent})"
    cut = "untruncated" if noise.truncation is None else f"truncated at {noise.truncation}"
    return f"discrete Laplace with ratio {ratio}, {cut}"
