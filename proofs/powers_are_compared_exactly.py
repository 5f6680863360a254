r"""Claim: powers are compared, enclosed and taken logarithms of without rounding.

Paper: Fact 3.3.
Method: enumeration against whole numbers: with $x = n/d$, $b^x \le r$ is $b^n \le r^d$, and Euler's
    $e$ lies between two partial sums of its series.
Assumes: Python's whole numbers and fractions.

The specification decides every inequality about $e^\varepsilon$, $\delta$ and $\tau$ in
`spec.numbers`, with enclosures of rising precision. What is decided there must be what is true,
also where both sides are equal, and what is outside its range must be refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import factorial
from typing import Any, TypeAlias, cast

from proofs._check import check_of
from proofs._proof import Proof
from proofs._subjects import search
from spec import PAPER
from spec.aggregation_service import Query
from spec.concentrated import discrete_gaussian_rho, divergence_at_most
from spec.distributions import coin
from spec.event_client import checked_data
from spec.noise import DiscreteGaussian, DiscreteLaplace, threshold
from spec.numbers import (
    NATURAL,
    Base,
    IrrationalPower,
    OutOfRange,
    Power,
    Real,
    SpecError,
    Undecided,
    certainly_at_most,
    decide,
    enclose,
    exact,
    floor_log,
    positive,
    positive_whole,
    unit_interval,
    whole,
)
from spec.reports import (
    KEY_BITS,
    REPORT_ID_BITS,
    checked_key,
    checked_report_id,
    checked_report_ids,
    checked_value,
)

BASES = (NATURAL, *(Base(Fraction(*each)) for each in ((2, 1), (3, 2), (4, 1), (9, 4), (27, 8))))
EXPONENTS = tuple(sorted({Fraction(n, d) for n in range(-4, 5) for d in (1, 2, 3)}))
BOUNDS = (Fraction(-1), Fraction(0), Fraction(1, 3), Fraction(1), Fraction(3), Fraction(1000))
TERMS = 40
BITS = 96
"""The precision of the enclosures that are looked at."""

NARROW = Fraction(1, 2**64)
"""How narrow such an enclosure must be, as a share of the number."""

EULER = sum((Fraction(1, factorial(k)) for k in range(TERMS)), Fraction(0))
ABOVE_EULER = EULER + Fraction(1, factorial(TERMS - 1))


Take: TypeAlias = Callable[[Any, str], object]


def made(kind: Callable[..., object], name: str, **given: object) -> Take:
    """Return what makes a value of a type with a number in a field."""
    return lambda number, _: kind(**{name: number}, **given)


def limit(name: str) -> Take:
    """Return what changes one of the paper's limits."""
    return lambda number, _: replace(PAPER.limits, **{name: number})


HALF = Fraction(1, 2)
DECAY = Power(NATURAL, Fraction(-1))

RANGES: Mapping[str, tuple[Take, tuple[object, ...], tuple[object, ...]]] = {
    "exact": (exact, (0, -2, Fraction(1, 2)), (True, "1", None)),
    "whole": (whole, (0, -2), (True, Fraction(1), None)),
    "positive": (positive, (1, Fraction(1, 10**9)), (0, -1)),
    "positive_whole": (positive_whole, (1, 2), (0, -1)),
    "unit_interval": (unit_interval, (0, 1, Fraction(1, 2)), (Fraction(-1, 9), Fraction(10, 9))),
    "base": (made(Base, "value"), (2, Fraction(10, 9)), (1, Fraction(1, 2))),
    "epsilon of a query": (made(Query, "epsilon"), (1, Fraction(1, 10**9)), (0, -1)),
    "delta of a query": (
        made(Query, "delta", epsilon=1),
        (0, 1, Fraction(1, 2)),
        (Fraction(-1, 9), Fraction(10, 9)),
    ),
    "key": (checked_key, (0, 2**KEY_BITS - 1), (-1, 2**KEY_BITS)),
    "value": (checked_value, (0, 1), (-1, Fraction(1, 2))),
    "report": (checked_report_id, (0, 2**REPORT_ID_BITS - 1), (-1, 2**REPORT_ID_BITS)),
    "reports of a query": (
        lambda each, name: checked_report_ids((1, cast(int, each)), name),
        (0, 2**REPORT_ID_BITS - 1),
        (-1, 2**REPORT_ID_BITS, True),
    ),
    "trigger datum": (lambda each, _: checked_data(each), (0, 31, "boots"), (-1, 32, True, None)),
    "budget": (limit("contribution_budget"), (1, 65_536), (0, -1)),
    "keys of a unit": (limit("sparsity_budget"), (1, 20), (0, -1)),
    "queries of a report": (limit("maximum_queries"), (1, None), (0, -1)),
    "cap of epsilon": (limit("epsilon"), (0, 64), (-1,)),
    "cap of delta": (limit("delta"), (0, 1), (Fraction(-1, 9), Fraction(10, 9))),
    "epsilon of a source": (limit("event_epsilon"), (0, 14), (-1,)),
    "squared distance": (lambda each, _: discrete_gaussian_rho(each, Fraction(1)), (0, 1), (-1,)),
    "variance": (made(DiscreteGaussian, "variance"), (1, Fraction(1, 9)), (0, -1)),
    "order of a divergence": (
        lambda each, _: divergence_at_most(coin(HALF), coin(HALF), each, HALF),
        (2, Fraction(10, 9)),
        (1, Fraction(1, 2)),
    ),
    "truncation of noise": (
        made(DiscreteLaplace, "truncation", decay_power=DECAY),
        (0, None),
        (-1,),
    ),
    "exponent of a decay": (
        lambda each, _: DiscreteLaplace(Power(NATURAL, each)),
        (-1, Fraction(-1, 9)),
        (0, 1),
    ),
    "delta of a threshold": (
        lambda each, _: threshold(1, 1, HALF, each, NATURAL),
        (1, Fraction(1, 9)),
        (0, Fraction(10, 9)),
    ),
}
"""What a kind of number takes, and what it refuses."""


