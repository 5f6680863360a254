"""Event-level rules at production parameters: what holds, what is refuted, what stays open."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from flint import arb

from properties.broken import OFTEN_TRUTHFUL, ONE_BUCKET, THREE_REPORTS
from properties.checks import property_checks
from properties.closed_forms.event_level import (
    EVENT_LEVEL,
    cases_of,
    event_parameters_check,
    event_parameters_finding,
)
from properties.closed_forms.event_sources import plans_of, sent_by, source_of, sources
from sandproof.guard import Guard
from spec import (
    PAPER,
    SMALL_LIMITS,
    EventSource,
    Limits,
    OutputSet,
    Rules,
    Universe,
    replace,
)
from spec.contributions import Unit
from spec.event_client import checked_limits
from spec.event_outputs import Output
from spec.neighbours import ATTRIBUTION_FIXED, NEVER_MATCHES
from spec.numbers import Base, Real, enclosed
from spec.verdicts import Finding, Shape, Verdict

if TYPE_CHECKING:
    from spec.rules import AtEventSource, AtEventTrigger

BINARY = replace(PAPER.limits, base=Base(Fraction(2)))
LARGEST = 175142105857592248012292655


def found(**changes: Any) -> Finding:
    return event_parameters_finding(replace(PAPER, **changes))


def test_the_papers_rules_hold_up_to_the_largest_output_set() -> None:
    finding = event_parameters_finding(PAPER)
    assert finding.verdict is Verdict.SEARCHED
    assert finding.shape is Shape.REAL_PARAMETERS
    assert (finding.claim, finding.check) == (EVENT_LEVEL, "production parameters")
    assert finding.bound == (
        f"sources with up to 32 trigger data and 20 reports, |O| up to {LARGEST}"
    )


@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(1, 3), Fraction(14), Fraction(100)])
@pytest.mark.parametrize("base", [None, Fraction(2)])
def test_the_papers_rules_hold_for_other_limits(epsilon: Fraction, base: Fraction | None) -> None:
    limits = replace(PAPER.limits, event_epsilon=epsilon, base=Base(base), maximum_reports=3)
    assert found(limits=limits).verdict is Verdict.SEARCHED


def test_a_truth_told_every_fourth_time_is_refuted_where_the_output_set_is_large() -> None:
    finding = event_parameters_finding(OFTEN_TRUTHFUL)
    assert finding.verdict is Verdict.REFUTED
    assert finding.counterexample == {
        "epsilon": "14",
        "source": "2 trigger data, with 5 windows and the buckets 1, 2, 3, 4, 5, 6, 7, 8, 9, 10; "
        "at most 20 reports",
        "triggers": "window 1: 10 for datum 0",
        "output": "reports per window: datum 0: 10, 0, 0, 0, 0",
        "in the output set": "yes",
        "size of the output set": "9018009",
        "truth probability": "1/4",
        "largest private truth probability": "about 0.117664505",
        "probability with x": "751501/3006003",
        "probability without x": "1/12024012",
    }


def test_a_rule_that_takes_exact_powers_only_is_refuted_too() -> None:
    def at_least_a_quarter(power: Real, size: int) -> Any:
        own: Any = PAPER.truth_probability(power, size)
        return max(own, Fraction(1, 4))

    finding = found(truth_probability=at_least_a_quarter)
    assert finding.counterexample == event_parameters_finding(OFTEN_TRUTHFUL).counterexample
    exact = found(truth_probability=at_least_a_quarter, limits=BINARY)
    assert exact.verdict is Verdict.REFUTED
    assert exact.counterexample is not None
    assert exact.counterexample["epsilon"] == "14 ln 2"
    assert exact.counterexample["largest private truth probability"] == "16383/98179"
    size = int(exact.counterexample["size of the output set"])
    there = Fraction(exact.counterexample["probability with x"])
    gone = Fraction(exact.counterexample["probability without x"])
    assert there == Fraction(1, 4) + gone
    assert gone == Fraction(3, 4) / size
    assert there > 2**14 * gone


def test_a_fourth_report_outside_the_output_set_is_refuted() -> None:
    finding = event_parameters_finding(replace(THREE_REPORTS, limits=BINARY))
    assert finding.verdict is Verdict.REFUTED
    assert finding.counterexample == {
        "epsilon": "14 ln 2",
        "source": "1 trigger datum, with 1 window and the buckets 1, 2, 3, 4, 5, 6, 7, 8, 9, 10; "
        "at most 4 reports",
        "triggers": "window 1: 10 for datum 0",
        "output": "reports per window: datum 0: 4",
        "in the output set": "no",
        "size of the output set": "4",
        "truth probability": "16383/16387",
        "largest private truth probability": "0",
        "probability with x": "16383/16387",
        "probability without x": "0",
    }


@pytest.mark.parametrize(
    ("rules", "probability"),
    [(THREE_REPORTS, "about 0.999996674"), (ONE_BUCKET, "about 0.999998337")],
)
def test_an_irrational_probability_is_shown_by_its_digits(rules: Rules, probability: str) -> None:
    finding = event_parameters_finding(rules)
    assert finding.verdict is Verdict.REFUTED
    assert finding.counterexample is not None
    assert finding.counterexample["epsilon"] == "14"
    assert finding.counterexample["probability with x"] == probability
    assert finding.counterexample["probability without x"] == "0"


def test_a_second_bucket_outside_the_output_set_is_refuted() -> None:
    finding = event_parameters_finding(replace(ONE_BUCKET, limits=BINARY))
    assert finding.verdict is Verdict.REFUTED
    assert finding.counterexample is not None
    assert finding.counterexample["output"] == "reports per window: datum 0: 2"
    assert finding.counterexample["size of the output set"] == "2"
    assert finding.counterexample["probability with x"] == "16383/16385"
    assert finding.counterexample["probability without x"] == "0"


def test_outputs_that_are_never_told_truthfully_may_leave_the_output_set() -> None:
    limits = replace(BINARY, event_epsilon=Fraction(0))
    assert (
        event_parameters_finding(replace(THREE_REPORTS, limits=limits)).verdict is Verdict.SEARCHED
    )


class SomeReport(OutputSet):
    """Leave out the output that sends nothing."""

    def size(self) -> int:
        return OutputSet.size(self) - 1

    def __iter__(self) -> Iterator[Output]:
        return islice(OutputSet.__iter__(self), 1, None)


def test_an_output_set_without_the_empty_output_is_refuted_from_the_other_world() -> None:
    def some_report(at: AtEventSource, source: EventSource) -> OutputSet:
        whole = PAPER.output_set(at, source)
        return SomeReport(
            maximum_reports=whole.maximum_reports, windows=whole.windows, buckets=whole.buckets
        )

    finding = found(output_set=some_report, limits=BINARY)
    assert finding.verdict is Verdict.REFUTED
    assert finding.counterexample is not None
    assert finding.counterexample["output"] == "no reports"
    assert finding.counterexample["probability with x"] == "0"
    assert finding.counterexample["probability without x"] == "16383/16384"


@pytest.mark.parametrize("share", [Fraction(0), Fraction(1, 2), Fraction(999, 1000)])
def test_a_smaller_truth_probability_holds(share: Fraction) -> None:
    def rarer(power: Any, size: int) -> Any:
        own = PAPER.truth_probability(power, size)
        return own * share.numerator / share.denominator

    finding = found(truth_probability=rarer)
    assert (finding.verdict, finding.shape) == (Verdict.SEARCHED, Shape.REAL_PARAMETERS)
    assert finding.bound.endswith("; epsilon 14")


def table_for_14(_: Any, size: int) -> Fraction:
    """Tell the truth as often as an epsilon of 14 allows, whatever the epsilon is."""
    return Fraction(1202603, 1202603 + size)


def too_often_for_14(_: Any, size: int) -> Fraction:
    """Tell the truth a little more often than an epsilon of 14 allows."""
    return Fraction(1202604, 1202604 + size)


def test_a_table_for_the_rules_own_epsilon_is_not_refuted_at_another() -> None:
    finding = found(truth_probability=table_for_14)
    assert finding.verdict is Verdict.SEARCHED
    assert finding.detail.endswith("not shown for other limits, such as an event_epsilon of 1")
    assert found(truth_probability=too_often_for_14).verdict is Verdict.REFUTED
    limits = replace(PAPER.limits, event_epsilon=Fraction(13))
    assert found(truth_probability=table_for_14, limits=limits).verdict is Verdict.REFUTED


def test_a_slightly_larger_truth_probability_is_refuted() -> None:
    def more_often(power: Any, size: int) -> Any:
        return PAPER.truth_probability(power, size + (size < 10**26) - 1)

    finding = found(truth_probability=more_often)
    assert finding.verdict is Verdict.REFUTED
    assert finding.counterexample is not None
    assert finding.counterexample["size of the output set"] == str(LARGEST)


@pytest.mark.parametrize("limits", [PAPER.limits, BINARY])
def test_the_papers_probability_in_other_words_holds(limits: Limits) -> None:
    def reworded(power: Any, size: int) -> Any:
        return (power - 1) / (power - 1 + size)

    finding = found(truth_probability=reworded, limits=limits)
    assert finding.verdict is Verdict.SEARCHED
    assert bool(finding.assumes) is (limits is not BINARY)


def test_an_enclosure_that_touches_the_largest_private_probability_stays_open() -> None:
    def enclosure(power: Any, size: int) -> Any:
        return enclosed(PAPER.truth_probability(power, size)) + arb(0, "1e-90")

    def below(power: Any, size: int) -> Any:
        return enclosure(power, size) * 9 / 10

    finding = found(truth_probability=enclosure)
    assert finding.verdict is Verdict.UNKNOWN
    assert "is not apart from the largest private one with 256 bits" in finding.detail
    assert found(truth_probability=below).verdict is Verdict.SEARCHED


def test_an_epsilon_too_large_to_write_out_stays_open() -> None:
    limits = replace(PAPER.limits, event_epsilon=Fraction(10**9))
    assert found(limits=limits).verdict is Verdict.SEARCHED
    finding = event_parameters_finding(replace(THREE_REPORTS, limits=limits))
    assert finding.verdict is Verdict.UNKNOWN
    assert finding.detail == "epsilon 1000000000 is too large to be written out"


def test_the_guard_around_changed_rules_changes_nothing(tmp_path: Path) -> None:
    for rules in (OFTEN_TRUTHFUL, THREE_REPORTS, ONE_BUCKET):
        guard = Guard(path=tmp_path / "proposal.py")
        finding = event_parameters_finding(guard.around(rules))
        assert finding.counterexample == event_parameters_finding(rules).counterexample
        assert finding.verdict is Verdict.REFUTED
        assert guard.misbehaved == []


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (
            Fraction(3, 2),
            "truth_probability is 3/2, which is no probability, at epsilon 14 and |O| = 2",
        ),
        (Fraction(-1, 9), "truth_probability is -1/9, which is no probability"),
        ("often", "truth_probability must be an int or a Fraction, not 'often'"),
    ],
)
def test_what_is_no_probability_stays_open(value: Any, reason: str) -> None:
    finding = found(truth_probability=lambda power, size: value)
    assert finding.verdict is Verdict.UNKNOWN
    assert finding.detail.startswith(reason)


def test_a_truth_that_is_always_told_is_refuted() -> None:
    finding = found(truth_probability=lambda power, size: 1)
    assert finding.verdict is Verdict.REFUTED
    assert finding.counterexample is not None
    assert finding.counterexample["probability without x"] == "0"


@pytest.mark.parametrize(
    "name", ["register_event_source", "register_event_trigger", "pass_windows", "event_visible"]
)
def test_changed_steps_stay_open(name: str) -> None:
    own: Any = getattr(PAPER, name)
    changed: dict[str, Any] = {name: lambda *arguments: own(*arguments)}
    finding = event_parameters_finding(replace(THREE_REPORTS, **changed))
    assert finding.verdict is Verdict.UNKNOWN
    assert finding.detail == (
        f"the client's step changed ({name}); decided in small universes only"
    )


def test_rules_that_attribute_nothing_stay_open() -> None:
    def nobody(at: AtEventTrigger) -> tuple[Unit, ...]:
        return ()

    finding = found(event_attribute=nobody, truth_probability=lambda power, size: Fraction(1))
    assert finding.verdict is Verdict.UNKNOWN
    assert finding.detail == "no source of the grid sends anything"


def test_an_output_set_about_other_windows_stays_open() -> None:
    def one_window(at: AtEventSource, source: EventSource) -> OutputSet:
        whole = PAPER.output_set(at, source)
        return replace(whole, windows=(1,) * len(whole.windows))

    finding = found(output_set=one_window)
    assert finding.verdict is Verdict.UNKNOWN
    assert "other windows than the source's" in finding.detail


def test_sources_stay_within_the_limits_and_reach_the_sizes_named() -> None:
    tight = replace(PAPER.limits, maximum_reports=3, maximum_windows=2, maximum_buckets=2)
    for limits in (PAPER.limits, tight, replace(tight, maximum_trigger_data=1)):
        for source, _ in sources(replace(OFTEN_TRUTHFUL, limits=limits)):
            checked_limits(limits, source)
    sizes = {case.size for case in cases_of(OFTEN_TRUTHFUL)[0]}
    assert {2, 3, 27, 2925, 708561, 958683033, LARGEST} <= sizes


def test_plans_send_what_they_are_meant_to() -> None:
    buckets = (1, 2, 5)
    source = source_of(2, 3, buckets, 20)
    assert [sent_by(PAPER, source, plan) for plan in plans_of(2, 3, buckets)] == [
        ((3, 0, 0), (0, 0, 0)),
        ((0, 0, 0), (0, 0, 3)),
        ((1, 1, 0), (0, 0, 0)),
        ((2, 0, 1), (0, 0, 0)),
        ((3, 0, 0), (3, 0, 0)),
        ((3, 0, 0), (0, 3, 0)),
        ((0, 0, 0), (0, 0, 0)),
    ]


def test_every_control_is_refuted() -> None:
    for control in event_parameters_check().controls:
        assert control.run().verdict is Verdict.REFUTED, control.name


def test_the_check_follows_the_claims_game() -> None:
    universe = Universe(name="own", limits=SMALL_LIMITS, units=("A",), moves=1, promise="event")
    for arguments in ((), (ATTRIBUTION_FIXED,), (None, (universe,))):
        listed = property_checks("quick", 0, *arguments)
        mine = [check.name for check in listed if check.claim == EVENT_LEVEL]
        assert mine[0].startswith("game: ")
        assert "production parameters" in mine[1:]
    other = property_checks("quick", 0, replace(NEVER_MATCHES, name="own", reports="event"))
    assert "production parameters" not in [
        check.name for check in other if check.claim == EVENT_LEVEL
    ]
