r"""Budgets roll on from minute to minute, and there is a cap per day; nulled after admission.

A device may contribute $\Lambda_1$ in any ten minutes in a row, and $2\Lambda_1$ in a day. (As
shipped it is $16\Lambda_1$; with two the cap is met in a small universe.) So what one window
contributes decides what the next may contribute. If the reports of $x$ are emptied after they were
admitted, nothing else changes, and $x$ contributed at most $\Lambda_1$. If admission runs again
without $x$ it does not hold: see rolling_windows_admitted_again.py.

Origin: patcg-individual-drafts/private-aggregation-api#45, the Private Aggregation API as shipped
Neighbours: nulled after admission
Expected: holds
"""

from dataclasses import dataclass
from fractions import Fraction

from spec import (
    NULLED_AFTER_ADMISSION,
    PAPER,
    SMALL_LIMITS,
    AtContribution,
    AtEvent,
    Budget,
    Budgets,
    Contribution,
    DeviceWindow,
    Event,
    Query,
    Rules,
    Storage,
    Unit,
    Universe,
    replace,
)

MINUTES_IN_A_WINDOW = 10
MINUTES_IN_A_DAY = 1440
WINDOWS_PAID_PER_DAY = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Minute:
    """Name a device in one minute, for one ad-tech."""

    device: str
    ad_tech: str
    minute: int


def budget_per_minute(at: AtEvent) -> Unit:
    """Keep what a device contributes by the minute."""
    minute = at.now * MINUTES_IN_A_WINDOW // at.limits.window_length
    return Minute(device=at.cause.device, ad_tech=at.cause.ad_tech, minute=minute)


def used_since(budgets: Budgets, unit: Minute, first: int) -> int:
    """Return what the device has contributed from a minute on, up to this one."""
    minutes = (replace(unit, minute=minute) for minute in range(max(0, first), unit.minute))
    return sum(budgets.get(each, Budget()).value for each in minutes)


def admit_within_both_caps(
    at: AtContribution, unit: Unit, spent: Budget, contribution: Contribution
) -> tuple[Budget, bool]:
    """Admit what fits into the last ten minutes and into the day."""
    if not isinstance(unit, Minute):
        return PAPER.admit(at, unit, spent, contribution)
    value, most = spent.value + contribution.value, at.limits.contribution_budget
    today = unit.minute - unit.minute % MINUTES_IN_A_DAY
    recent = used_since(at.client.budgets, unit, unit.minute - MINUTES_IN_A_WINDOW + 1)
    daily = used_since(at.client.budgets, unit, today)
    if recent + value > most or daily + value > WINDOWS_PAID_PER_DAY * most:
        return spent, False
    return replace(spent, value=value), True


def view(storage: Storage) -> tuple[Storage, int, int]:
    """Contribute 1 to a key of its own for every view."""
    views = len(storage)
    return storage.set(views, True), views, 1


RULES: Rules = replace(PAPER, budget_unit=budget_per_minute, admit=admit_within_both_caps)
NEIGHBOURS = NULLED_AFTER_ADMISSION

UNIVERSE = Universe(
    name="views in overlapping windows",
    limits=replace(SMALL_LIMITS, contribution_budget=1, epsilon=Fraction(1), delta=Fraction(0)),
    units=(DeviceWindow(device="phone", window=0), DeviceWindow(device="phone", window=1)),
    moves=7,
    events=(Event(report_id=0, device="phone", program=view),),
    event_count=3,
    queries=(Query(epsilon=Fraction(1), keys=(0, 1, 2)),),
    query_count=1,
    moments=(5, 10, 20),
)