@dataclass(frozen=True, kw_only=True)
class Numbers:
    """Hold what decides about powers; `taken` are kinds of numbers that are taken in otherwise."""

    at_most: Callable[[Power, Fraction], bool] = Power.at_most
    whole_logarithm: Callable[[Power, Fraction], int] = floor_log
    enclosure: Callable[[Power, int], tuple[Fraction, Fraction]] = Power.enclosure
    value: Callable[[Power], Fraction] = Power.exact
    compared: Callable[[Real, Real], bool | None] = certainly_at_most
    decided: Callable[[Callable[[], bool | None], int | None], bool] = decide
    taken: tuple[tuple[str, Take], ...] = ()


def is_at_most(power: Power, bound: Fraction) -> bool:
    """Decide the comparison by whole powers of fractions."""
    over, under = power.exponent.numerator, power.exponent.denominator
    if bound <= 0:
        return False
    if power.base.value is not None:
        return power.base.value**over <= bound**under
    least, most = sorted((EULER**over, ABOVE_EULER**over))
    assert (most <= bound**under) == (least <= bound**under)
    return most <= bound**under


def powers() -> Iterator[Power]:
    """List the powers that are tried."""
    return (Power(base, exponent) for base, exponent in product(BASES, EXPONENTS))


def rational(power: Power) -> Fraction | None:
    """Return a power that is a fraction with a small denominator and numerator, if it is one."""
    base, over, under = power.base.value, power.exponent.numerator, power.exponent.denominator
    if over == 0:
        return Fraction(1)
    if base is None:
        return None
    whole_roots = [Fraction(n, d) for n in range(1, 28) for d in range(1, 9)]
    root = next((each for each in whole_roots if each**under == base), None)
    return None if root is None else root**over


def told(power: Power, **more: object) -> Mapping[str, object]:
    """Write down a power, and what was wrong with it."""
    return {"base": str(power.base.value or "e"), "exponent": power.exponent, **more}


OVER = f"{len(BASES)} bases, exponents from -4 to 4 in halves and thirds"


@search("a power is at most a bound if it is, also where they are equal", over=OVER)
def comparisons_are_right(numbers: Numbers) -> Mapping[str, object] | None:
    """Compare every power with bounds, its own value and numbers just beside it among them."""
    for power in powers():
        near = rational(power)
        beside = () if near is None else (near, near - Fraction(1, 10**30), near + NARROW)
        for bound in (*BOUNDS, *beside):
            if numbers.at_most(power, bound) is not is_at_most(power, bound):
                return told(power, bound=bound)
    return None


@search("a whole logarithm is the largest one", over=OVER)
def logarithms_are_largest(numbers: Numbers) -> Mapping[str, object] | None:
    """Compare the power at a logarithm and beyond; where there is none, it is refused."""
    for power, bound in product(powers(), (*BOUNDS, Fraction(8), Fraction(1, 16), Fraction(9, 4))):
        try:
            found = numbers.whole_logarithm(power, bound)
        except OutOfRange:
            if power.exponent > 0 and bound > 0:
                return told(power, bound=bound, logarithm="refused")
            continue
        if power.exponent <= 0 or bound <= 0:
            return told(power, bound=bound, logarithm=found)
        if not is_at_most(power**found, bound) or is_at_most(power ** (found + 1), bound):
            return told(power, bound=bound, logarithm=found)
    return None


@search("an enclosure holds its power and is narrow", over=OVER)
def enclosures_hold(numbers: Numbers) -> Mapping[str, object] | None:
    """Look on both sides of every power."""
    for power in powers():
        low, high = numbers.enclosure(power, BITS)
        outside = is_at_most(power, low) and low != high
        if outside or not is_at_most(power, high) or (high - low) > NARROW * high:
            return told(power, low=low, high=high)
    return None


