r"""The service adds discrete Gaussian noise and keeps its ledger in epsilon.

The variance is $\Lambda_1^2 / 2\epsilon$, so that a query costs $\rho = \epsilon$ of concentrated
privacy, and the ledger adds up and compares epsilons as before. But $\epsilon$-concentrated privacy
is much weaker than the promise $(\epsilon_*, \delta_*)$. The cap must be converted: see
gaussian_noise.py.

Origin: a short cut to WICG/attribution-reporting-api#249
Neighbours: attribution fixed (ARA), null store (PAA)
Expected: refuted
"""

from fractions import Fraction

from spec import (
    PAPER,
    SMALL_LIMITS,
    AtService,
    DeviceWindow,
    DiscreteGaussian,
    Event,
    Noise,
    Query,
    Report,
    Rules,
    Source,
    Storage,
    Trigger,
    Universe,
    replace,
)


def gaussian_noise(at: AtService, batch: tuple[Report, ...], threshold: int | None) -> Noise:
    r"""Return discrete Gaussian noise with $\sigma^2 = \Lambda_1^2 / 2\epsilon$."""
    return DiscreteGaussian(variance=at.limits.contribution_budget**2 / (2 * at.query.epsilon))


def view(storage: Storage) -> tuple[Storage, int, int]:
    """Contribute 2 to key 1."""
    return storage, 1, 2


RULES: Rules = replace(PAPER, noise=gaussian_noise)

QUERY = Query(epsilon=Fraction(4), keys=(1,))
UNIVERSES = (
    Universe(
        name="Gaussian noise for a source",
        limits=SMALL_LIMITS,
        units=("A",),
        moves=3,
        sources=(
            Source(source_id="A", destination="shop", expiry=9, filters=frozenset("a"), key=1),
        ),
        triggers=(
            Trigger(report_id=0, destination="shop", filters=frozenset("a"), key=0, value=2),
        ),
        trigger_count=1,
        queries=(QUERY,),
        query_count=1,
    ),
    Universe(
        name="Gaussian noise for a device",
        limits=SMALL_LIMITS,
        units=(DeviceWindow(device="phone", window=0),),
        moves=2,
        events=(Event(report_id=0, device="phone", program=view),),
        event_count=1,
        queries=(QUERY,),
        query_count=1,
    ),
)
