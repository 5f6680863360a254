r"""What a window is charged depends on which other windows hold data.

Attribution looks at every window of impressions and picks the newest one that can still pay.
Removing a window re-routes the value: it disappears from one key and turns up at another, a change
of twice the value, so every window that was looked at pays that. If only one window holds data
there is nothing to re-route to, and it is tempting to charge it once only. But then the data of one
window decide what another is charged, and so what it may contribute later. Here a window is a
source.

If every window pays twice the value in any case, all is well: see charge_every_window_twice.py.

Origin: w3c/attribution#211 and #398
Neighbours: the window removed and attribution recomputed (never registered)
Expected: refuted, factor 3/2
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


def charge_for_the_windows_with_data(
    at: AtContribution, credits: tuple[Credit, ...]
) -> tuple[Budgets, tuple[Credit, ...]]:
    """Charge the value, or twice if several windows hold data; the first that pays contributes."""
    budgets, granted = at.client.budgets, list[Credit]()
    times = 1 if len(credits) == 1 else 2
    for credit in credits:
        spent = budgets.get(credit.unit, Budget())
        value = spent.value + times * sum(part.value for part in credit.contributions)
        if value <= at.limits.contribution_budget:
            budgets = budgets.set(credit.unit, replace(spent, value=value))
            granted.append(credit)
    return budgets, tuple(granted[:1])


RULES: Rules = replace(
    PAPER, attribute=credit_every_window, contribute=charge_for_the_windows_with_data
)
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
