r"""Every window that attribution looks at is charged twice the value, whatever it finds.

Attribution looks at every window of impressions and picks the newest one that can still pay.
Removing a window re-routes the value: it disappears from one key and turns up at another, a change
of twice the value. So every window that was looked at pays twice the value. What a window pays then
depends on its own data only, and even if the window was never there and attribution is recomputed
the sums change by no more than it paid. Here a window is a source. Charging less where no other
window holds data breaks this: see charge_by_windows_that_hold_data.py.

Origin: w3c/attribution#212 and #270 charge 2 value
Neighbours: the window removed and attribution recomputed (never registered)
Expected: holds
"""

from fractions import Fraction

from spec import (
    NEVER_REGISTERED,
    PAPER,
    SMALL_LIMITS,
    AtContribution,
    AttributionClient,
    AtTrigger,
    Budget,
    Budgets,
    Credit,
    Draw,
    Query,
    Rules,
    Source,
    Trigger,
    Universe,
    replace,
)


def credit_every_window(at: AtTrigger, draw: Draw) -> tuple[AttributionClient, tuple[Credit, ...]]:
    """Credit every active window that matches, the newest first."""
    return at.client, tuple(
        Credit(unit=each.source_id, contributions=at.rules.contributions(at, each))
        for each in at.client.sources
        if at.rules.matches(at, each)
    )


def charge_twice(
    at: AtContribution, credits: tuple[Credit, ...]
) -> tuple[Budgets, tuple[Credit, ...]]:
    """Charge every window twice the value if it can pay that; the first that pays contributes."""
    budgets, granted = at.client.budgets, list[Credit]()
    for credit in credits:
        spent = budgets.get(credit.unit, Budget())
        value = spent.value + 2 * sum(part.value for part in credit.contributions)
        if value <= at.limits.contribution_budget:
            budgets = budgets.set(credit.unit, replace(spent, value=value))
            granted.append(credit)
    return budgets, tuple(granted[:1])


RULES: Rules = replace(PAPER, attribute=credit_every_window, contribute=charge_twice)
NEIGHBOURS = NEVER_REGISTERED

OLD = Source(source_id="old", destination="shop", expiry=9, filters=frozenset("a"), key=1)
UNIVERSE = Universe(
    name="two windows, two purchases",
    limits=replace(SMALL_LIMITS, epsilon=Fraction(2), delta=Fraction(0)),
    units=("old", "new"),
    moves=5,
    sources=(OLD, replace(OLD, source_id="new", key=2)),
    triggers=(Trigger(report_id=0, destination="shop", filters=frozenset("a"), key=0, value=1),),
    trigger_count=2,
    queries=(Query(epsilon=Fraction(2), keys=(1, 2)),),
    query_count=1,
)
