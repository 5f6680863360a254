r"""Claim: the masses of the noise sum to one, and its tails have the closed forms that are used.

Paper: Sec. 2.1.
Method: sympy, with symbols for $q$, the point and the truncation; z3 and cvc5 for the signs.
Assumes: finite induction on the point; for the untruncated noise that $q^n$ tends to zero.

Write $t(x) = \Pr[X > x]$. One step down the tail adds one mass: $t(x-1) - t(x) = \Pr[X = x]$, for
every $x$ of the support. The last tail is zero, $t(T) = 0$, and the one before the first mass is
one, $t(-T-1) = 1$. Induction on $x$ from $T$ downwards gives $t(x) = \sum_{y > x} \Pr[X = y]$, and
at $x = -T-1$ the masses sum to one. Every mass is the height $q^{|x|}$ over the normaliser, which
starts with one and grows by the two heights of each new $T$.

Without truncation the steps are the same, and the sum above $x$ is $t(x) - \lim_n t(n)$; that
limit is zero because $t(n)$ is $q^n$ times $t(0)$. By symmetry the limit at $-\infty$ is one.

The functions are run on symbols as they are. A symbol $x$ is not negative, so that a negative point
is $-x-1$. A truncation at or beyond $x$ is $x$ or $x + k + 1$.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, cast

from proofs._algebra import identical, symbol
from proofs._check import check_of
from proofs._proof import Proof, assume, calculation, exists, for_all
from spec import noise
from spec.numbers import Base, Power

if TYPE_CHECKING:
    from sympy import Expr


def letters() -> tuple[Expr, int, int]:
    """Return $q$, and two symbols for whole numbers."""
    n, k = (symbol(name, integer=True, nonnegative=True) for name in "xk")
    return symbol("q", positive=True), cast(int, n), cast(int, k)


@dataclass(frozen=True, kw_only=True)
class ClosedForms:
    """Hold the closed forms, as sympy and as exact numbers call them."""

    mass: Callable[[Fraction, Fraction, Fraction], Fraction] = noise.laplace_mass
    truncated_pmf: Callable[[Expr, int, int], Expr] = noise.laplace_pmf
    truncated_tail: Callable[[Expr, int, int], Expr] = noise.laplace_tail
    pmf: Callable[[Expr, int], Expr] = lambda q, x: noise.laplace_pmf(q, None, x)
    tail: Callable[[Expr, int], Expr] = lambda q, x: noise.laplace_tail(q, None, x)
    upper_tail: Callable[[Expr, Expr, Expr], Expr] = noise.laplace_upper_tail
    displaced: Callable[[Expr, Expr, Expr], Expr] = noise.displaced_mass
    normaliser: Callable[[Expr, int | None], Expr] = noise.laplace_normaliser
    listed: Callable[[noise.Noisy], Iterable[tuple[int, Fraction]]] = noise.Noisy.outcomes


@calculation("one step down the truncated tail adds one mass, on either side of zero", by="sympy")
def truncated_steps(forms: ClosedForms) -> bool:
    r"""Compare $t(x-1) - t(x)$ with the mass above zero, at zero, and below."""
    q, n, k = letters()

    def step(truncation: int, x: int) -> bool:
        fall = forms.truncated_tail(q, truncation, x - 1) - forms.truncated_tail(q, truncation, x)
        return identical(fall, forms.truncated_pmf(q, truncation, x))

    return all(
        step(n + 1 + gap, n + 1) and step(gap, 0) and step(n + 1 + gap, -n - 1)
        for gap in (0, k + 1)
    )


@calculation("the truncated tail ends in zero and starts with one", by="sympy")
def truncated_ends(forms: ClosedForms) -> bool:
    """Look at $t(T)$ and at $t(-T-1)$, and at the masses beyond."""
    q, n, k = letters()
    end, start = forms.truncated_tail(q, k, k), forms.truncated_tail(q, k, -k - 1)
    above, below = forms.truncated_pmf(q, k, k + n + 1), forms.truncated_pmf(q, k, -k - n - 1)
    return identical(end, 0) and identical(start, 1) and identical(above, 0) and identical(below, 0)


@calculation("one step down the untruncated tail adds one mass", by="sympy")
def untruncated_steps(forms: ClosedForms) -> bool:
    """Do the same for the noise on all integers."""
    q, n, _ = letters()

    def step(x: int) -> bool:
        return identical(forms.tail(q, x - 1) - forms.tail(q, x), forms.pmf(q, x))

    return step(n + 1) and step(0) and step(-n - 1)


@calculation("the untruncated tail is geometric, and mirrored below zero", by="sympy")
def untruncated_ends(forms: ClosedForms) -> bool:
    """Show $t(n) = q^n t(0)$ and $t(-n-1) = 1 - t(n)$, which gives both limits."""
    q, n, _ = letters()
    geometric = identical(forms.tail(q, n), q**n * forms.tail(q, 0))
    return geometric and identical(forms.tail(q, -n - 1), 1 - forms.tail(q, n))


@calculation("every mass is its height over the normaliser", by="sympy")
def normalised(forms: ClosedForms) -> bool:
    """Divide the heights $q^{|x|}$ by the normaliser; the sum of heights grows by both ends."""
    q, n, k = letters()
    heights = identical(forms.normaliser(q, 0), 1) and identical(
        forms.normaliser(q, k + 1) - forms.normaliser(q, k), 2 * q ** (k + 1)
    )
    truncated = all(
        identical(forms.truncated_pmf(q, n + 1 + gap, x) * forms.normaliser(q, n + 1 + gap), height)
        for gap in (0, k + 1)
        for x, height in ((n + 1, q ** (n + 1)), (0, q**0), (-n - 1, q ** (n + 1)))
    )
    return heights and truncated and identical(forms.pmf(q, n) * forms.normaliser(q, None), q**n)


@calculation("the tails in named powers are the tails at the point", by="sympy")
def named_powers(forms: ClosedForms) -> bool:
    r"""Give heights and edges as powers, for $x \ge -1$; a displacement is $\Delta = T - x$."""
    q, n, k = letters()

    def agree(truncation: int, x: int) -> bool:
        edge, tail = q ** (truncation + 1), forms.truncated_tail(q, truncation, x)
        moved = forms.displaced(q, q ** (x - truncation), edge)
        return identical(forms.upper_tail(q, q ** (x + 1), edge), tail) and identical(moved, tail)

    return all(agree(gap, -1) and agree(n + gap, n) for gap in (0, k + 1))


def assume_height(q: Fraction, height: Fraction, edge: Fraction) -> None:
    """Take any height up to one, above the edge, which is zero without truncation."""
    assume(0 < q, q < 1, 0 <= edge, edge <= q * height, 0 < height, height <= 1)


@for_all("every mass is positive and at most one")
def positive(forms: ClosedForms, q: Fraction, height: Fraction, edge: Fraction) -> bool:
    """Compute the mass at the height."""
    assume_height(q, height, edge)
    mass = forms.mass(q, height, edge)
    return (0 < mass) & (mass <= 1)


@calculation(
    "a truncated law lists every outcome once, with its mass, around its centre",
    by="exact instances",
    over="three ratios, truncations up to three",
)
def outcomes_are_listed(forms: ClosedForms) -> bool:
    """Compare the list with the masses of the law."""
    for base, truncation in product((Fraction(2), Fraction(3, 2), Fraction(10)), range(4)):
        law = noise.DiscreteLaplace(Power(Base(base), Fraction(-1)), truncation)
        around = range(-truncation, truncation + 1)
        if list(forms.listed(law.around(5))) != [(5 + x, law.pmf(x)) for x in around]:
            return False
    return True


@exists("a mass strictly between zero and one, above an edge")
def not_vacuous(forms: ClosedForms, q: Fraction, height: Fraction, edge: Fraction) -> bool:
    """Show that the assumptions of the signs can hold with truncation."""
    assume_height(q, height, edge)
    mass = forms.mass(q, height, edge)
    return (0 < edge) & (0 < mass) & (mass < 1)


def mass_without_zero(q: Fraction, height: Fraction, edge: Fraction) -> Fraction:
    """Normalise by the heights on both sides of zero, and forget the one at zero."""
    return height * (1 - q) / (2 * (q - edge + q * height))


def one_sided_normaliser(q: Expr, truncation: int | None) -> Expr:
    """Add up the heights at and above zero only."""
    return 1 / (1 - q) if truncation is None else (1 - q ** (truncation + 1)) / (1 - q)


def bent_tail(q: Expr, truncation: int, x: int) -> Expr:
    r"""Add to the tail below zero what is nothing at $-1$ and where the masses start."""
    tail: Expr = noise.laplace_tail(q, truncation, x)
    return tail + (x + 1) * (x + truncation + 1) if x < 0 else tail


def pmf_beyond_the_truncation(q: Expr, truncation: int, x: int) -> Expr:
    """Go on with the masses where the noise is truncated."""
    return noise.laplace_mass(q, q ** (-x if x < 0 else x), q ** (truncation + 1))


def one_sided_pmf(q: Expr, x: int) -> Expr:
    """Leave out the masses below zero."""
    return q - q if x < 0 else noise.laplace_pmf(q, None, x)


def displaced_without_truncation(q: Expr, lift: Expr, edge: Expr) -> Expr:
    """Forget that the masses beyond the truncation are not there."""
    return noise.laplace_upper_tail(q, edge * lift, q - q)


PAPERS = ClosedForms()

PROOF = Proof(
    claim="discrete_laplace_is_normalised",
    subject=PAPERS,
    steps=(
        truncated_steps,
        truncated_ends,
        untruncated_steps,
        untruncated_ends,
        normalised,
        named_powers,
        positive,
        outcomes_are_listed,
        not_vacuous,
    ),
    controls={
        "normalised by one side": replace(PAPERS, normaliser=one_sided_normaliser),
        "a tail that is bent below zero": replace(PAPERS, truncated_tail=bent_tail),
        "masses beyond the truncation": replace(PAPERS, truncated_pmf=pmf_beyond_the_truncation),
        "masses on one side only": replace(PAPERS, pmf=one_sided_pmf),
        "a tail that does not vanish": replace(
            PAPERS, tail=lambda q, x: noise.laplace_tail(q, None, x) + 1
        ),
        "a displaced mass without truncation": replace(
            PAPERS, displaced=displaced_without_truncation
        ),
        "mass above one": replace(PAPERS, mass=mass_without_zero),
        "a list without its last outcome": replace(
            PAPERS, listed=lambda law: list(law.outcomes())[:-1]
        ),
    },
    unproved_for={"noise that is always zero": replace(PAPERS, mass=lambda *_: Fraction(1))},
)

CHECK = check_of(PROOF, header=__doc__)
