"""What queries of a grid need: each is decided for every way to spread a unit's budget."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from flint import ctx

from properties.closed_forms.service import Form, Unanswered, charged_as_asked, form_of, moved_by
from properties.closed_forms.telling import Telling, at_most, gain, loss_of, tellings_of
from properties.closed_forms.unit import LARGE_KEY, CannotDecide, Spread, admitted_spreads
from properties.numerals import scientific
from spec.aggregation_service import Query
from spec.noise import DiscreteLaplace
from spec.numbers import bounds
from spec.rules import Rules

EPSILONS = tuple(
    Fraction(text)
    for text in ("1/100", "1/10", "16/25", "1", "2", "3", "5", "8", "10", "14", "20", "32", "64")
)
DELTAS = (Fraction(0), *(Fraction(1, 10**power) for power in range(12, 2, -1)))
SHOWN_BITS = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """Hold what one query needs for one spread: certified bounds of delta, and the event.

    `exact` says that no event, background or direction needs more. `within` is None where that is
    open. A `fair` query is one that the ad-tech can ask under the rules' own limits and that is
    charged no more than it asks for.
    """

    form: Form
    fair: bool
    spread: Spread
    low: Fraction
    high: Fraction
    exact: bool
    within: bool | None
    telling: Telling | None

    @property
    def epsilon(self) -> Fraction:
        """Return the epsilon asked for."""
        return self.form.query.epsilon

    @property
    def delta(self) -> Fraction:
        """Return the delta asked for."""
        return self.form.query.delta

    @property
    def ratio(self) -> Fraction:
        """Return delta needed over delta asked for, rounded up a little."""
        return self.high / self.delta if self.delta else self.high


def place(point: Point) -> str:
    """Say where a point lies."""
    return f"epsilon {point.epsilon}, delta {scientific(point.delta)}, {point.spread.text()}"


def points_of(rules: Rules, spreads: tuple[Spread, ...]) -> Iterator[Point]:
    """Decide every spread for every query of the grid that the rules answer."""
    limits = rules.limits
    epsilons = {*(e for e in EPSILONS if e <= limits.epsilon), limits.epsilon} - {Fraction(0)}
    for epsilon in sorted(epsilons):
        for delta in sorted({*DELTAS, limits.delta}):
            try:
                yield from points_at(rules, spreads, epsilon, delta)
            except Unanswered:
                continue


def points_at(
    rules: Rules, spreads: tuple[Spread, ...], epsilon: Fraction, delta: Fraction
) -> Iterator[Point]:
    """Decide one query for every spread, with caps that it uses up where it is not fair."""
    query = Query(epsilon=epsilon, delta=delta, keys=(LARGE_KEY, 1) if delta == 0 else ())
    caps = (rules.limits.epsilon, rules.limits.delta)
    fair = (epsilon, delta) == caps or charged_as_asked(rules, query)
    if not fair:
        rules = replace(rules, limits=replace(rules.limits, epsilon=epsilon, delta=delta))
    form = form_of(rules, query, spreads[0])
    for spread in spreads:
        yield decided(rules, form, spread, fair)


def decided(rules: Rules, form: Form, spread: Spread, fair: bool) -> Point:
    """Decide one query for one spread."""
    moved = moved_by(rules, form.query, spread)
    loss = loss_of(form, moved)
    bounded = loss is not None and loss <= form.query.epsilon
    exact = bounded and type(form.noise) is DiscreteLaplace
    tellings = tellings_of(rules, form, spread, moved, loss)
    with ctx.workprec(SHOWN_BITS):
        gains = [(bounds(gain(form, spread.keys, told)), told) for told in tellings]
    (low, high), telling = max(
        gains, key=lambda pair: pair[0], default=((Fraction(0), Fraction(0)), None)
    )
    within: bool | None = all(at_most(form, spread.keys, told) for told in tellings)
    return Point(
        form=form,
        fair=fair,
        spread=spread,
        low=max(low, Fraction(0)),
        high=max(high, Fraction(0)),
        exact=exact,
        within=None if within and not exact else within,
        telling=telling,
    )


def delta_needed(
    rules: Rules, claim: str, epsilon: Fraction, delta: Fraction, keys: int
) -> tuple[Fraction, Fraction]:
    """Return certified bounds of the delta that a query needs with this many keys."""
    for spread in admitted_spreads(rules, claim):
        if spread.keys == keys:
            (point,) = points_at(rules, (spread,), epsilon, delta)
            return point.low, point.high
    raise CannotDecide(f"the rules do not admit a spread over {keys} keys")
