r"""The service adds discrete Gaussian noise, accounted for by concentrated privacy.

With variance $\Lambda_1^2 / 2\rho$ a query costs $\rho$ of concentrated privacy, and the costs of a
report add up. All of them together may cost $\rho_* = \epsilon_*^2 / 4(\epsilon_* +
\ln(1/\delta_*))$, which implies the promise: $\rho$-concentrated privacy is $(\rho + 2\sqrt{\rho
\ln(1/\delta)}, \delta)$-privacy for every $\delta$, and for $\rho_*$ and $\delta_*$ the first
number is at most $\epsilon_*$. A query that asks for a share $\epsilon / \epsilon_*$ of the budget
gets that share of $\rho_*$, so that the ledger can stay as it is. All of $\delta_*$ goes into the
conversion, so key discovery is refused, and a promise without $\delta_*$ cannot be kept.

That the costs may be chosen adaptively is the filter theorem, which the paper cites. The game
decides small universes up to a small slack, because the masses are irrational. With $\epsilon$
itself in place of $\rho$ it does not hold: see gaussian_noise_charged_as_epsilon.py.

Origin: WICG/attribution-reporting-api#249, the paper's appendix on other notions of privacy
Neighbours: attribution fixed (ARA), null store (PAA)
Expected: holds
"""

from fractions import Fraction

from spec import (
    NATURAL,
    PAPER,
    SMALL_LIMITS,
    AtService,
    DeviceWindow,
    DiscreteGaussian,
    Event,
    Limits,
    Noise,
    Power,
    Query,
    Report,
    Rules,
    Source,
    Spent,
    Storage,
    Trigger,
    Universe,
    replace,
)
from spec.numbers import floor_log
from spec.rules import BadLimit

GRAIN = Fraction(1, 100)


def logarithm(bound: Fraction) -> Fraction:
    """Return the natural logarithm of a number, rounded down to a hundredth."""
    return floor_log(Power(NATURAL, GRAIN), bound) * GRAIN


def rho_cap(limits: Limits) -> Fraction:
    r"""Return a $\rho_*$ that implies the promised $(\epsilon_*, \delta_*)$."""
    if limits.delta == 0:
        raise BadLimit("Gaussian noise is never private with delta = 0")
    epsilon = limits.epsilon
    if limits.base != NATURAL:
        epsilon = logarithm(Power(limits.base, epsilon).exact())
    return epsilon**2 / (4 * (epsilon + logarithm(1 / limits.delta) + GRAIN))


def charge_without_delta(at: AtService, spent: Spent, report: Report) -> Spent | None:
    """Refuse a query that brings a delta, and charge other queries as the paper does."""
    return None if at.query.delta > 0 else PAPER.charge(at, spent, report)


def gaussian_noise(at: AtService, batch: tuple[Report, ...], threshold: int | None) -> Noise:
    r"""Return discrete Gaussian noise for the query's share of $\rho_*$."""
    rho = rho_cap(at.limits) * at.query.epsilon / at.limits.epsilon
    return DiscreteGaussian(variance=at.limits.contribution_budget**2 / (2 * rho))


def view(storage: Storage) -> tuple[Storage, int, int]:
    """Contribute 2 to key 1."""
    return storage, 1, 2


RULES: Rules = replace(PAPER, charge=charge_without_delta, noise=gaussian_noise)

QUERY = Query(epsilon=Fraction(2), keys=(1,))
UNIVERSES = (
    Universe(
        name="Gaussian noise for a source",
        limits=SMALL_LIMITS,
        units=("A",),
        moves=5,
        sources=(
            Source(source_id="A", destination="shop", expiry=9, filters=frozenset("a"), key=1),
        ),
        triggers=(
            Trigger(report_id=0, destination="shop", filters=frozenset("a"), key=0, value=2),
        ),
        trigger_count=1,
        queries=(QUERY,),
        query_count=3,
    ),
    Universe(
        name="Gaussian noise for a device",
        limits=SMALL_LIMITS,
        units=(DeviceWindow(device="phone", window=0),),
        moves=4,
        events=(Event(report_id=0, device="phone", program=view),),
        event_count=1,
        queries=(QUERY,),
        query_count=3,
    ),
)
