"""The machines hold for the paper's rules, with everything happening, and find broken ones."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from immutables import Map

import proofs
from properties import broken
from properties.checks import PRIVACY
from properties.machine_list import JUDGED, ROLLOUTS, planned_machines
from properties.machines import (
    CONTROLS,
    MACHINES,
    PROFILES,
    Machine,
    Profile,
    Violated,
    invariants_of,
    machine_checks,
    machine_finding,
    machine_for,
    replayed,
    run_machine,
)
from properties.machines._loss import Loss, loss_of
from properties.machines._machine import NO_CANDIDATE, Choose, Stopped
from properties.machines._rollouts import CANDIDATES, Rollouts
from properties.machines.aggregation_client import AggregationMachine
from properties.machines.aggregation_service import ServiceMachine
from properties.machines.attribution_client import AttributionMachine
from properties.machines.event_client import EventClientMachine
from properties.machines.run import judged, simpler
from properties.machines.summary_mechanism import SummaryMachine
from properties.machines.system import AggregationSystemMachine, AttributionSystemMachine
from properties.searches.on_numbers import numbers_check
from properties.strategies import view_again
from sandproof.guard import Guard
from spec import (
    PAPER,
    AtService,
    Distribution,
    Draw,
    Event,
    PassTime,
    Query,
    Random,
    Report,
    Rules,
    Sent,
    Service,
)
from spec.aggregation_service import Ledger, Spent, settle
from spec.attribution_client import AttributionClient, Source
from spec.claims import CLAIMS
from spec.contributions import Budget, Credit, Unit, send
from spec.distributions import Law, coin, hockey_stick
from spec.event_client import EventClient, EventReport
from spec.individual_privacy import Theta
from spec.neighbours import ATTRIBUTION_FIXED, NULLED_AFTER_ADMISSION
from spec.noise import DiscreteLaplace, Noise
from spec.numbers import Power
from spec.private_aggregation_client import DeviceWindow
from spec.reports import Contribution
from spec.verdicts import Check, Control, Finding, Reason, Verdict
from tests.small import source, trigger

if TYPE_CHECKING:
    from spec.rules import AtContribution, AtEvent, AtTrigger, AtWindows

CHECKS = machine_checks("quick")
ALONE = "removing_a_unit_leaves_the_others_alone"


def test_what_is_planned_of_machines_is_what_they_judge() -> None:
    assert {each.title: tuple(CONTROLS[each]) for each in MACHINES} == JUDGED
    for planned, made in zip(planned_machines("quick"), CHECKS, strict=True):
        for name in ("claim", "name", "evidence", "shape", "relation", "spare", "named"):
            assert getattr(planned, name) == getattr(made, name)
        assert [x.name for x in planned.controls] == [x.name for x in made.controls]
        assert planned.controls[:1][0].name == made.controls[0].name


def titles(machines: Sequence[type[Machine]]) -> list[str]:
    return [machine.title for machine in machines]


@pytest.mark.parametrize("machine", MACHINES, ids=titles(MACHINES))
def test_every_claim_holds_for_the_paper_and_everything_happens(machine: type[Machine]) -> None:
    made = machine_for(machine, PAPER)
    for seed in range(8):
        run_machine(made, PROFILES["quick"], seed)
        if all(made.counts[each] for each in machine.happens):
            break
    assert [each for each in machine.happens if not made.counts[each]] == []


@pytest.mark.parametrize(
    ("check", "control"),
    [
        pytest.param(check, control, id=f"{check.name}-{check.claim}-{control.name}")
        for check in CHECKS
        for control in check.controls
    ],
)
def test_every_control_is_refuted(check: Check, control: Control) -> None:
    found = control.run()
    assert found.verdict is Verdict.REFUTED, found.detail
    assert found.claim == check.claim
    assert found.check == check.name
    assert found.counterexample is not None
    assert set(found.counterexample) >= {"1", "violated"}


def test_every_check_has_a_control() -> None:
    assert all(check.controls for check in CHECKS)
    assert len({(check.claim, check.name) for check in CHECKS}) == len(CHECKS)


def test_invariants_carry_the_names_of_claims() -> None:
    for machine in MACHINES:
        assert invariants_of(machine) - set(CLAIMS) <= {ALONE}
        assert set(CONTROLS[machine]) <= invariants_of(machine)
        assert set(CONTROLS[machine]) <= set(machine.needs)


def test_what_a_claim_needs_is_something_that_is_counted() -> None:
    discovery = "a key was asked for by discovery"
    for machine in MACHINES:
        for needed in machine.needs.values():
            assert set(needed) <= {*machine.happens, discovery, "the responses told of a unit"}


def test_a_finding_tells_the_smallest_run() -> None:
    found = quick(ServiceMachine, "a_batch_is_a_set", broken.REPEATS_COUNT)
    assert found.counterexample is not None
    assert list(found.counterexample) == ["1", "2", "violated"]
    assert "arrives" in found.counterexample["1"]
    assert "asks for reports" in found.counterexample["2"]
    assert found.bound == "40 examples of 25 moves, seed 0"


def quick(machine: type[Machine], claim: str, rules: Rules) -> Finding:
    return machine_finding(machine, claim, rules, "quick")


def test_a_run_that_fails_fails_again_without_hypothesis() -> None:
    claim = "summary_mechanism_is_individually_private"
    made = machine_for(SummaryMachine, broken.REPEATS_COUNT, claims=frozenset({claim}))
    with pytest.raises(Violated) as raised:
        run_machine(made, PROFILES["quick"], 0)
    again = replayed(made, raised.value.moves)
    assert again is not None
    assert again.complaint == raised.value.complaint
    papers = machine_for(SummaryMachine, PAPER, claims=frozenset({claim}))
    assert replayed(papers, raised.value.moves) is None


def test_simpler_runs_leave_out_moves_draws_and_reports() -> None:
    query = Query(epsilon=Fraction(1), report_ids=(0, 1))
    tried = list(simpler(((PassTime(until=1), 0), (query, 2))))
    assert ((query, 2),) in tried
    assert ((PassTime(until=1), 0),) in tried
    assert ((PassTime(until=1), 0), (query, 0)) in tried
    assert ((PassTime(until=1), 0), (replace(query, report_ids=(1,)), 2)) in tried


def test_hypothesis_shrinks_beyond_the_quick_profile() -> None:
    assert not PROFILES["quick"].shrinks
    found = machine_finding(ServiceMachine, "a_batch_is_a_set", broken.REPEATS_COUNT, "standard")
    assert found.counterexample is not None
    assert found.counterexample["1"].endswith("arrives: 1 to key 1.")


def test_a_seed_fixes_the_runs() -> None:
    counts = []
    for seed in (3, 3, 4):
        made = machine_for(AggregationMachine, PAPER)
        run_machine(made, Profile(name="short", examples=10, steps=10), seed)
        counts.append(dict(made.counts))
    assert counts[0] == counts[1] != counts[2]


def test_a_rule_that_raises_leaves_the_claim_unknown() -> None:
    def charge(at: AtService, spent: Spent, report: Report) -> Spent | None:
        raise ArithmeticError("no change")

    found = quick(ServiceMachine, "a_batch_is_a_set", replace(PAPER, charge=charge))
    assert found.verdict is Verdict.UNKNOWN
    assert found.detail == "ArithmeticError: no change"


def test_a_service_that_cannot_be_watched_leaves_the_claim_unknown() -> None:
    def serve(at: AtService, reports: tuple[Report, ...], draw: Draw) -> tuple[Service, Hashable]:
        return at.service, "secret"

    found = quick(ServiceMachine, "a_refused_query_charges_nothing", replace(PAPER, serve=serve))
    assert found.verdict is Verdict.UNKNOWN
    assert "neither the rule answer nor the rule reveal" in found.detail


def test_a_claim_without_an_occasion_is_unknown() -> None:
    rules = replace(PAPER, charge=lambda at, spent, report: spent)
    found = quick(ServiceMachine, "a_refused_query_charges_nothing", rules)
    assert found.verdict is Verdict.UNKNOWN
    assert found.detail == "this never happened: a query was refused"


def send_null_reports_sometimes(
    at: AtContribution, granted: tuple[Credit, ...]
) -> Random[tuple[Sent, ...]]:
    sent = send(at, granted)
    return sent if granted else coin(Fraction(1, 2)).map(lambda heads: sent if heads else ())


def test_reports_that_are_sent_by_chance_are_found() -> None:
    rules = replace(PAPER, send=send_null_reports_sometimes)
    for claim in ("a_report_is_sent_for_every_trigger", "attribution_summaries_are_private"):
        assert quick(AttributionSystemMachine, claim, rules).verdict is Verdict.REFUTED


def any_order(at: AtTrigger, matching: tuple[Source, ...]) -> Law[Sequence[Source]]:
    return Distribution.uniform(dict.fromkeys((matching, matching[::-1])))


def test_a_random_attribution_is_not_held_against_the_rules() -> None:
    rules = replace(PAPER, attempt_order=any_order)
    claim = "attribution_summaries_are_private"
    assert quick(AttributionSystemMachine, claim, rules).verdict is Verdict.SEARCHED
    claim = "summary_mechanism_is_individually_private"
    assert quick(AttributionSystemMachine, claim, rules).verdict is Verdict.UNKNOWN


def test_other_neighbours_can_be_examined() -> None:
    found = machine_finding(
        AttributionSystemMachine,
        "attribution_summaries_are_private",
        PAPER,
        "quick",
        relation=NULLED_AFTER_ADMISSION,
    )
    assert found.verdict is Verdict.SEARCHED
    assert found.assumes == "neighbours: nulled after admission"


def test_a_budget_that_windows_share_changes_other_units() -> None:
    def one_budget_per_device(at: AtEvent) -> Unit:
        return DeviceWindow(device=at.cause.device, window=0)

    rules = replace(PAPER, budget_unit=one_budget_per_device)
    made = machine_for(AggregationMachine, rules, claims=frozenset({ALONE}))
    event = Event(report_id=0, device="phone", program=view_again)
    moves = (event, PassTime(until=10), replace(event, report_id=1))
    violated = replayed(made, tuple((move, 0) for move in moves))
    assert violated is not None
    assert violated.claim == ALONE
    papers = machine_for(AggregationMachine, PAPER, claims=frozenset({ALONE}))
    assert replayed(papers, tuple((move, 0) for move in moves)) is None


def test_a_machine_examines_the_claims_it_is_asked_to() -> None:
    claim = "contributions_stay_within_budget"
    made = machine_for(AttributionMachine, PAPER, claims=frozenset({claim}))
    assert invariants_of(made) == {claim}
    assert made.examines(claim)
    assert not made.examines("a_report_is_sent_for_every_trigger")


def test_losses_multiply_exactly() -> None:
    first = Distribution.of({0: Fraction(1, 2), 1: Fraction(1, 4), 2: Fraction(1, 4)})
    second = Distribution.of({0: Fraction(1, 4), 1: Fraction(1, 8), 3: Fraction(5, 8)})
    twice = Loss().then(first, second).then(second, first)

    def both(left: Distribution[int], right: Distribution[int]) -> Distribution[tuple[int, int]]:
        pairs = product(left.items(), right.items())
        return Distribution.of({(x, y): p * q for (x, p), (y, q) in pairs})

    mine, other = both(first, second), both(second, first)
    for power in (Fraction(1), Fraction(3, 2), Fraction(2), Fraction(9)):
        exact = max(hockey_stick(mine, other, power), hockey_stick(other, mine, power))
        assert twice.delta(power) == exact
    assert loss_of(first, second).together_with(loss_of(second, first)).delta(
        Fraction(2)
    ) == twice.delta(Fraction(2))
    assert (
        loss_of(first, second).given(Fraction(1, 2), Fraction(1, 2)).delta(Fraction(1))
        == loss_of(first, second).delta(Fraction(1)) / 2
    )


def test_a_draw_takes_the_outcome_with_its_number() -> None:
    law = Distribution.of({"a": Fraction(1, 2), "b": Fraction(1, 2)})
    assert [Choose(number)(law) for number in range(3)] == ["a", "b", "a"]
    assert Choose(1)(Map({1: 2})) == Map({1: 2})


def threshold_by_size(at: AtService, batch: tuple[Report, ...]) -> int | None:
    usual = PAPER.threshold(at, batch)
    return None if usual is None else usual + len(batch)


def test_a_threshold_is_that_of_the_batch_that_is_answered() -> None:
    """A repeated report is dropped from the batch, which lowers the threshold again."""
    rules = replace(PAPER, threshold=threshold_by_size)
    claim = "aggregation_summaries_are_private"
    event = Event(report_id=0, device="phone", program=view_again)
    asked = Query(epsilon=Fraction(3), delta=Fraction(1, 64), report_ids=(0, 0, 0))
    for lumps in (True, False):
        made = machine_for(AggregationSystemMachine, rules, claims=frozenset({claim}))
        made.lumps = lumps
        assert replayed(made, ((event, 0), (asked, 0))) is None


def test_what_is_never_released_is_lumped_without_loss() -> None:
    """The laws of answers with and without lumping tell the same of a unit."""
    event = Event(report_id=0, device="phone", program=view_again)
    asked = Query(epsilon=Fraction(3), delta=Fraction(1, 64), report_ids=(0,))
    told = []
    for lumps in (True, False):
        made = machine_for(AggregationSystemMachine, PAPER)
        made.lumps = lumps
        machine = made()
        machine.play(event)
        machine.play(asked)
        (loss,) = machine.losses.known.values()
        told.append([loss.delta(Fraction(power)) for power in (1, 2, 8, 64)])
    assert told[0] == told[1]
    assert told[0][0] > 0


def draw_noise(at: AtTrigger, draw: Draw) -> tuple[AttributionClient, tuple[Credit, ...]]:
    client, credited = PAPER.attribute(at, draw)
    noise = DiscreteLaplace(decay_power=Power(at.limits.base, Fraction(-1)))
    return client, credited if draw(noise.around(40)) > 40 else ()


def drop_at_random(at: AtTrigger, draw: Draw) -> tuple[AttributionClient, tuple[Credit, ...]]:
    dropped = draw(coin(Fraction(1, 2)))
    return (at.client, ()) if dropped else PAPER.attribute(at, draw)


def lose_reports_at_random(
    at: AtWindows, since: int, draw: Draw
) -> tuple[EventClient, tuple[EventReport, ...]]:
    client, sent = PAPER.pass_windows(at, since, draw)
    return client, tuple(report for report in sent if not draw(coin(Fraction(1, 4))))


FEW = Profile(name="quick", examples=8, steps=25, shrinks=False)
"""As many runs as tell whether a machine follows draws; blame would come with the first of them."""


@pytest.mark.parametrize(
    ("machine", "claim", "rules"),
    [
        (
            AttributionSystemMachine,
            "attribution_summaries_are_private",
            replace(PAPER, attribute=drop_at_random),
        ),
        (
            EventClientMachine,
            "event_level_reports_are_private",
            replace(PAPER, pass_windows=lose_reports_at_random),
        ),
    ],
)
def test_a_rule_that_draws_is_not_blamed(
    machine: type[Machine], claim: str, rules: Rules, monkeypatch: pytest.MonkeyPatch
) -> None:
    guard = Guard(path=Path("proposal.py"))
    monkeypatch.setitem(PROFILES, "quick", FEW)
    found = machine_finding(machine, claim, guard.around(rules), "quick")
    assert guard.misbehaved == []
    assert found.verdict is not Verdict.REFUTED


def test_a_client_that_draws_noise_is_not_blamed() -> None:
    guard = Guard(path=Path("proposal.py"))
    rules = guard.around(replace(PAPER, attribute=draw_noise))
    found = numbers_check("attribution_summaries_are_private", ATTRIBUTION_FIXED).run(rules)
    assert guard.misbehaved == []
    assert found.verdict is not Verdict.REFUTED


LEDGER = "the_ledger_never_passes_the_caps"


def scaled(at: AtService, query: Fraction, caps: Fraction = Fraction(1)) -> AtService:
    """Return what the service would see with another epsilon in the query, and another cap."""
    limits = replace(at.limits, epsilon=caps * at.limits.epsilon)
    asked = replace(at.query, epsilon=query * at.query.epsilon)
    return replace(at, rules=replace(at.rules, limits=limits), query=asked)


HALF, THOUSAND = Fraction(1, 2), Fraction(1000)


def charge_thousandths(at: AtService, spent: Spent, report: Report) -> Spent | None:
    return PAPER.charge(scaled(at, THOUSAND, THOUSAND), spent, report)


@dataclass(frozen=True, slots=True, kw_only=True)
class Left(Spent):
    left: Spent


def keep_what_is_left(at: AtService, spent: Spent, report: Report) -> Spent | None:
    left, query = Spent(epsilon=at.limits.epsilon, delta=at.limits.delta), at.query
    if isinstance(spent, Left):
        left = spent.left
    if query.epsilon > left.epsilon or query.delta > left.delta:
        return None
    epsilon, delta = left.epsilon - query.epsilon, left.delta - query.delta
    return Left(left=Spent(epsilon=epsilon, delta=delta))


def charge_half(at: AtService, spent: Spent, report: Report) -> Spent | None:
    return PAPER.charge(scaled(at, HALF), spent, report)


def noise_for_half(at: AtService, batch: tuple[Report, ...], threshold: int | None) -> Noise:
    return PAPER.noise(scaled(at, HALF), batch, threshold)


def discount_for_crowds(
    at: AtService, batch: tuple[Report, ...]
) -> Random[tuple[Ledger, tuple[Report, ...] | None]]:
    return PAPER.settle(scaled(at, HALF) if len(batch) >= 100 else at, batch)


def ledger_verdicts(rules: Rules) -> set[Verdict]:
    checks = [check for check in (*CHECKS, *proofs.CHECKS) if check.claim == LEDGER]
    return {check.run(rules).verdict for check in checks}


@pytest.mark.parametrize(
    "rules",
    [
        replace(PAPER, charge=charge_thousandths),
        replace(PAPER, charge=keep_what_is_left),
        replace(PAPER, charge=charge_half, noise=noise_for_half),
    ],
    ids=["in thousandths", "what is left", "half of epsilon, with the noise for it"],
)
def test_a_ledger_may_keep_other_numbers(rules: Rules) -> None:
    assert ledger_verdicts(rules) == {Verdict.SEARCHED, Verdict.UNKNOWN}


@pytest.mark.parametrize(
    "rules",
    [
        replace(PAPER, charge=charge_half),
        replace(PAPER, settle=discount_for_crowds),
    ],
    ids=["half of epsilon", "half in a crowd"],
)
def test_what_reports_take_part_in_is_added_up(rules: Rules) -> None:
    assert Verdict.REFUTED in ledger_verdicts(rules)


def test_a_null_report_is_charged_whatever_the_ledger_keeps() -> None:
    claim = "null_reports_are_charged"
    checks = [check for check in (*CHECKS, *proofs.CHECKS) if check.claim == claim]
    for charge in (charge_thousandths, keep_what_is_left, charge_half):
        found = {check.run(replace(PAPER, charge=charge)).verdict for check in checks}
        assert Verdict.REFUTED not in found
        assert Verdict.SEARCHED in found


def test_a_service_that_renames_its_reports_answers_from_those_it_was_asked_for() -> None:
    def rename(at: AtService, reports: tuple[Report, ...]) -> tuple[Report, ...]:
        fresh = hash((at.query.epsilon, at.query.delta))
        return tuple(replace(report, report_id=fresh) for report in reports[:1])

    assert Verdict.REFUTED in ledger_verdicts(replace(PAPER, batch=rename))


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembering(Service):
    answers: Map[Query, Hashable] = Map()


def answer_from_memory(
    at: AtService, reports: tuple[Report, ...], draw: Draw
) -> tuple[Service, Hashable]:
    assert isinstance(at.service, Remembering)
    known = at.service.answers
    if at.query in known:
        return at.service, known[at.query]
    after, shown = PAPER.serve(at, reports, draw)
    assert isinstance(after, Remembering)
    return replace(after, answers=known.set(at.query, shown)), shown


FROM_MEMORY = replace(
    PAPER, serve=answer_from_memory, initial=replace(PAPER.initial, service=Remembering())
)


def answer_anything(
    at: AtService, reports: tuple[Report, ...], draw: Draw
) -> tuple[Service, Hashable]:
    return at.service, len(reports)


SERVED = [
    check
    for check in CHECKS
    if "serve" in CLAIMS[check.claim].rules and check.claim not in (*PRIVACY, ROLLOUTS)
]


@pytest.mark.parametrize("check", SERVED, ids=[f"{each.name}-{each.claim}" for each in SERVED])
def test_an_answer_that_is_shown_again_is_no_new_answer(check: Check) -> None:
    found = check.run(FROM_MEMORY)
    assert found.verdict is Verdict.SEARCHED, found.detail


def test_an_answer_that_is_shown_again_tells_nothing_new() -> None:
    event = Event(report_id=0, device="phone", program=view_again)
    asked = Query(epsilon=Fraction(6), keys=(1, 3), report_ids=(0,))
    made = machine_for(AggregationSystemMachine, FROM_MEMORY, claims=frozenset(PRIVACY))
    machine = made()
    for move in (event, asked, asked, asked):
        machine.play(move)
        machine.examine()


def test_rollouts_of_a_service_that_remembers_its_noise_are_undefined() -> None:
    made = machine_for(AggregationSystemMachine, FROM_MEMORY, claims=frozenset({ROLLOUTS}))
    machine = made()
    machine.play(Event(report_id=0, device="phone", program=view_again))
    with pytest.raises(Stopped, match="RandomState"):
        machine.play(Query(epsilon=Fraction(6), keys=(1, 3), report_ids=(0,)))


def test_an_answer_that_no_rule_was_asked_for_is_unclear() -> None:
    found = machine_finding(ServiceMachine, LEDGER, replace(PAPER, serve=answer_anything), "quick")
    assert found.verdict is Verdict.UNKNOWN
    assert "Unclear" in found.detail


def test_a_finding_names_its_machine() -> None:
    checks = [check for check in CHECKS if check.claim == LEDGER]
    methods = {check.run(PAPER).method for check in checks}
    assert len(methods) == len(checks) == 3


# What the second surface brings.


def two_reports(at: AtContribution, granted: tuple[Credit, ...]) -> tuple[Sent, ...]:
    """Send a null report beside every report."""
    (sent,) = send(at, granted)
    other = Report(report_id=2**64 + sent.report.report_id)
    return sent, Sent(report=other, shown=other.report_id, arrival=at.now)


def double_the_contents(at: AtContribution, granted: tuple[Credit, ...]) -> tuple[Sent, ...]:
    """Send what was granted twice, in two reports."""
    (sent,) = send(at, granted)
    other = replace(sent.report, report_id=2**64 + sent.report.report_id)
    return sent, Sent(report=other, shown=other.report_id, arrival=at.now)


WITHIN = "contributions_stay_within_budget"


def test_several_reports_may_be_sent_and_what_they_hold_is_added_up() -> None:
    both = (AttributionMachine, AggregationMachine)
    for machine in both:
        assert quick(machine, WITHIN, replace(PAPER, send=two_reports)).verdict is Verdict.SEARCHED
        found = quick(machine, WITHIN, replace(PAPER, send=double_the_contents))
        assert found.verdict is Verdict.REFUTED
    claim = "attribution_summaries_are_private"
    found = quick(AttributionSystemMachine, claim, replace(PAPER, send=two_reports))
    assert found.verdict is Verdict.SEARCHED
    found = quick(AttributionSystemMachine, claim, replace(PAPER, send=double_the_contents))
    assert found.verdict is Verdict.REFUTED


def credit_everybody(at: AtTrigger, draw: Draw) -> tuple[AttributionClient, tuple[Credit, ...]]:
    """Credit every source that matches."""
    matching = [each for each in at.client.sources if at.rules.matches(at, each)]
    credits = [
        Credit(unit=each.source_id, contributions=at.rules.contributions(at, each))
        for each in matching
    ]
    return at.client, tuple(credits)


def test_contents_that_nobody_was_granted_leave_the_budgets_unknown() -> None:
    rules = replace(PAPER, attribute=credit_everybody)
    assert quick(AttributionMachine, WITHIN, rules).verdict is Verdict.SEARCHED
    made = machine_for(AttributionMachine, replace(rules, send=double_the_contents))
    machine = made()
    machine.play(source("A"))
    machine.play(source("B"))
    with pytest.raises(Stopped, match="nobody knows whose it is"):
        machine.play(trigger(0))


def test_a_refusal_that_costs_the_rest_of_the_budget_is_followed() -> None:
    def admit(
        at: AtContribution, unit: Unit, spent: Budget, contribution: Contribution
    ) -> tuple[Budget, bool]:
        after, fits = PAPER.admit(at, unit, spent, contribution)
        return (
            (after, True) if fits else (replace(after, value=at.limits.contribution_budget), False)
        )

    rules = replace(PAPER, admit=admit)
    assert quick(AggregationMachine, WITHIN, rules).verdict is Verdict.SEARCHED
    claim = "aggregation_summaries_are_private"
    assert quick(AggregationSystemMachine, claim, rules).verdict is Verdict.SEARCHED


def test_the_number_of_queries_is_counted_where_it_is_bounded() -> None:
    def forget_the_queries(at: AtService, spent: Spent, report: Report) -> Spent | None:
        after = PAPER.charge(at, replace(spent, queries=0), report)
        return None if after is None else replace(after, queries=0)

    few = replace(PAPER, limits=replace(PAPER.limits, maximum_queries=1))
    made = machine_for(ServiceMachine, few)
    assert made.tested.limits.maximum_queries == 1
    assert quick(ServiceMachine, LEDGER, few).verdict is Verdict.SEARCHED
    found = quick(ServiceMachine, LEDGER, replace(few, charge=forget_the_queries))
    assert found.verdict is Verdict.REFUTED
    assert "took part in 2 answers, 1 are allowed" in found.detail


def drop_the_last(at: AtService, reports: tuple[Report, ...]) -> Law[tuple[Report, ...]]:
    return Distribution.uniform(dict.fromkeys((reports, reports[:-1])))


def refuse_by_chance(
    at: AtService, batch: tuple[Report, ...]
) -> Law[tuple[Ledger, tuple[Report, ...] | None]]:
    settled: tuple[Ledger, tuple[Report, ...] | None] = settle(at, batch)
    return Distribution.uniform(dict.fromkeys((settled, (at.service.ledger, None))))


def refuse_nulls_by_chance(
    at: AtService, batch: tuple[Report, ...]
) -> Random[tuple[Ledger, tuple[Report, ...] | None]]:
    null = any(report.is_null for report in batch)
    return refuse_by_chance(at, batch) if null else settle(at, batch)


def test_a_batch_and_a_settlement_may_be_drawn() -> None:
    claim = "attribution_summaries_are_private"
    for rules in (replace(PAPER, batch=drop_the_last), replace(PAPER, settle=refuse_by_chance)):
        assert quick(AttributionSystemMachine, claim, rules).verdict is Verdict.SEARCHED
    rules = replace(PAPER, settle=refuse_nulls_by_chance)
    assert quick(AttributionSystemMachine, claim, rules).verdict is Verdict.REFUTED


def test_a_unit_without_a_candidate_is_refuted_only_if_there_is_no_rollout_at_all() -> None:
    limits = SummaryMachine.limits
    rollouts = Rollouts(replace(PAPER, limits=limits))
    too_much = Theta(epsilon=limits.epsilon + 1, delta=Fraction(0))
    rollouts.thetas["x"] = {name: [too_much] for name in CANDIDATES}
    likely = (Fraction(3, 4), Fraction(1, 4))
    rollouts.losses["x"] = Loss(pairs=(likely, likely[::-1]))
    assert rollouts.left_open
    assert list(rollouts.complaints()) == []
    certain = ((Fraction(1), Fraction(0)), (Fraction(0), Fraction(1)))
    rollouts.losses["x"] = Loss(pairs=certain)
    assert not rollouts.left_open
    (complaint,) = rollouts.complaints()
    assert "tell delta 1 of 'x'" in complaint


def test_what_is_left_open_is_neither_refuted_nor_searched() -> None:
    claim = "summary_mechanism_is_individually_private"
    made = machine_for(SummaryMachine, PAPER, claims=frozenset({claim}))
    made.count("an answer told of a unit")
    none = Finding(claim=claim, check="machine", reason=Reason.NO_CONCLUSION)
    assert judged(none, made).verdict is Verdict.SEARCHED
    made.count(NO_CANDIDATE)
    found = judged(none, made)
    assert (found.verdict, found.reason) == (Verdict.UNKNOWN, Reason.NO_CONCLUSION)
