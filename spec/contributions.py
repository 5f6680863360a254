r"""Contribution bounding: what one privacy unit may contribute in total.

Both clients bound the same two sums per privacy unit $x$: the values contributed, $L_1(x) \le
\Lambda_1$, and their number, $L_0(x) \le \Lambda_0$. A unit is a source in ARA and a device in a
time window in PAA. The mechanism $\mathcal{M}_{\mathrm{SR}}$ bounds them with the same functions.

A client works in three parts. It *decides* who is to contribute what: a `Credit` per unit. It
*admits* the credits against the units' budgets. It *sends* a report of what was granted. Between
the first two lies the neighbour relation: $D^{-x}$ deletes the credits of $x$, and everything after
that runs on its own budgets. So budgets belong to admission: to decide may read them and must leave
them as they are.

Paper: Alg. 2; Alg. 3; Alg. 6.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, TypeAlias

from immutables import Map

from spec.reports import Contribution, Report, Sent, is_contribution

if TYPE_CHECKING:
    from spec.attribution_client import Trigger
    from spec.private_aggregation_client import Event
    from spec.rules import AtContribution

Unit: TypeAlias = Hashable
Cause: TypeAlias = "Trigger | Event | None"
Budgets: TypeAlias = "Map[Unit, Budget]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Count what a unit has contributed: the sum of values $L_1$ and their number $L_0$."""

    value: int = 0
    count: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Credit:
    """Name the unit that is to contribute, and what."""

    unit: Unit
    contributions: tuple[Contribution, ...]


class Contributor(Protocol):
    """Be whatever keeps budgets: a client, or the state of the summary mechanism."""

    @property
    def budgets(self) -> Budgets:
        """Return what every unit has contributed so far."""
        ...


def contribute(
    at: AtContribution, credits: tuple[Credit, ...]
) -> tuple[Budgets, tuple[Credit, ...]]:
    """Admit the contributions of every credit one by one; return the budgets and what fits.

    A key that is none or a negative value is granted nothing: an error would tell of the unit.
    """
    budgets = at.client.budgets
    granted: list[Credit] = []
    for credit in credits:
        before = spent = budgets.get(credit.unit, Budget())
        fitting: list[Contribution] = []
        for contribution in filter(is_contribution, credit.contributions):
            spent, fits = at.rules.admit(at, credit.unit, spent, contribution)
            if fits:
                fitting.append(contribution)
        if spent is not before:
            budgets = budgets.set(credit.unit, spent)
        if fitting:
            granted.append(replace(credit, contributions=tuple(fitting)))
    return budgets, tuple(granted)


def admit(
    at: AtContribution, unit: Unit, spent: Budget, contribution: Contribution
) -> tuple[Budget, bool]:
    r"""Return the unit's budget after the contribution, and whether the contribution fits.

    It fits if $L_0 + 1 \le \Lambda_0$ and $L_1 + v \le \Lambda_1$; otherwise the budget stays.
    """
    value, count = spent.value + contribution.value, spent.count + 1
    if count <= at.limits.sparsity_budget and value <= at.limits.contribution_budget:
        return replace(spent, value=value, count=count), True
    return spent, False


def send(at: AtContribution, granted: tuple[Credit, ...]) -> tuple[Sent, ...]:
    """Send one report for every trigger and event, at once; nothing granted makes it null.

    The ad-tech sees the report's identifier and nothing of its contents. Metadata that depends on
    the trigger alone would add nothing: the ad-tech registered the trigger.

    Deviates: B16 metadata is whatever is shown here; the paper drops it from its reports.
    Paper: Alg. 2; Alg. 3; Sec. 2.1.
    """
    assert at.cause is not None
    contributions = tuple(part for credit in granted for part in credit.contributions)
    report = Report(report_id=at.cause.report_id, contributions=contributions)
    return (Sent(report=report, shown=report.report_id, arrival=at.now),)
