r"""The universal mechanism with a filter per unit is private.

Claim: $\mathcal{M}^{\mathrm{ind}}_{\phi_{\varepsilon,\delta}}$ is $(\varepsilon, \delta)$-private
    against stable adversaries.
Paper: Lem. 4.11; Def. 4.10.
Method: Zooming in on a unit $x$. The mechanism's step is run on a database with $x$ and on the same
    one without it, with symbolic accounts of $x$ and of another unit $z$. It shows: the accounts
    after the step are the same in both worlds, so that they are public; the query is answered on
    sets that are the same or differ in $x$ alone; they differ only if the account of $x$ allows the
    query's $p(x)$, and then $x$ is charged for it; and the account of $x$ stays within the caps.
    So what the adversary sees is what the mechanism with one filter, that of $x$, shows of the
    queries $q'(U') = q(\tilde U \cup U')$ on the database $\{x\}$ or $\emptyset$, where $\tilde U$
    are the other units with budget left. A query on which $x$ is masked has the same law in both
    worlds. Then filters_compose applies.
Assumes: Each query satisfies the $p$ that it claims. The adversary asks finitely often.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from immutables import Map

from proofs._check import check_of
from proofs._proof import Proof, assume, exists
from proofs._subjects import certain, for_all_rules, name
from proofs.filters_compose import (
    MakeFilter,
    forget_delta,
    sums,
    theta,
)
from spec.contributions import Unit
from spec.distributions import Draw
from spec.filters import (
    NOTHING,
    Consumed,
    IndividuallyFilteredMechanism,
    IndividualQuery,
    Units,
    basic_filter,
    without_unit,
)
from spec.individual_privacy import Theta

X, Z = name(str, "unit x"), name(str, "unit z")


Accounts = tuple[Consumed, ...]


@dataclass(frozen=True, kw_only=True)
class Individual:
    """Hold the filter, the mechanism and what it means that a unit is not there."""

    make: MakeFilter = basic_filter
    mechanism: type[IndividuallyFilteredMechanism[Units]] = IndividuallyFilteredMechanism
    without: Callable[[Units, Unit], Units] = without_unit


def run(
    individual: Individual,
    caps: Theta,
    state: Accounts,
    units: Units,
    parameters: Mapping[str, Theta],
) -> tuple[Accounts, Units]:
    """Make one step; return the accounts and the units on which the query was answered."""
    claimed: Map[Unit, Theta] = Map(dict[Unit, Theta](parameters.items()))
    query: IndividualQuery[Units] = IndividualQuery(
        answer=lambda masked: masked,  # type: ignore[arg-type, return-value]
        parameters=claimed,
    )
    mechanism = individual.mechanism(go_on=individual.make(caps))
    return mechanism.step(state, (units, query), certain)


def account(state: Accounts, unit: str) -> tuple[Theta, ...]:
    """Return what a unit has consumed, step by step."""
    return tuple(consumed.get(unit, NOTHING) for consumed in state)


def same_accounts(first: Accounts, second: Accounts) -> bool:
    """Compare the sums of both units' accounts."""
    same = True
    for unit in (X, Z):
        one, other = sums(account(first, unit)), sums(account(second, unit))
        same = same & (one[0] == other[0]) & (one[1] == other[1])
    return same


@for_all_rules("both worlds keep the same accounts, and answer on sets that differ in x at most")
def worlds_differ_in_x(
    individual: Individual,
    epsilon_cap: Fraction,
    delta_cap: Fraction,
    epsilon_x: Fraction,
    delta_x: Fraction,
    epsilon_z: Fraction,
    delta_z: Fraction,
    claim_x: Fraction,
    claim_delta_x: Fraction,
    claim_z: Fraction,
    claim_delta_z: Fraction,
) -> bool:
    """Run a step with x and without it."""
    caps = theta(epsilon_cap, delta_cap)
    state: Accounts = (Map({X: theta(epsilon_x, delta_x), Z: theta(epsilon_z, delta_z)}),)
    claims = {X: theta(claim_x, claim_delta_x), Z: theta(claim_z, claim_delta_z)}
    units: Units = frozenset({X, Z})
    after, masked = run(individual, caps, state, units, claims)
    other, without = run(individual, caps, state, individual.without(units, X), claims)
    if masked - {X} != without:
        return False
    return same_accounts(after, other)


