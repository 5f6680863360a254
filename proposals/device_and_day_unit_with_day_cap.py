r"""The privacy unit is a device for a whole day, which has a cap of its own.

All windows of a day together contribute at most $k\Lambda_1$, so the factor is $k$ and not the
number of windows: the guarantee is $(k\epsilon_*, \delta')$ with the geometric sum $\delta' =
\delta_* (1 + e^{\epsilon_*} + \dots + e^{(k-1)\epsilon_*})$. In the API as shipped $k$ is 16, where
144 windows would give 144. Here it is 2, and three windows are used. See device_and_day_unit.py for
a day without a cap.

Origin: patcg-individual-drafts/private-aggregation-api#114 and #45
Neighbours: device and day
Expected: refuted, factor 2
"""

from dataclasses import dataclass
from fractions import Fraction

from spec import (
    PAPER,
    SMALL_LIMITS,
    AtContribution,
    Budget,
    Budgets,
    Credit,
    DeviceWindow,
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
WINDOWS_PAID_PER_DAY = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceDay:
    """Name a device on a day."""

    device: str
    day: int


def contribute_within_the_day(
    at: AtContribution, credits: tuple[Credit, ...]
) -> tuple[Budgets, tuple[Credit, ...]]:
    """Admit what fits into the window, as the paper does, and into the day as well."""
    for credit in credits:
        wanted = sum(part.value for part in credit.contributions)
        if isinstance(credit.unit, DeviceWindow):
            used = used_today(at.client.budgets, credit.unit)
            if used + wanted > WINDOWS_PAID_PER_DAY * at.limits.contribution_budget:
                return at.client.budgets, ()
    return PAPER.contribute(at, credits)


def used_today(budgets: Budgets, unit: DeviceWindow) -> int:
    """Return what the device has contributed on this day."""
    first = unit.window - unit.window % WINDOWS_IN_A_DAY
    windows = (replace(unit, window=window) for window in range(first, unit.window + 1))
    return sum(budgets.get(each, Budget()).value for each in windows)


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


RULES: Rules = replace(PAPER, contribute=contribute_within_the_day)
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
