"""What the proofs must show: four broken rules, each refuted by name, with exact values.

The values are replayed here on the broken function itself, so that nothing rests on the proof.
"""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import pytest
from immutables import Map

from proofs import CHECKS
from spec import PAPER, Limits, Power, Query, Report, Rules, replace
from spec.aggregation_service import Spent
from spec.contributions import Budget, Cause, Credit, Unit
from spec.event_client import EventSource, TriggerSpecification
from spec.event_outputs import Output, OutputSet
from spec.noise import DiscreteLaplace
from spec.numbers import Base
from spec.reports import Contribution
from spec.verdicts import Finding, Verdict


def charge_without_delta(
    limits: Limits, spent: Spent, query: Query, report: Report
) -> Spent | None:
    epsilon = spent.epsilon + query.epsilon
    return None if epsilon > limits.epsilon else replace(spent, epsilon=epsilon)


def admit_before_adding(
    most: Budget, spent: Budget, contribution: Contribution, cause: Cause
) -> Budget | None:
    if spent.count >= most.count or spent.value >= most.value:
        return None
    return replace(spent, value=spent.value + contribution.value, count=spent.count + 1)


def threshold_without_first_budget(
    limits: Limits, query: Query, batch: tuple[Report, ...]
) -> int | None:
    threshold = PAPER.threshold(limits, query, batch)
    return None if threshold is None else threshold - limits.contribution_budget


@dataclass(frozen=True, slots=True, kw_only=True)
class WithoutSilence(OutputSet):
    """Leave out the output in which nothing is sent."""

    def __iter__(self) -> Iterator[Output]:
        return (output for output in OutputSet.__iter__(self) if any(map(any, output)))


def outputs_without_silence(limits: Limits, source: EventSource) -> OutputSet:
    whole = PAPER.output_set(limits, source)
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
    given = {name: Fraction(value) for name, value in values("charge").items()}
    limits = replace(PAPER.limits, epsilon=given["epsilon_cap"], delta=given["delta_cap"])
    rules = replace(BROKEN["charge"][1], limits=limits)
    ledger: Map[object, Spent] = Map()
    paid = Fraction(0)
    for number in ("1", "2"):
        query = Query(epsilon=given[f"epsilon_{number}"], delta=given[f"delta_{number}"])
        ledger, accepted = rules.settle(rules, ledger, query, (Report(report_id=1),))
        paid += query.delta if accepted else 0
    assert paid > ledger.get(1, Spent()).delta


def test_an_admission_that_compares_before_adding_replays() -> None:
    given = values("admit")
    limits = replace(
        PAPER.limits,
        contribution_budget=int(given["value_limit"]),
        sparsity_budget=int(given["count_limit"]),
    )
    rules = replace(BROKEN["admit"][1], limits=limits)
    budgets: Map[Unit, Budget] = Map()
    total = 0
    for number in ("1", "2", "3"):
        part = Contribution(key=1, value=int(given[f"new_{number}"]))
        credits = (Credit(unit="x", contributions=(part,)),)
        budgets, granted = rules.contribute(rules, budgets, credits, None)
        total += sum(each.value for each in granted)
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
    threshold = threshold_without_first_budget(limits, query, ())
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
    drawn = outputs_without_silence(PAPER.limits, source)
    begins = [
        all(counts[: len(part)] == part for counts, part in zip(output, sent, strict=True))
        for output in drawn
    ]
    assert begins
    assert not any(begins)
    assert PAPER.output_set(PAPER.limits, source).extends(sent)