@for_all_rules("x takes part only if it pays, and within the caps")
def x_pays(
    individual: Individual,
    epsilon_cap: Fraction,
    delta_cap: Fraction,
    epsilon_x: Fraction,
    delta_x: Fraction,
    claim_x: Fraction,
    claim_delta_x: Fraction,
) -> bool:
    """Run a step for x alone."""
    assume(epsilon_x <= epsilon_cap, delta_x <= delta_cap)
    caps = theta(epsilon_cap, delta_cap)
    state: Accounts = (Map({X: theta(epsilon_x, delta_x)}),)
    claims = {X: theta(claim_x, claim_delta_x)}
    after, masked = run(individual, caps, state, frozenset({X}), claims)
    epsilon, delta = sums(account(after, X))
    within = (epsilon <= epsilon_cap) & (delta <= delta_cap)
    if X not in masked:
        return within & (epsilon == epsilon_x) & (delta == delta_x)
    return within & (epsilon == epsilon_x + claim_x) & (delta == delta_x + claim_delta_x)


@for_all_rules("a unit within the caps that the query does not name is neither charged nor masked")
def unnamed_units_stay(
    individual: Individual,
    epsilon_cap: Fraction,
    delta_cap: Fraction,
    epsilon_x: Fraction,
    delta_x: Fraction,
    claim_z: Fraction,
) -> bool:
    """Run a step that claims nothing about x: its answer does not depend on x."""
    assume(epsilon_x <= epsilon_cap, delta_x <= delta_cap)
    caps = theta(epsilon_cap, delta_cap)
    claims = {Z: theta(claim_z, Fraction(0))}
    state: Accounts = (Map({X: theta(epsilon_x, delta_x)}),)
    after, masked = run(individual, caps, state, frozenset({X, Z}), claims)
    return X in masked and X not in after[-1]


@exists("not vacuous: x is masked and z is not")
def x_is_masked(individual: Individual, claim_x: Fraction, claim_z: Fraction) -> bool:
    """Find a query that is too much for one unit only."""
    caps = theta(Fraction(1), Fraction(0))
    claims = {X: theta(claim_x, Fraction(0)), Z: theta(claim_z, Fraction(0))}
    _, masked = run(individual, caps, (), frozenset({X, Z}), claims)
    return X not in masked and Z in masked


class ChargePresent(IndividuallyFilteredMechanism[Units]):
    """Charge only units that are in the database."""

    def step(
        self, state: Accounts, action: tuple[Units, IndividualQuery[Units]], draw: Draw
    ) -> tuple[Accounts, Units]:
        """Drop what was charged to units that are not there."""
        after, answer = super().step(state, action, draw)
        present = {unit: theta for unit, theta in after[-1].items() if unit in action[0]}
        return (*state, Map(present)), answer


class NamedOnly(IndividuallyFilteredMechanism[Units]):
    """Mask every unit that the query does not name."""

    def step(
        self, state: Accounts, action: tuple[Units, IndividualQuery[Units]], draw: Draw
    ) -> tuple[Accounts, Units]:
        """Leave the others out before anything else."""
        units, query = action
        named = frozenset(unit for unit in units if unit in query.parameters)
        return super().step(state, (named, query), draw)


class AllOrNone(IndividuallyFilteredMechanism[Units]):
    """Answer on all the units that the query names, or on none of them."""

    def step(
        self, state: Accounts, action: tuple[Units, IndividualQuery[Units]], draw: Draw
    ) -> tuple[Accounts, Units]:
        """Mask and charge them together."""
        units, query = action
        after, answer = super().step(state, action, draw)
        if len(after[-1]) == len(query.parameters):
            return after, answer
        others = frozenset(unit for unit in units if unit not in query.parameters)
        return (*state, Map()), draw(query.answer(others))


PAPERS = Individual()

PROOF = Proof(
    claim="individual_filters_compose",
    subject=PAPERS,
    steps=(worlds_differ_in_x, x_pays, unnamed_units_stay, x_is_masked),
    controls={
        "the filter forgets delta": replace(PAPERS, make=forget_delta),
        "only units that are there are charged": replace(PAPERS, mechanism=ChargePresent),
        "units that are not named are masked": replace(PAPERS, mechanism=NamedOnly),
        "nobody is removed": replace(PAPERS, without=lambda units, _: units),
    },
    unproved_for={"all units are masked together": replace(PAPERS, mechanism=AllOrNone)},
)

CHECK = check_of(
    PROOF,
    method="two runs zoomed in on one unit, then filters_compose",
    assumes="queries satisfy what they claim; finitely many queries",
)
