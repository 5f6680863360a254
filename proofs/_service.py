r"""Noise and threshold as the rules choose them, for all parameters and any base.

Logarithms have no symbolic form. So where `floor_log` is called on symbolic numbers, its contract
stands in for it: it returns some integer $m$, the largest with $p^m \le r$, and what it was called
with is noted. The contract is checked on the running function in threshold_meets_the_tail_lemma.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Protocol, TypeVar
from unittest.mock import patch

from proofs._proof import Step, StepResult, assume
from proofs._solvers import Exact
from proofs._subjects import Inductive, asked, for_all_rules, opaque, plain, search, unchecked
from proofs._symbolic import NotSymbolic, running
from spec import PAPER, Rules, noise
from spec.aggregation_service import Query
from spec.noise import DiscreteLaplace, Noise
from spec.numbers import Base, OutOfRange, Power, bounds, certainly_at_most, decide
from spec.reports import Report
from spec.rules import Limits

PRECISION = 4096
"""The most bits that an instance is decided with."""

LARGEST = 10**6
"""The largest truncation whose tail is computed as a fraction."""


@dataclass(kw_only=True)
class FloorLog:
    """Stand in for `floor_log`: return the given integer and note the arguments."""

    result: int
    calls: list[tuple[Power, Fraction]] = field(default_factory=list)

    def __call__(self, power: Power, bound: Fraction) -> int:
        """Return the integer; it is negative exactly for a bound below one."""
        if type(power.base) is Base:
            raise NotSymbolic("another base in the logarithm")
        self.calls.append((power, bound))
        assume((self.result >= 0) if bound >= 1 else (self.result < 0))
        return self.result

    def only_call(self) -> tuple[Power, Fraction]:
        """Return what it was called with, if that happened once."""
        if len(self.calls) != 1:
            raise NotSymbolic(f"{len(self.calls)} calls of floor_log, where one was expected,")
        return self.calls[0]


def noise_of(
    rules: Rules,
    contribution_budget: int,
    sparsity_budget: int,
    epsilon: Fraction,
    delta: Fraction,
    threshold: int | None,
) -> tuple[Fraction, int | None]:
    r"""Return $-\log_b q$ and the truncation of the noise that the rules choose for a threshold."""
    limits, query, batch = asked_for(contribution_budget, sparsity_budget, epsilon, delta)
    try:
        law = plain(rules.noise(limits, query, batch, threshold), DiscreteLaplace)
    except Exception as error:
        if not running():
            raise
        raise NotSymbolic(f"{type(error).__name__} in the noise of the rules") from error
    if law.decay_power.base is not limits.base:
        raise NotSymbolic("another base in the noise")
    return -law.decay_power.exponent, law.truncation


def asked_for(
    contribution_budget: int, sparsity_budget: int, epsilon: Fraction, delta: Fraction
) -> tuple[Limits, Query, tuple[Report, ...]]:
    """Return limits, a query and a batch; neither the batch nor the base may be looked at."""
    limits = unchecked(
        Limits,
        contribution_budget=contribution_budget,
        sparsity_budget=sparsity_budget,
        base=unchecked(Base),
    )
    return limits, asked(epsilon, delta), opaque(tuple[Report, ...], "the batch")


@for_all_rules("the threshold reaches the logarithm that the tail lemma asks for")
def reaches_the_logarithm(
    rules: Rules,
    contribution_budget: int,
    sparsity_budget: int,
    epsilon: Fraction,
    delta: Fraction,
    steps: int,
) -> bool:
    r"""Show $q^{T+1-\Lambda_1} \le p^{-(m+1)} < 1/r \le \delta/\Lambda_0$ by its exponents.

    The noise has ratio $q = b^{-c}$ and truncation $T$. The contract says $p^{m+1} > r$ for the
    power $p = b^e$ and the bound $r$ that `floor_log` was called with.
    """
    assume(1 <= contribution_budget, 1 <= sparsity_budget, 0 < epsilon, 0 < delta, delta <= 1)
    stand_in = FloorLog(result=steps)
    given = (contribution_budget, sparsity_budget, epsilon, delta)
    with patch.object(noise, "floor_log", stand_in):
        threshold = rules.threshold(*asked_for(*given))
    rate, truncation = noise_of(rules, *given, threshold)
    if truncation is None:
        raise NotSymbolic("no truncation with key discovery")
    power, bound = stand_in.only_call()
    reach = rate * (truncation + 1 - contribution_budget)
    return (reach >= power.exponent * (steps + 1)) & (bound * delta >= sparsity_budget)


@search(
    "no threshold leaves more than its share of delta above it",
    by="exact instances",
    over="exact parameters and the limits of the rules",
)
def instances(rules: Rules) -> Mapping[str, Exact] | None:
    r"""Look for parameters at which $\Pr[X > T - \Lambda_1] > \delta/\Lambda_0$."""
    for limits, query in parameters(rules.limits):
        threshold = rules.threshold(limits, query, ())
        law = rules.noise(limits, query, (), threshold)
        greatest = law.support[1]
        if greatest is None:
            raise OutOfRange("the noise has no greatest value with key discovery")
        if limits.base.value is not None and greatest > LARGEST:
            raise OutOfRange(f"a truncation at {greatest} has no tail of a size to be run")
        bound = greatest - limits.contribution_budget
        share = query.delta / limits.sparsity_budget
        if not decide(partial(at_most, law, bound, share), PRECISION):
            return {
                "base": limits.base.value or Fraction(0),
                "contribution_budget": limits.contribution_budget,
                "sparsity_budget": limits.sparsity_budget,
                "epsilon": query.epsilon,
                "delta": query.delta,
                "truncation": greatest,
                "tail": bounds(law.tail(bound))[0],
            }
    return None


def at_most(law: Noise, bound: int, share: Fraction) -> bool | None:
    """Compare a tail with a share, at the current precision."""
    return certainly_at_most(law.tail(bound), share)


def parameters(limits: Limits) -> Iterator[tuple[Limits, Query]]:
    """List exact parameters with key discovery, small ones first, then those of the rules.

    Limits that allow no key discovery are tried with a small delta all the same: what rules do with
    a query does not depend on whether it is refused.
    """
    for contribution, keys, rate in product((1, 2, 3), (1, 2, 3), (1, 2)):
        small = replace(
            limits,
            base=Base(Fraction(2)),
            contribution_budget=contribution,
            sparsity_budget=keys,
        )
        for delta in (Fraction(1, 2), Fraction(1, 8), Fraction(1, 1000)):
            yield small, Query(epsilon=Fraction(rate * contribution), delta=delta)
    for share in (1, 10, 100):
        delta = limits.delta or Fraction(1, 1000)
        yield limits, Query(epsilon=limits.epsilon / share, delta=delta)


THRESHOLD = Inductive(step=reaches_the_logarithm, reachable=instances)
"""The step that a threshold leaves its share of delta; refuted only by an instance that runs."""


class HasRules(Protocol):
    """Be a subject that holds rules."""

    @property
    def rules(self) -> Rules:
        """Return the rules."""


R = TypeVar("R", bound=HasRules)


class OfTheRules(Step[R]):
    """Decide the step about the threshold for the rules of a subject."""

    name = THRESHOLD.name

    def decide(self, subject: R) -> StepResult:
        """Pass the rules on."""
        return THRESHOLD.decide(subject.rules)


def narrow_noise(
    limits: Limits, query: Query, _: tuple[Report, ...], threshold: int | None
) -> Noise:
    """Halve the scale of the noise: the control of every proof that depends on it."""
    decay = Power(limits.base, -2 * query.epsilon / limits.contribution_budget)
    return DiscreteLaplace(decay_power=decay, truncation=threshold)


def without_first_budget(limits: Limits, query: Query, batch: tuple[Report, ...]) -> int | None:
    r"""Return $\Lambda_1 \ln(\Lambda_0/\delta)/\epsilon$, a threshold without its first part."""
    threshold = PAPER.threshold(limits, query, batch)
    return None if threshold is None else threshold - limits.contribution_budget
