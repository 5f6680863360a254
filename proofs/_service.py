r"""Noise and threshold as the rules choose them, for all parameters and any base.

A query discovers keys if it brings a $\delta$ and lists no keys. So the keys of a query are none,
or some of which nothing may be read but how many there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import chain, product
from typing import Protocol, TypeVar
from unittest.mock import patch

from proofs._contracts import FloorLog
from proofs._opaque import Counted, counted
from proofs._proof import Step, StepResult, assume
from proofs._solvers import Exact
from proofs._subjects import (
    Inductive,
    at_service,
    for_all_rules,
    plain,
    search,
    unchecked,
)
from proofs._symbolic import NotSymbolic, running
from spec import PAPER, Rules, noise
from spec.aggregation_service import Query
from spec.noise import DiscreteLaplace, Noise
from spec.numbers import Base, OutOfRange, Power, bounds, certainly_at_most, decide
from spec.reports import Key, Report
from spec.rules import AtService, Limits

PRECISION = 4096
"""The most bits that an instance is decided with."""

LARGEST = 10**6
"""The largest truncation whose tail is computed as a fraction."""


class Listed(Counted):
    """Be keys that a query lists: there are some, and only their number may be known."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return True

    def number(self) -> int:
        """Return how many there are."""
        found = super().number()
        assume(found >= 1)
        return found


ANY_BATCH = counted(tuple[Report, ...], "the batch")
"""A batch of which only the size may be known, which is public."""


def noise_of(at: AtService, threshold: int | None) -> tuple[Fraction, int | None]:
    r"""Return $-\log_b q$ and the truncation of the noise that the rules choose for a threshold."""
    try:
        law = plain(at.rules.noise(at, ANY_BATCH, threshold), DiscreteLaplace)
    except Exception as error:
        if not running():
            raise
        raise NotSymbolic(f"{type(error).__name__} in the noise of the rules") from error
    if law.decay_power.base is not at.limits.base:
        raise NotSymbolic("another base in the noise")
    return -law.decay_power.exponent, law.truncation


def asked_for(
    rules: Rules,
    contribution_budget: int,
    sparsity_budget: int,
    epsilon: Fraction,
    delta: Fraction,
    *,
    lists_keys: bool = False,
) -> AtService:
    """Return what the service sees, at any time: its state and the base may not be looked at."""
    limits = unchecked(
        Limits,
        contribution_budget=contribution_budget,
        sparsity_budget=sparsity_budget,
        base=unchecked(Base),
    )
    keys: object = Listed("the keys of the query") if lists_keys else ()
    named = counted(tuple[int, ...], "the reports that the query names")
    query = unchecked(Query, epsilon=epsilon, delta=delta, keys=keys, report_ids=named)
    return at_service(replace(rules, limits=limits), query)


@for_all_rules("the threshold reaches the logarithm that the tail lemma asks for")
def reaches_the_logarithm(
    rules: Rules,
    contribution_budget: int,
    sparsity_budget: int,
    epsilon: Fraction,
    delta: Fraction,
    unlisted: bool,
    steps: int,
) -> bool:
    r"""Show $q^{T+1-\Lambda_1} \le p^{-(m+1)} < 1/r \le \delta/\Lambda_0$ by its exponents.

    The noise has ratio $q = b^{-c}$ and truncation $T$. The contract says $p^{m+1} > r$ for the
    power $p = b^e$ and the bound $r$ that `floor_log` was called with. It is shown wherever noise
    is truncated. It has to be with key discovery; without, discrete_laplace_is_private is enough.
    """
    assume(1 <= contribution_budget, 1 <= sparsity_budget, 0 < epsilon, 0 <= delta, delta <= 1)
    stand_in = FloorLog(result=steps)
    given = (contribution_budget, sparsity_budget, epsilon, delta)
    at = asked_for(rules, *given, lists_keys=not unlisted)
    with patch.object(noise, "floor_log", stand_in):
        threshold = rules.threshold(at, ANY_BATCH)
    rate, truncation = noise_of(at, threshold)
    if truncation is None:
        return not_discovering(at)
    power, bound = stand_in.only_call()
    reach = rate * (truncation + 1 - contribution_budget)
    return (reach >= power.exponent * (steps + 1)) & (bound * delta >= sparsity_budget)


def not_discovering(at: AtService) -> bool:
    """Return True for a query whose noise need not be truncated, and refuse another."""
    if at.query.discovers_keys:
        raise NotSymbolic("no truncation with key discovery")
    return True


@search(
    "no threshold leaves more than its share of delta above it",
    by="exact instances",
    over="exact parameters and the limits of the rules",
)
def instances(rules: Rules) -> Mapping[str, Exact] | None:
    r"""Look for parameters at which $\Pr[X > T - \Lambda_1] > \delta/\Lambda_0$."""
    for at in chain(parameters(rules), parameters(rules, keys=(1,))):
        limits, query = at.limits, at.query
        threshold = rules.threshold(at, ())
        law = rules.noise(at, (), threshold)
        greatest = law.support[1]
        if greatest is None and not query.discovers_keys:
            continue
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
                "keys": len(query.keys),
                "truncation": greatest,
                "tail": bounds(law.tail(bound))[0],
            }
    return None


def at_most(law: Noise, bound: int, share: Fraction) -> bool | None:
    """Compare a tail with a share, at the current precision."""
    return certainly_at_most(law.tail(bound), share)


def parameters(rules: Rules, keys: tuple[Key, ...] = ()) -> Iterator[AtService]:
    """List exact parameters, small ones first, then those of the rules.

    They are with key discovery unless the queries list keys. Limits that allow no key discovery are
    tried with a small delta all the same: what rules do with a query does not depend on whether it
    is refused.
    """
    limits = rules.limits
    for contribution, count, rate in product((1, 2, 3), (1, 2, 3), (1, 2)):
        small = replace(
            limits,
            base=Base(Fraction(2)),
            contribution_budget=contribution,
            sparsity_budget=count,
        )
        for delta in (Fraction(1, 2), Fraction(1, 8), Fraction(1, 1000)):
            query = Query(epsilon=Fraction(rate * contribution), delta=delta, keys=keys)
            yield at_exact(replace(rules, limits=small), query)
    for share in (1, 10, 100):
        delta = limits.delta or Fraction(1, 1000)
        query = Query(epsilon=limits.epsilon / share, delta=delta, keys=keys)
        yield at_exact(rules, query)


def at_exact(rules: Rules, query: Query) -> AtService:
    """Return what a new service sees of a query."""
    return AtService(rules=rules, now=0, service=rules.initial.service, query=query)


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


def narrow_noise(at: AtService, _: tuple[Report, ...], threshold: int | None) -> Noise:
    """Halve the scale of the noise: the control of every proof that depends on it."""
    decay = Power(at.limits.base, -2 * at.query.epsilon / at.limits.contribution_budget)
    return DiscreteLaplace(decay_power=decay, truncation=threshold)


def without_first_budget(at: AtService, batch: tuple[Report, ...]) -> int | None:
    r"""Return $\Lambda_1 \ln(\Lambda_0/\delta)/\epsilon$, a threshold without its first part."""
    threshold = PAPER.threshold(at, batch)
    return None if threshold is None else threshold - at.limits.contribution_budget
