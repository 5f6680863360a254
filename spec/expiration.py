r"""Gradual expiration: what a device's windows tell once all later ones are emptied.

The guarantee of PAA is per device and window. For a device, compare two worlds: in one its storage
is the dummy in every window after $t_1$, in the other in every window after $t_2$. They are
$t_2 - t_1$ units apart. So what is private per window is private with gradual expiration, with
$\varepsilon' = \varepsilon (t_2 - t_1)$ and $\delta'$ as in group privacy.

Paper: Def. 4.8.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction

from spec.contributions import Unit
from spec.distributions import group_privacy
from spec.interaction import (
    Adversary,
    Mechanism,
    Question,
    Response,
    State,
    Without,
    transcripts_are_close,
)
from spec.numbers import NATURAL, Base, Power, exact
from spec.private_aggregation_client import DeviceWindow
from spec.summary_mechanism import Database


def without_storage_after(database: Database, device: str, window: int) -> Database:
    r"""Return $D^{-(u, >t)}$: the device's storage becomes the dummy storage after the window."""

    def expired(unit: Unit | None) -> bool:
        return isinstance(unit, DeviceWindow) and unit.device == device and unit.window > window

    return tuple(
        replace(record, storage=None) if expired(record.unit) else record for record in database
    )


def private_with_gradual_expiration(
    mechanism: Mechanism[State, tuple[Database, Question], Response],
    device: str,
    windows: tuple[int, int],
    adversaries: Iterable[Adversary[Response, tuple[Database, Question]]],
    epsilon: Fraction,
    delta: Fraction,
    base: Base = NATURAL,
) -> bool:
    r"""Decide the definition for one device, two windows $t_1 < t_2$ and a menu of adversaries.

    The base must be such that $\delta'$ is rational.
    """
    first, last = windows
    loss, allowed = group_privacy(epsilon, delta, last - first, base)

    def emptied_after(window: int) -> Without[State, Database, Question, Response]:
        def neighbour(database: Database, _: Unit) -> Database:
            return without_storage_after(database, device, window)

        return Without(mechanism=mechanism, neighbour=neighbour, unit=device)

    return transcripts_are_close(
        emptied_after(first),
        emptied_after(last),
        adversaries,
        Power(base, loss),
        exact(allowed, "the delta of the definition"),
    )
