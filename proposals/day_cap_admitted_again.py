r"""Windows are fixed, a cap per day comes on top, and admission runs again without x.

All windows of a day draw on one budget. Without $x$ the day has up to $\Lambda_1$ more to give: a
contribution is admitted that did not fit, it uses up its window and displaces another, and what
that would have used is there for a third. Once the budget of the day decides, less than $\Lambda_1$
of it is left with $x$ and less than $2\Lambda_1$ without, so that in all the sums change by less
than $4\Lambda_1$. It comes close: $4\Lambda_1 - 2$ is reached, a factor 3 for $\Lambda_1 = 2$.
The cap here is one and a half windows' worth, in the API as shipped it is sixteen. If the reports
of $x$ are emptied after admission it holds: see rolling_windows_and_day_cap.py.

Origin: patcg-individual-drafts/private-aggregation-api#45, the Private Aggregation API as shipped
Neighbours: null store
Expected: refuted, factor 3
"""

from fractions import Fraction

from spec import (
    NULL_STORE,
    PAPER,
    SMALL_LIMITS,
    AtContribution,
    Budget,
    Budgets,
    Credit,
    DeviceWindow,
    Event,
    Query,
    Rules,
    Storage,
    Universe,
    replace,
)

WINDOWS_IN_A_DAY = 144


def contribute_within_the_day(
    at: AtContribution, credits: tuple[Credit, ...]
) -> tuple[Budgets, tuple[Credit, ...]]:
    """Admit what fits into the window, as the paper does, and into the day as well."""
    for credit in credits:
        wanted = sum(part.value for part in credit.contributions)
        if isinstance(credit.unit, DeviceWindow):
            used = used_today(at.client.budgets, credit.unit)
            if used + wanted > at.limits.contribution_budget * 3 // 2:
                return at.client.budgets, ()
    return PAPER.contribute(at, credits)


def used_today(budgets: Budgets, unit: DeviceWindow) -> int:
    """Return what the device has contributed on this day."""
    first = unit.window - unit.window % WINDOWS_IN_A_DAY
    windows = (replace(unit, window=window) for window in range(first, unit.window + 1))
    return sum(budgets.get(each, Budget()).value for each in windows)


def contribute_two(storage: Storage) -> tuple[Storage, int, int]:
    """Contribute 2 to key 0 and key 1 in turn."""
    number = len(storage)
    return storage.set(number, True), number % 2, 2


def contribute_one(storage: Storage) -> tuple[Storage, int, int]:
    """Contribute 1 to key 0 and key 1 in turn."""
    number = len(storage)
    return storage.set(number, True), number % 2, 1


RULES: Rules = replace(PAPER, contribute=contribute_within_the_day)
NEIGHBOURS = NULL_STORE

UNIVERSE = Universe(
    name="three windows of a day",
    limits=replace(SMALL_LIMITS, epsilon=Fraction(2), delta=Fraction(0)),
    units=(DeviceWindow(device="phone", window=0),),
    moves=7,
    events=(
        Event(report_id=0, device="phone", program=contribute_two),
        Event(report_id=0, device="phone", program=contribute_one),
    ),
    event_count=4,
    queries=(Query(epsilon=Fraction(2), keys=(0, 1)),),
    query_count=1,
    moments=(10, 20),
)
