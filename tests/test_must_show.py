"""What the proofs must show: four broken rules, each refuted by name, with exact values.

The values are replayed here on the broken function itself, so that nothing rests on the proof.
"""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import cast

import pytest

from proofs import CHECKS
from proofs._subjects import certain
from proofs.the_ledger_never_passes_the_caps import CHECK, two_queries_are_safe
from spec import PAPER, Power, Query, Report, Rules, replace
from spec.aggregation_service import Answer, Service, Spent
from spec.attribution_client import AttributionClient
from spec.contributions import Budget, Credit, Unit
from spec.distributions import Draw
from spec.event_client import EventClient, EventSource, TriggerSpecification
from spec.event_outputs import Output, OutputSet
from spec.noise import DiscreteLaplace
from spec.numbers import Base
from spec.reports import Contribution
from spec.rules import AtContribution, AtEventSource, AtService, OnDevice
from spec.verdicts import Finding, Verdict

Serve = Callable[[AtService, tuple[Report, ...], Draw], tuple[Service, Hashable]]


def charge_without_delta(at: AtService, spent: Spent, report: Report) -> Spent | None:
    epsilon, queries = spent.epsilon + at.query.epsilon, spent.queries + 1
    most = at.limits.maximum_queries
    if epsilon > at.limits.epsilon or (most is not None and queries > most):
        return None
    return replace(spent, epsilon=epsilon, queries=queries)


def admit_before_adding(
    at: AtContribution, unit: Unit, spent: Budget, contribution: Contribution
) -> tuple[Budget, bool]:
    limits = at.limits
    if spent.count >= limits.sparsity_budget or spent.value >= limits.contribution_budget:
        return spent, False
    value = spent.value + contribution.value
    return replace(spent, value=value, count=spent.count + 1), True


def threshold_without_first_budget(at: AtService, batch: tuple[Report, ...]) -> int | None:
    threshold = PAPER.threshold(at, batch)
    return None if threshold is None else threshold - at.limits.contribution_budget


@dataclass(frozen=True, slots=True, kw_only=True)
class WithoutSilence(OutputSet):
    """Leave out the output in which nothing is sent."""

    def __iter__(self) -> Iterator[Output]:
        return (output for output in OutputSet.__iter__(self) if any(map(any, output)))


def outputs_without_silence(at: AtEventSource, source: EventSource) -> OutputSet:
    whole = PAPER.output_set(at, source)
    return WithoutSilence(
        maximum_reports=whole.maximum_reports, windows=whole.windows, buckets=whole.buckets
    )


BROKEN: Mapping[str, tuple[str, Rules]] = {
    "charge": (
        "the_ledger_never_passes_the_caps",
        replace(PAPER, charge=charge_without_delta),
    ),
    "admit": (
        "contributions_stay_within_budget",
        replace(PAPER, admit=admit_before_adding),
    ),
    "threshold": (
        "threshold_meets_the_tail_lemma",
        replace(PAPER, threshold=threshold_without_first_budget),
    ),
    "output_set": (
        "event_client_outputs_stay_in_the_output_set",
        replace(PAPER, output_set=outputs_without_silence),
    ),
}


@cache
def found(rule: str) -> Finding:
    claim, rules = BROKEN[rule]
    (check,) = (check for check in CHECKS if check.claim == claim)
    return check.run(rules)


def values(rule: str) -> dict[str, str]:
    return dict(found(rule).counterexample or {})


@pytest.mark.parametrize("rule", BROKEN)
def test_each_broken_rule_is_refuted_by_name_with_exact_values(rule: str) -> None:
    finding = found(rule)
    assert finding.claim == BROKEN[rule][0]
    assert finding.verdict is Verdict.REFUTED, finding.detail
    assert finding.counterexample
    assert any(step.verdict is Verdict.REFUTED for step in finding.steps)


@pytest.mark.parametrize("rule", BROKEN)
def test_no_guarantee_is_proved_with_a_broken_rule(rule: str) -> None:
    for check in CHECKS:
        if check.claim in GUARANTEES[rule]:
            assert check.run(BROKEN[rule][1]).verdict is Verdict.UNKNOWN, check.claim


SUMMARIES = ("attribution_summaries_are_private", "aggregation_summaries_are_private")
GUARANTEES = {
    "charge": SUMMARIES,
    "admit": SUMMARIES,
    "threshold": SUMMARIES,
    "output_set": ("event_level_reports_are_private", "summary_and_event_reports_compose"),
}


