r"""Contribution bounding: what one privacy unit may contribute in total.

Both clients bound the same two sums per privacy unit $x$: the values contributed, $L_1(x) \le
\Lambda_1$, and their number, $L_0(x) \le \Lambda_0$. A unit is a source in ARA and a device in a
time window in PAA. The mechanism $\mathcal{M}_{\mathrm{SR}}$ bounds them with the same functions.

First a client decides *who* is to contribute *what*: a `Credit` per unit. Then `contribute` admits
the credits against the units' budgets. Between the two lies the neighbour relation: $D^{-x}$
deletes the credits of $x$, and everything after that runs on its own ledgers.

Paper: Alg. 2; Alg. 3; Alg. 6.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from immutables import Map

from spec.reports import Contribution, Report, checked_value

if TYPE_CHECKING:
    from spec.attribution_client import Trigger
    from spec.private_aggregation_client import Event
    from spec.rules import Limits, Rules

Unit: TypeAlias = Hashable
Cause: TypeAlias = "Trigger | Event | None"
Budgets: TypeAlias = "Map[Unit, Budget]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Count what a unit has contributed: the sum of values $L_1$ and their number $L_0$.

    Paper: Alg. 2; Alg. 3; Alg. 6.
    """

    value: int = 0
    count: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Credit:
    """Name the unit that is to contribute, and what.

    Paper: Alg. 6.
    """

    unit: Unit
    contributions: tuple[Contribution, ...]


def cap(limits: Limits) -> Budget:
    r"""Return the most a unit may contribute: $(\Lambda_1, \Lambda_0)$.

    Paper: Alg. 2; Alg. 3; Alg. 6.
    """
    return Budget(value=limits.contribution_budget, count=limits.sparsity_budget)


def admit(most: Budget, spent: Budget, contribution: Contribution, cause: Cause) -> Budget | None:
    r"""Return the unit's budget after the contribution, or None if it does not fit.

    A contribution fits if $L_0 + 1 \le \Lambda_0$ and $L_1 + v \le \Lambda_1$.

    Paper: Alg. 2; Alg. 3; Alg. 6.
    """
    if spent.count + 1 <= most.count and spent.value + contribution.value <= most.value:
        return replace(spent, value=spent.value + contribution.value, count=spent.count + 1)
    return None


def grant(
    rules: Rules, spent: Budget, credit: Credit, cause: Cause
) -> tuple[Budget, tuple[Contribution, ...]]:
    """Admit a unit's contributions one by one; return its budget and those that fit.

    The paper's triggers and events contribute once, so that nothing hangs on "one by one". A
    negative value is refused as bad input: it would give budget back.

    Paper: Alg. 2; Alg. 3; Alg. 6.
    """
    most = rules.cap(rules.limits)
    granted: list[Contribution] = []
    for contribution in credit.contributions:
        checked_value(contribution.value, "value")
        after = rules.admit(most, spent, contribution, cause)
        if after is not None:
            spent = after
            granted.append(contribution)
    return spent, tuple(granted)


def contribute(
    rules: Rules, budgets: Budgets, credits: tuple[Credit, ...], cause: Cause
) -> tuple[Budgets, tuple[Contribution, ...]]:
    """Admit every credit against its own unit's budget; return the budgets and what was granted.

    Paper: Alg. 2; Alg. 3; Alg. 6.
    """
    granted: tuple[Contribution, ...] = ()
    for credit in credits:
        before = budgets.get(credit.unit, Budget())
        spent, admitted = rules.grant(rules, before, credit, cause)
        if spent is not before:
            budgets = budgets.set(credit.unit, spent)
        granted += admitted
    return budgets, granted


def always_send(
    budgets: Budgets, credits: tuple[Credit, ...], cause: Cause, report: Report
) -> bool:
    """Send a report for every trigger and every event, null or not.

    Paper: Alg. 2; Alg. 3.
    """
    return True


def show_identifier(
    budgets: Budgets, credits: tuple[Credit, ...], cause: Cause, report: Report
) -> Hashable:
    """Show the ad-tech the report's identifier and nothing of its contents.

    Metadata that depends on the trigger alone adds nothing: the ad-tech registered the trigger.

    Deviates: B16 metadata is whatever this rule shows; the paper drops it from its reports.
    Paper: Sec. 2.1.
    """
    return report.report_id


def arrive_at_once(now: int, cause: Cause, report: Report) -> int:
    """Let the report arrive at the moment it is sent.

    Paper: Alg. 2; Alg. 3.
    """
    return now
