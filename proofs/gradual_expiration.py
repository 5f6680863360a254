r"""Claim: private per window implies private with gradual expiration.

Paper: Def. 4.8.
Method: without_storage run on symbolic windows; then group_privacy along the windows.
Assumes: group_privacy; one ad-tech, whose reports alone are compared; the mechanism is private per
    device and window for every sequence of databases, also for those that are emptied in part.

Write $D^{>t}$ for the database in which the storage of a device is replaced in every window after
$t$. Compare $D^{>t_1}$ and $D^{>t_2}$ for $t_1 < t_2$.

- Induction on the windows: $D^{>t}$ is $D^{>t+1}$ with the unit of the window $t + 1$ removed as
  well. Both replace the same records, whatever window a record belongs to.
- The mechanism on $D^{>t+1}$ is the mechanism against an adversary that hands in its databases
  emptied like this, and the mechanism on $D^{>t}$ is the mechanism without the one unit against the
  same adversary. So the guarantee per unit applies: the two are $(\epsilon, \delta)$-close.
- From $t_1$ to $t_2$ there are $t_2 - t_1$ such steps, and group_privacy gives
  $\epsilon' = (t_2 - t_1)\epsilon$ and $\delta' = \delta (e^{\epsilon'} - 1)/(e^\epsilon - 1)$.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from proofs._check import check_of
from proofs._proof import Proof, calculation, exists, for_all
from proofs._subjects import certain
from spec import distributions
from spec.contributions import Unit
from spec.expiration import without_storage_after
from spec.interaction import Without
from spec.numbers import Base, Power, Real
from spec.private_aggregation_client import DeviceWindow
from spec.summary_mechanism import Database, Record, without_storage

DEVICE = "device"


def in_window(window: int, device: str = DEVICE) -> Record:
    """Return a record of a device in a window."""
    return Record(unit=DeviceWindow(device=device, window=window), report_id=0, storage="store")


def expired(database: Database, after: int) -> Database:
    """Replace the storage of the device in every window after the given one."""
    return without_storage_after(database, DEVICE, after)


@dataclass(frozen=True, kw_only=True)
class Expiration:
    """Hold what expires, how a unit is removed, and what the guarantee is."""

    expired: Callable[[Database, int], Database] = expired
    neighbour: Callable[[Database, Unit], Database] = without_storage
    guarantee: Callable[[Fraction, Fraction, int, Base], tuple[Fraction, Real]] = (
        distributions.group_privacy
    )


@dataclass(frozen=True, kw_only=True)
class Seen:
    """Be a mechanism that shows the databases it was given."""

    initial: tuple[Database, ...] = ()

    def step(
        self, state: tuple[Database, ...], action: tuple[Database, str], _: object
    ) -> tuple[tuple[Database, ...], tuple[Database, ...]]:
        """Store the database and show all so far."""
        state += (action[0],)
        return state, state


@for_all("induction on the windows: one window less is one unit less, as it is handed in")
def one_window(expiration: Expiration, window: int, other: int, after: int) -> bool:
    """Compare record by record, for a record of the device and one of another device.

    The mechanism without the unit is given the chain's next database, and passes on what the
    mechanism would be given in the one before.
    """
    database = (in_window(window), in_window(other, "another device"))
    unit = DeviceWindow(device=DEVICE, window=after + 1)
    without = Without(mechanism=Seen(), neighbour=expiration.neighbour, unit=unit)
    now = expiration.expired(database, after)
    then = without.step((), (expiration.expired(database, after + 1), "query"), certain)[1][0]
    return all(
        (left.storage is None) == (right.storage is None)
        and left.report_id == right.report_id
        and left.unit == right.unit
        for left, right in zip(now, then, strict=True)
    )


@calculation(
    "the guarantee is that of the definition",
    by="exact numbers",
    over="one base, ε and δ, 1, 2 and 9 windows",
)
def guarantee(expiration: Expiration) -> bool:
    r"""Compute $\delta'$ as the definition writes it, for a base of which powers are exact."""
    base, epsilon, delta = Base(Fraction(9, 4)), Fraction(1, 2), Fraction(1, 1000)
    return all(
        expiration.guarantee(epsilon, delta, last - first, base)
        == (
            epsilon * (last - first),
            delta
            * (Power(base, epsilon * (last - first)).exact() - 1)
            / (Power(base, epsilon).exact() - 1),
        )
        for first, last in ((0, 1), (3, 5), (-2, 7))
    )


@exists("a record that has expired in one database and not in the next")
def not_vacuous(expiration: Expiration, window: int, after: int) -> bool:
    """Show that the steps change something."""
    (now,) = expiration.expired((in_window(window),), after)
    (then,) = expiration.expired((in_window(window),), after + 1)
    return now.storage is None and then.storage is not None


def expired_from(database: Database, after: int) -> Database:
    """Let the window itself expire for records of even windows, so that the steps are uneven."""
    return tuple(
        record
        for each in database
        for record in expired((each,), after - 1 if even(each) else after)
    )


def expired_all(database: Database, _: int) -> Database:
    """Replace every storage, whatever its window."""
    return tuple(replace(each, storage=None) for each in database)


def even(record: Record) -> bool:
    """Tell whether the record's window is even."""
    return isinstance(record.unit, DeviceWindow) and record.unit.window % 2 == 0


def one_window_less(
    epsilon: Fraction, delta: Fraction, windows: int, base: Base
) -> tuple[Fraction, Real]:
    """Count the windows strictly between."""
    return distributions.group_privacy(epsilon, delta, max(1, windows - 1), base)


PAPERS = Expiration()

PROOF = Proof(
    claim="gradual_expiration",
    subject=PAPERS,
    steps=(one_window, guarantee, not_vacuous),
    controls={
        "some windows expire early": replace(PAPERS, expired=expired_from),
        "a unit that is not removed": replace(PAPERS, neighbour=lambda database, _: database),
        "one window is not counted": replace(PAPERS, guarantee=one_window_less),
    },
    unproved_for={
        "storages that have expired from the start": replace(PAPERS, expired=expired_all)
    },
)

CHECK = check_of(PROOF, header=__doc__)