def test_a_charge_that_forgets_delta_replays() -> None:
    assert "violated" in values("charge")
    model = two_queries_are_safe.decide(BROKEN["charge"][1]).example
    assert model is not None
    given = {name: Fraction(value) for name, value in model.items()}
    most = int(given["most"]) if given["counted"] else None
    limits = replace(
        PAPER.limits,
        epsilon=given["epsilon_cap"],
        delta=given["delta_cap"],
        maximum_queries=most,
    )
    rules = replace(BROKEN["charge"][1], limits=limits)
    service = Service()
    paid = Fraction(0)
    for number in ("1", "2"):
        query = Query(epsilon=given[f"epsilon_{number}"], delta=given[f"delta_{number}"])
        at = AtService(rules=rules, now=0, service=service, query=query)
        ledger, accepted = certain(rules.settle(at, (Report(report_id=1),)))
        service = Service(ledger=ledger)
        paid += query.delta if accepted else 0
    assert paid > service.ledger.get(1, Spent()).delta


def test_an_admission_that_compares_before_adding_replays() -> None:
    given = values("admit")
    limits = replace(
        PAPER.limits,
        contribution_budget=int(given["value_limit"]),
        sparsity_budget=int(given["count_limit"]),
    )
    rules = replace(BROKEN["admit"][1], limits=limits)
    client = AttributionClient()
    total = 0
    for number in ("1", "2", "3"):
        part = Contribution(key=1, value=int(given[f"new_{number}"]))
        credits = (Credit(unit="x", contributions=(part,)),)
        at = OnDevice(rules=rules, now=0, client=client, cause=None)
        budgets, granted = rules.contribute(at, credits)
        client = AttributionClient(budgets=budgets)
        total += sum(part.value for each in granted for part in each.contributions)
    assert total > limits.contribution_budget


def test_a_threshold_without_its_first_budget_replays() -> None:
    given = {name: Fraction(value) for name, value in values("threshold").items()}
    limits = replace(
        PAPER.limits,
        contribution_budget=int(given["contribution_budget"]),
        sparsity_budget=int(given["sparsity_budget"]),
        base=Base(given["base"]),
    )
    query = Query(epsilon=given["epsilon"], delta=given["delta"])
    rules = replace(BROKEN["threshold"][1], limits=limits)
    at = AtService(rules=rules, now=0, service=Service(), query=query)
    threshold = rules.threshold(at, ())
    assert threshold is not None
    assert threshold == given["truncation"]
    decay = Power(limits.base, -query.epsilon / limits.contribution_budget)
    noise = DiscreteLaplace(decay_power=decay, truncation=threshold)
    tail = noise.tail(threshold - limits.contribution_budget)
    assert tail == given["tail"]
    assert given["tail"] > query.delta / limits.sparsity_budget


def test_an_output_set_without_an_output_replays() -> None:
    given = {name: literal_eval(value) for name, value in values("output_set").items()}
    source = EventSource(
        source_id="x",
        destination="d",
        expiry=9,
        filters=frozenset("f"),
        maximum_reports=given["maximum_reports"],
        specifications=tuple(
            TriggerSpecification(data=data, windows=windows, buckets=buckets)
            for data, (windows, buckets) in enumerate(
                zip(given["windows"], given["buckets"], strict=True)
            )
        ),
    )
    sent = given["sent"]
    at = OnDevice(rules=PAPER, now=0, client=EventClient(), cause=source)
    drawn = outputs_without_silence(at, source)
    begins = [
        all(counts[: len(part)] == part for counts, part in zip(output, sent, strict=True))
        for output in drawn
    ]
    assert begins
    assert not any(begins)
    assert PAPER.output_set(at, source).extends(sent)


def serve_twice(at: AtService, reports: tuple[Report, ...], draw: Draw) -> tuple[Service, Hashable]:
    """Charge once and answer twice."""
    service, shown = PAPER.serve(at, reports, draw)
    if not isinstance(shown, Answer):
        return service, shown
    return service, (shown, at.rules.answer(at, reports, draw))


@dataclass(frozen=True, slots=True, kw_only=True)
class Refund:
    """Be a query that gives back what was charged of delta."""

    epsilon: Fraction
    delta: Fraction
    report_ids: tuple[int, ...]
    keys: tuple[int, ...] = ()
    discovers_keys: bool = False


def serve_and_refund(
    at: AtService, reports: tuple[Report, ...], draw: Draw
) -> tuple[Service, Hashable]:
    """Answer a query, and then one whose delta is below zero."""
    service, shown = PAPER.serve(at, reports, draw)
    refund = cast(
        Query,
        Refund(epsilon=Fraction(1, 8), delta=-at.query.delta, report_ids=at.query.report_ids),
    )
    return PAPER.serve(replace(at, service=service, query=refund), reports, draw)[0], shown


@pytest.mark.parametrize(
    ("serve", "epsilon", "delta"), [(serve_twice, "2", "0"), (serve_and_refund, "1", "3/4")]
)
def test_answers_are_added_up_and_what_is_refunded_is_not_taken_off(
    serve: Serve, epsilon: str, delta: str
) -> None:
    found = CHECK.run(replace(PAPER, serve=serve))
    assert found.verdict is Verdict.REFUTED
    assert found.counterexample is not None
    assert f"answers of ε = {epsilon} and δ = {delta} in all" in found.counterexample["violated"]
