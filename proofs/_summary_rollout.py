r"""The rollout of $\mathcal{M}_{\mathrm{SR}}$ in closed form, from the paper's proof; it is online.

Losses are counted per report and not per trigger, so that a report that carries two contributions
counts twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar

from spec.aggregation_service import Service
from spec.contributions import Budget, Unit
from spec.distributions import Law, Random
from spec.individual_privacy import RandomState, Theta
from spec.reports import Report
from spec.rules import AtService, Limits, Rules
from spec.summary_mechanism import Database, SummaryQuery, SummaryState, add_record

T = TypeVar("T")

Loss: TypeAlias = Callable[[Limits, SummaryQuery, Budget], Theta]


def loss_by_count(limits: Limits, question: SummaryQuery, part: Budget) -> Theta:
    r"""Return $(\varepsilon_{x,t}, \delta_{x,t})$ with $\delta$ spent per contribution.

    `part` is what $x$ contributes to the batch: with $V$ its sum and $n$ its number,
    $\varepsilon_{x,t} = \varepsilon_t V / \Lambda_1$ and $\delta_{x,t} = \delta_t n / \Lambda_0$.
    """
    return Theta(
        epsilon=question.query.epsilon * part.value / limits.contribution_budget,
        delta=question.query.delta * part.count / limits.sparsity_budget,
    )


def loss_by_value(limits: Limits, question: SummaryQuery, part: Budget) -> Theta:
    r"""Return the same with $\delta$ spent per value: $\delta_{x,t} = \delta_t V / \Lambda_1$."""
    return Theta(
        epsilon=question.query.epsilon * part.value / limits.contribution_budget,
        delta=question.query.delta * part.value / limits.contribution_budget,
    )


def part_of_batch(own: SummaryState, question: SummaryQuery) -> Budget:
    r"""Return what a unit contributes to a batch: the sum of its values and their number.

    `own` is the state of a run on the records of $x$ alone, so that its reports are $R_{x,t}$.
    """
    reports = (own.reports.get(each, Report(report_id=each)) for each in question.query.report_ids)
    distinct = {report.report_id: report for report in reports}.values()
    values = [part.value for report in distinct for part in report.contributions]
    return Budget(value=sum(values), count=len(values))


def summary_rollout(
    rules: Rules,
    steps: Sequence[tuple[Database, SummaryQuery]],
    unit: Unit,
    loss: Loss = loss_by_count,
) -> tuple[Theta, ...]:
    r"""Return the rollout of $\mathcal{M}_{\mathrm{SR}}$ for a unit; a refused query costs nothing.

    What a unit contributes depends on its own records only, so they are run alone. Whether a query
    is refused depends on identifiers only, and is decided as $\mathcal{M}_{\mathrm{SR}}$ decides
    it. The loop only looks back, so that the last entry is an online rollout.
    """
    own = SummaryState()
    ledger = own.service.ledger
    rollout: list[Theta] = []
    for database, question in steps:
        for record in database:
            if record.unit == unit:
                own = add_record(rules, own, record, question.function)
        named = tuple(Report(report_id=each) for each in question.query.report_ids)
        service = Service(ledger=ledger)
        at = AtService(rules=rules, now=0, service=service, query=question.query)
        ledger, accepted = certain(rules.settle(at, certain(rules.batch(at, named))))
        part = part_of_batch(own, question) if accepted is not None else Budget()
        rollout.append(loss(rules.limits, question, part))
    return tuple(rollout)


def certain(value: Random[T]) -> T:
    """Return what a rule answers; a rule that draws makes the next state random."""
    if isinstance(value, Law):
        raise RandomState(f"a rule draws from {type(value).__name__}")
    return value
