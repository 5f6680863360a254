r"""What one query tells: the events that tell most, and how likely they are.

For discrete Laplace noise with ratio $q$, cut at $T$ or not, on the keys that are present, released
from $R$ on, let a unit move the sums of its keys by $v_1, \dots, v_n$ with
$q^{-\sum v_i} \le e^{\varepsilon}$. A key that only the unit has is released with it and impossible
without it: probability $\Pr[X > R - 1 - v]$. A key of others leaves the support of the noise with
probability $\Pr[X > T - v]$. Let $c(v)$ be the larger of the two. Everything else is within
$e^{\varepsilon}$, in both directions, so that $\delta = 1 - \prod_i (1 - c(v_i))$ exactly. The
noise is log-concave, so $-\ln(1 - c)$ is convex: for a given number of keys one large value and
ones are worst, and over the numbers of keys the fewest or the most. So two spreads decide them all.

Where $q^{-\sum v_i} > e^{\varepsilon}$ the noise is too small, and an event shows it: the noisy sum
lies beyond the point from which on it is more than $e^{\varepsilon}$ times as likely.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import floor

from flint import arb

from properties.closed_forms.service import Centre, Form, Moved, centre, centre_above
from properties.closed_forms.unit import CannotDecide, Spread
from spec.noise import Noise
from spec.numbers import Power, Real, SpecError, certainly_at_most, enclosed
from spec.numbers import decide as decided_at_rising_precision
from spec.rules import Rules

MOST_BITS = 8192


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """Hold an event: some key, or every key, is released with at least a certain noisy sum.

    Where nobody else contributes to a key that the query does not list, it is absent without the
    unit. A bound of None is met by every released key.
    """

    every: bool
    absent: bool
    large: Centre
    one: Centre
    large_from: int | None
    one_from: int | None

    def text(self, keys: int) -> str:
        """Tell the event in words, for a unit with so many keys."""
        who = "the key of x" if keys == 1 else f"{'every' if self.every else 'some'} key of x"
        if self.large_from is None:
            return f"{who} is released"
        at_least = f"at least {self.large_from}"
        if keys > 1 and self.one_from != self.large_from:
            at_least += f" (for the keys with a one: {self.one_from})"
        others = f", where others contribute {self.large.background} to it"
        if keys > 1 and self.one.background != self.large.background:
            others += f" ({self.one.background} to the keys with a one)"
        return f"{who} is released with a noisy sum of {at_least}{'' if self.absent else others}"


def loss_of(form: Form, moved: Moved) -> Fraction | None:
    r"""Return the $\varepsilon$ that the masses cost, or None if they do not fall geometrically."""
    decay = form.noise.decay
    if decay is None:
        return None
    if decay.base != form.limits.base:
        raise CannotDecide(f"the noise is counted in {decay.base}, the budget in another base")
    return -decay.exponent * moved.total


def tellings_of(
    rules: Rules, form: Form, spread: Spread, moved: Moved, loss: Fraction | None
) -> list[Telling]:
    """Return the events that tell most, at least one of which is a best one where that is known."""
    found: list[Telling] = []
    least, edge = form.least, form.edge
    visible = 1 if least is None else max(1, least)

    def add(level: int, start: Callable[[Centre], int | None], every: bool = False) -> None:
        find = centre_above if level else centre
        large = find(rules, form.query, spread.large, level)
        one = find(rules, form.query, (spread.one,), level)
        found.append(
            Telling(
                every=every,
                absent=level == 0,
                large=large,
                one=one,
                large_from=start(large),
                one_from=start(one),
            )
        )

    if not form.listed:
        add(0, lambda _: least)
    if edge is not None:
        add(max(1, visible - 1 - edge), lambda at: at.gone + edge + 1)
    if loss is not None and loss > form.query.epsilon:
        # Several keys: the corner where the ratio is greatest. One key: from the point on where it
        # passes the power, halfway between what epsilon hides and the whole move.
        hidden = form.query.epsilon * moved.total / loss

        def passes(at: Centre) -> int:
            return at.gone + floor((at.there - at.gone + hidden) / 2) + 1

        add(visible, passes if spread.keys == 1 else lambda at: at.there, every=True)
    return found


def gain(form: Form, keys: int, telling: Telling) -> Real:
    r"""Return $P(W) - e^{\varepsilon} Q(W)$ for an event, at the current precision."""
    sides = [(telling.large, telling.large_from, 1), (telling.one, telling.one_from, keys - 1)]
    there = [(exceeds(form.noise, at.there, start), count) for at, start, count in sides if count]
    gone = [(exceeds(form.noise, at.gone, start), count) for at, start, count in sides if count]
    return difference(
        combined(there, telling.every),
        Power(form.limits.base, form.query.epsilon).value(),
        Fraction(0) if telling.absent else combined(gone, telling.every),
    )


def at_most(form: Form, keys: int, telling: Telling) -> bool:
    """Decide whether an event's gain is at most delta, at rising precision."""
    delta = form.query.delta
    try:
        return decided_at_rising_precision(
            lambda: certainly_at_most(gain(form, keys, telling), delta), MOST_BITS
        )
    except SpecError as reason:
        raise CannotDecide(f"at epsilon {form.query.epsilon}, delta {delta}: {reason}") from None


def difference(there: Real, power: Real, gone: Real) -> Real:
    """Return one probability minus a multiple of another."""
    if isinstance(gone, Fraction) and gone == 0:
        return there
    if isinstance(there, Fraction) and isinstance(power, Fraction) and isinstance(gone, Fraction):
        return there - power * gone
    return enclosed(there) - enclosed(power) * enclosed(gone)


def exceeds(noise: Noise, centre: int, start: int | None) -> Real:
    """Return the probability of a noisy sum of at least `start`."""
    return Fraction(1) if start is None else noise.tail(start - 1 - centre)


def combined(chances: list[tuple[Real, int]], every: bool) -> Real:
    """Return the probability that every one, or at least one, of independent events happens."""
    if all(isinstance(chance, Fraction) and count <= 64 for chance, count in chances):
        product = Fraction(1)
        for chance, count in chances:
            assert isinstance(chance, Fraction)
            product *= (chance if every else 1 - chance) ** count
        return product if every else 1 - product
    ball = enclosed(Fraction(1))
    for chance, count in chances:
        ball = ball * repeated(enclosed(chance) if every else 1 - enclosed(chance), count)
    return ball if every else 1 - ball


def repeated(ball: arb, count: int) -> arb:
    """Return a power by squaring, which also works for an enclosure that contains zero."""
    product = arb(1)
    while count:
        if count % 2:
            product = product * ball
        ball, count = ball * ball, count // 2
    return product