@search("a power is a fraction if it is one, and is that one", over=OVER)
def fractions_are_known(numbers: Numbers) -> Mapping[str, object] | None:
    """Look for the root of every base among small fractions."""
    for power in powers():
        try:
            found = numbers.value(power)
        except IrrationalPower:
            found = None
        if found != rational(power) or power.is_rational() is (rational(power) is None):
            return told(power, found=str(found))
    return None


@search("two numbers are compared if their enclosures are apart", over="ten pairs of numbers")
def enclosures_are_compared(numbers: Numbers) -> Mapping[str, object] | None:
    """Compare fractions, enclosures that are apart, that touch, and one with itself."""
    one, two, third = Fraction(1), Fraction(2), enclose(Fraction(1, 3))
    wanted: list[tuple[Real, Real, bool | None]] = [
        (one, one, True),
        (two, one, False),
        (enclose(one), two, True),
        (two, enclose(one), False),
        (enclose(one), enclose(one), True),
        (third, third, None),
        (one, third, False),
        (third, one, True),
        (third, third.lower(), None),
        (third.lower(), third, True),
    ]
    for left, right, answer in wanted:
        if numbers.compared(left, right) is not answer:
            return {"left": str(left), "right": str(right)}
    return None


@search("a question is asked until it is answered", over="answers at once, later and never")
def questions_are_answered(numbers: Numbers) -> Mapping[str, object] | None:
    """Count how often a question is asked."""
    for times in (1, 2, 5):
        answers = iter([None] * (times - 1) + [False])
        try:
            answer = numbers.decided(lambda rest=answers: next(rest), None)  # type: ignore[misc]
        except Undecided:
            answer = True
        if answer is not False:
            return {"asked": times}
    for limit, times in ((64, 1), (63, 0), (128, 2), (1000, 4)):
        asked: list[None] = []
        try:
            numbers.decided(lambda note=asked: note.append(None), limit)  # type: ignore[misc]
        except Undecided:
            if len(asked) == times:
                continue
        return {"limit": limit, "asked": len(asked)}
    return None


@search("numbers outside their range are refused", over="the ends of every range")
def ranges_are_kept(numbers: Numbers) -> Mapping[str, object] | None:
    """Offer each kind of number what it takes and what it refuses."""
    for name, (papers, good, bad) in RANGES.items():
        take = dict(numbers.taken).get(name, papers)
        for value, wanted in (*((each, True) for each in good), *((each, False) for each in bad)):
            try:
                take(value, name)
            except SpecError:
                taken = False
            else:
                taken = True
            if taken is not wanted:
                return {"kind": name, "value": str(value)}
    return None


def strictly_below(power: Power, bound: Fraction) -> bool:
    """Take what is equal for larger."""
    return power.at_most(bound) and not (power.is_rational() and power.exact() == bound)


def one_less(power: Power, bound: Fraction) -> int:
    """Miss the largest logarithm by one."""
    return floor_log(power, bound) - 1


def half_an_enclosure(power: Power, bits: int) -> tuple[Fraction, Fraction]:
    """Cut off the upper half of an enclosure, and the number with it."""
    low, high = power.enclosure(bits)
    return low - (high - low), low


def without_roots(power: Power) -> Fraction:
    """Take only whole powers for fractions."""
    if power.exponent.denominator > 1:
        raise IrrationalPower(f"{power} is irrational")
    return power.exact()


def always_compared(left: Real, right: Real) -> bool | None:
    """Call what overlaps larger."""
    return bool(certainly_at_most(left, right))


def asked_twice(question: Callable[[], bool | None], limit: int | None) -> bool:
    """Give up after two questions."""
    return decide(question, 128 if limit is None else limit)


PAPERS = Numbers()

PROOF = Proof(
    claim="powers_are_compared_exactly",
    subject=PAPERS,
    steps=(
        comparisons_are_right,
        logarithms_are_largest,
        enclosures_hold,
        fractions_are_known,
        enclosures_are_compared,
        questions_are_answered,
        ranges_are_kept,
    ),
    bound=f"{OVER}; the ends of every range",
    controls={
        "what is equal is larger": replace(PAPERS, at_most=strictly_below),
        "a logarithm that is too small": replace(PAPERS, whole_logarithm=one_less),
        "enclosures that are cut": replace(PAPERS, enclosure=half_an_enclosure),
        "roots that are never fractions": replace(PAPERS, value=without_roots),
        "what overlaps is larger": replace(PAPERS, compared=always_compared),
        "questions that are given up": replace(PAPERS, decided=asked_twice),
        "zero is positive": replace(PAPERS, taken=(("positive", exact),)),
    },
)

CHECK = check_of(PROOF, header=__doc__)
