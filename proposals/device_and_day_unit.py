r"""The privacy unit is a device for a whole day, not for a window of ten minutes.

The budgets stay as they are: $\Lambda_1$ per window. A day has 144 windows, so a device can change
the sums by $144\Lambda_1$, and the guarantee is $(144\epsilon_*, \delta')$ with the geometric sum
$\delta' = \delta_* (1 + e^{\epsilon_*} + \dots + e^{143\epsilon_*})$. In general the factor is the
number of windows used, here three. With the day cap of the API as shipped it is 16: see
device_and_day_unit_with_day_cap.py.

Origin: patcg-individual-drafts/private-aggregation-api#114 and #45
Neighbours: device and day
Expected: refuted, factor 3
"""

from dataclasses import dataclass
from fractions import Fraction

from spec import (
    PAPER,
    SMALL_LIMITS,
    Draw,
    Event,
    Move,
    Query,
    Relation,
    Rules,
    Storage,
    Unit,
    Universe,
    replace,
)
from spec.neighbours.relation import Worlds, decided_on_the_database
from spec.system import Decision

WINDOWS_IN_A_DAY = 144


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceDay:
    """Name a device on a day."""

    device: str
    day: int


def delete_the_day(
    rules: Rules, unit: Unit, worlds: Worlds, move: Move, decision: Decision, draw: Draw
) -> Decision:
    """Delete what the device contributes on the day."""
    if isinstance(move, Event):
        day = worlds.real.now // (WINDOWS_IN_A_DAY * rules.limits.window_length)
        if DeviceDay(device=move.device, day=day) == unit:
            return replace(decision, credits=())
    return decision


def view(storage: Storage) -> tuple[Storage, int, int]:
    """Contribute 1 to key 1."""
    return storage, 1, 1


RULES: Rules = PAPER
NEIGHBOURS = Relation(
    name="device and day",
    meaning="programs run once; what the device contributes on one day is deleted",
    move=decided_on_the_database(delete_the_day),
    units="devices",
)

UNIVERSE = Universe(
    name="three windows of a day",
    limits=replace(SMALL_LIMITS, contribution_budget=1, epsilon=Fraction(1), delta=Fraction(0)),
    units=(DeviceDay(device="phone", day=0),),
    moves=6,
    events=(Event(report_id=0, device="phone", program=view),),
    event_count=3,
    queries=(Query(epsilon=Fraction(1), keys=(1,)),),
    query_count=1,
    moments=(10, 20),
)
