r"""Claim: the threshold of the algorithm meets the tail lemma's hypothesis for $\delta/\Lambda_0$.

Paper: Fact 3.3.
Method: threshold and noise of the rules run for all parameters, with floor_log by its contract;
    the contract on the running function; broken rules refuted by exact instances.
Assumes: the laws of powers for the base, which is above one; floor_log returns the largest integer
    $m$ with $p^m \le r$, which is checked on its loops and at exact values.

The algorithm takes $T = \Lambda_1 + m$ with the largest $m$ such that $p^m \le \Lambda_0/\delta$,
where $p = e^{\epsilon/\Lambda_1} = 1/q$. So $p^{m+1} > \Lambda_0/\delta$, and
$A = q^{T+1-\Lambda_1} = p^{-(m+1)} < \delta/\Lambda_0$. This is what the tail lemma concludes from
its hypothesis about the real $\tau$, whose floor $T$ is. Its last step gives
$\Pr[X > T - \Lambda_1] \le A$.

`floor_log` first guesses $m$ by a logarithm and then corrects it by comparing powers. Its first
loop ends only where $p^{m+1} > r$, and its second one only where $p^m \le r$, having passed
$p^{m+1} > r$. This is run for guesses that are up to three steps wrong in either direction.

The paper's noise is truncated with key discovery only. Rules that truncate it for listed keys as
well are asked the same there.

Rules whose threshold calls no `floor_log` are not proved. They are refuted where an instance fails.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import cast

from proofs._check import check_of
from proofs._proof import Proof, assume, calculation, exists, for_all
from proofs._service import OfTheRules, without_first_budget
from spec import PAPER, Rules
from spec.noise import DiscreteLaplace, Noise, laplace_upper_tail
from spec.numbers import NATURAL, Base, Power, floor_log
from spec.reports import Report
from spec.rules import AtService


@dataclass(frozen=True, kw_only=True)
class Threshold:
    """Hold the rules, the logarithm that they call, and the closed form of the tail."""

    rules: Rules = PAPER
    floor_log: Callable[[Power, Fraction], int] = floor_log
    upper_tail: Callable[[Fraction, Fraction, Fraction], Fraction] = laplace_upper_tail


@dataclass(frozen=True, eq=False)
class AnyPower:
    """Be a power whose comparison with the bound is decided by a real logarithm of the bound."""

    logarithm: Fraction
    exponent: Fraction = Fraction(1)
    base: Base = Base(Fraction(2))

    def __pow__(self, exponent: int) -> AnyPower:
        """Raise the power."""
        return replace(self, exponent=self.exponent * exponent)

    def at_most(self, _: Fraction) -> bool:
        """Compare exponents instead of powers."""
        return self.exponent <= self.logarithm


@for_all("the loops of floor_log end at the floor, whatever the first guess")
def loops_end_at_the_floor(threshold: Threshold, logarithm: Fraction) -> bool:
    """Guess zero, by the bound one, where the logarithm is up to three steps away."""
    assume(-3 <= logarithm, logarithm <= 3)
    found = threshold.floor_log(cast(Power, AnyPower(logarithm)), Fraction(1))
    return (found <= logarithm) & (logarithm < found + 1)


FINE = Fraction(1, 3**100)
"""An exponent whose logarithms have more digits than the first precision."""


@calculation(
    "floor_log returns the largest power within the bound, ties too",
    by="exact numbers",
    over="fifteen powers and five bounds",
)
def contract_at_exact_values(threshold: Threshold) -> bool:
    """Try rational and irrational powers, and bounds that are powers themselves."""
    bounds = [Fraction(1, 1000), Fraction(1, 8), Fraction(1), Fraction(27, 8), Fraction(20 * 10**8)]
    powers = [
        Power(base, exponent)
        for base in (Base(Fraction(2)), Base(Fraction(3, 2)), NATURAL)
        for exponent in (FINE, Fraction(1, 65536), Fraction(1, 3), Fraction(1), Fraction(7, 2))
    ]
    return all(
        (power**found).at_most(bound) and not (power ** (found + 1)).at_most(bound)
        for power in powers
        for bound in bounds
        for found in (threshold.floor_log(power, bound),)
    )


def assume_powers(q: Fraction, height: Fraction, lift: Fraction, share: Fraction) -> None:
    r"""Take $A = q^{T+1-\Lambda_1}$ as the height and $q^{\Lambda_1}$ as the lift to the edge."""
    assume(0 < q, q < 1, 0 < height, height <= q, 0 < lift, lift <= q, height <= share)


@for_all("a height below its share of delta leaves at most the share in the tail")
def tail_is_at_most_the_share(
    threshold: Threshold, q: Fraction, height: Fraction, lift: Fraction, share: Fraction
) -> bool:
    """Compute the tail at the height."""
    assume_powers(q, height, lift, share)
    return threshold.upper_tail(q, height, height * lift) <= share


@exists("a tail that is positive and below its share")
def not_vacuous(
    threshold: Threshold, q: Fraction, height: Fraction, lift: Fraction, share: Fraction
) -> bool:
    """Show that the assumptions about the powers can hold, with something in the tail."""
    assume_powers(q, height, lift, share)
    tail = threshold.upper_tail(q, height, height * lift)
    return (0 < tail) & (tail < share)


def without_sparsity(at: AtService, batch: tuple[Report, ...]) -> int | None:
    r"""Give every key all of $\delta$."""
    rules = replace(at.rules, limits=replace(at.limits, sparsity_budget=1))
    return PAPER.threshold(replace(at, rules=rules), batch)


def threshold_for_listed_keys(at: AtService, batch: tuple[Report, ...]) -> int | None:
    """Truncate for listed keys as well, but there without the first contribution budget."""
    asked = replace(at, query=replace(at.query, keys=()))
    return (without_first_budget if at.query.keys else PAPER.threshold)(asked, batch)


def wider_noise(at: AtService, _: tuple[Report, ...], threshold: int | None) -> Noise:
    """Double the scale of the noise and keep the threshold."""
    decay = Power(at.limits.base, -at.query.epsilon / (2 * at.limits.contribution_budget))
    return DiscreteLaplace(decay_power=decay, truncation=threshold)


def without_a_second_correction(power: Power, bound: Fraction) -> int:
    """Correct the guess by one step at most."""
    found = floor_log(power, bound)
    return max(-1, min(found, 1)) if isinstance(power, AnyPower) else found


def one_less_for_small_bounds(power: Power, bound: Fraction) -> int:
    """Be wrong far below one."""
    return floor_log(power, bound) - (1 if bound < Fraction(1, 100) else 0)


def both_tails(q: Fraction, height: Fraction, edge: Fraction) -> Fraction:
    """Count both sides of the noise."""
    return 2 * laplace_upper_tail(q, height, edge)


def with_rules(rules: Rules) -> Threshold:
    """Return the subject for given rules."""
    return Threshold(rules=rules)


PAPERS = Threshold()

PROOF = Proof(
    claim="threshold_meets_the_tail_lemma",
    subject=PAPERS,
    steps=(
        OfTheRules[Threshold](),
        loops_end_at_the_floor,
        contract_at_exact_values,
        tail_is_at_most_the_share,
        not_vacuous,
    ),
    controls={
        "threshold without its first contribution budget": with_rules(
            replace(PAPER, threshold=without_first_budget)
        ),
        "threshold without the sparsity budget": with_rules(
            replace(PAPER, threshold=without_sparsity)
        ),
        "threshold for listed keys without its first contribution budget": with_rules(
            replace(PAPER, threshold=threshold_for_listed_keys)
        ),
        "noise twice as wide as the threshold allows": with_rules(
            replace(PAPER, noise=wider_noise)
        ),
        "a guess that is corrected once": replace(PAPERS, floor_log=without_a_second_correction),
        "a logarithm one less for small bounds": replace(
            PAPERS, floor_log=one_less_for_small_bounds
        ),
        "failures on both sides": replace(PAPERS, upper_tail=both_tails),
    },
    unproved_for={"a tail of nothing": replace(PAPERS, upper_tail=lambda *_: Fraction(0))},
)

CHECK = check_of(PROOF, header=__doc__, subject=with_rules)
