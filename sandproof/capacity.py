r"""How much an event-level source can tell: the capacity of its randomized response as a channel.

The shipped API limits it. An output passes unchanged with a probability that grows with $\epsilon$,
and otherwise becomes a uniform other one.
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb, ctx

from spec.numbers import (
    FIRST_PRECISION,
    NATURAL,
    Base,
    N,
    OutOfRange,
    Power,
    Real,
    bounds,
    certainly_at_most,
    decide,
    enclose,
    enclosed,
    exact,
    positive_whole,
)


def response_rate(power: N, size: int) -> N:
    r"""Return $|\mathcal{O}| / (e^{\epsilon} + |\mathcal{O}| - 1)$: an output is drawn so often."""
    return size / (power + (size - 1))


def channel_capacity(
    power: Power, size: int, precision: int = 2 * FIRST_PRECISION
) -> tuple[Fraction, Fraction]:
    r"""Return bounds on the capacity, in bits, of the symmetric channel on $\mathcal{O}$.

    Write $E = e^{\epsilon}$ and $k = |\mathcal{O}|$. An output passes unchanged with probability
    $p = E / (E + k - 1)$ and otherwise becomes a uniform other one. The capacity is $\log_2 k$ less
    the entropy of what arrives given what was sent, and comes to
    $\log_2 k + p \log_2 E - \log_2(E + k - 1)$.
    """
    with ctx.workprec(precision):
        return bounds(_capacity(power, positive_whole(size, "size")))


def _capacity(power: Power, size: int) -> Real:
    """Return the capacity at the current precision, exactly where nothing or all is random."""
    if power.exponent == 0 or size == 1:
        return Fraction(0)
    ball = enclosed(power.value())
    logarithm = enclose(power.exponent)
    if power.base.value is not None:
        logarithm = logarithm * enclose(power.base.value).log()
    total = ball + (size - 1)
    return (arb(size).log() + ball * logarithm / total - total.log()) / arb(2).log()


def largest_epsilon(
    size: int, capacity: Fraction, limit: Fraction, base: Base = NATURAL
) -> tuple[Fraction, Fraction]:
    r"""Return bounds on the largest $\epsilon$ up to a limit whose channel stays within a capacity.

    The capacity grows with $\epsilon$. The lower bound certainly stays within it. The upper bound
    is the limit or certainly goes beyond it. The interval is cut at two points, because the
    capacity may equal the bound at one of them, and there no precision decides.
    """
    positive_whole(size, "size")
    most, within, beyond = exact(capacity, "capacity"), Fraction(0), exact(limit, "limit")
    if beyond < 0 or most < 0:
        raise OutOfRange(f"limit and capacity must not be negative, not {limit} and {capacity}")

    def fits(epsilon: Fraction) -> bool | None:
        return certainly_at_most(_capacity(Power(base, epsilon), size), most)

    def cut() -> tuple[Fraction, Fraction] | None:
        for point in (within + (beyond - within) * third / 3 for third in (1, 2)):
            inside = fits(point)
            if inside is not None:
                return (point, beyond) if inside else (within, point)
        return None

    if fits(beyond):
        return beyond, beyond
    while beyond - within > Fraction(1, 1 << FIRST_PRECISION):
        within, beyond = decide(cut)
    return within, beyond
