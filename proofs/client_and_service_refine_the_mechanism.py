r"""Client and service together are M_SR: same reports, same ledger, same law of answers.

Claim: From equal budgets and equal credits, a trigger of the ARA client, an event of the PAA client
    and the corresponding records of M_SR lead to equal budgets and equal reports. A query passes
    the same service, query and batch to the same function `serve`, so that ledger and law of the
    answer are the same.
Paper: Sec. 4.2; Sec. 4.3.
Method: `decide`, `admit` and `send` of the system, for a trigger and for an event, are run beside
    `add_record` on symbolic budgets and values. Who is credited is given, so that the proof holds
    for every attribution and every program. The shapes are: nobody is credited, a unit with no, one
    or two contributions, two units. Both clients pass their credits to `contribute` in the same
    way, so that two credits are run for one of them. `ask` and the step of M_SR are run with a
    `serve` that notes its arguments.
    A credit of several contributions corresponds to as many records of one report, which carries
    them all (B17). That all that was granted gets into the report, for any number of credits, is a
    step of its own: `send` may not look at it, and the report holds it whole.
    Induction on contributions and credits: `contribute` treats them one by one, so that one at a
    time comes to the same. Induction on moves: budgets, reports and ledger are all that later moves
    read, and they stay equal. A report that arrives later, or not at all, is one that M_SR is not
    asked for.
Assumes: The function $f$ is null for zero values (B11): the clients credit nothing
    for a value of zero, where M_SR would count it. That the two differ there is shown as a step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import cast

from immutables import Map

from proofs._check import check_of
from proofs._proof import Proof, Statement, assume, calculation, exists
from proofs._subjects import (
    any_event,
    any_reports,
    any_time,
    any_trigger,
    asked,
    bare,
    bounded,
    budget,
    certain,
    contribution,
    for_all_rules,
    holding,
    keeper,
    name,
    on_device,
    opaque,
    plain,
    sent_unseen,
    unchecked,
    with_limits,
    without_client,
)
from spec import PAPER, Rules
from spec.aggregation_service import Answer, Query, Service
from spec.attribution_client import AttributionClient, Source, Trigger
from spec.contributions import Budget, Budgets, Credit
from spec.contributions import send as paper_send
from spec.distributions import Draw
from spec.private_aggregation_client import AggregationClient, Event
from spec.reports import Contribution, Report, Sent
from spec.rules import AtContribution, AtService, OnDevice
from spec.summary_mechanism import (
    Record,
    SummaryMechanism,
    SummaryQuery,
    SummaryState,
    add_record,
)
from spec.system import System, admit, ask, decide, send

X, Z = name(str, "unit x"), name(str, "unit z")

Shape = Callable[[Contribution, Contribution], tuple[tuple[str, tuple[Contribution, ...]], ...]]

SHAPES: dict[str, Shape] = {
    "nobody is credited": lambda _, __: (),
    "a unit is credited with nothing": lambda _, __: ((X, ()),),
    "a unit is credited with one contribution": lambda first, _: ((X, (first,)),),
    "a unit is credited with two contributions": lambda first, second: ((X, (first, second)),),
    "two units are credited": lambda first, second: ((X, (first,)), (Z, (second,))),
}


def by_move(
    rules: Rules, system: System, move: Trigger | Event, seen: Trigger | Event
) -> tuple[System, Report]:
    """Decide, admit and send; return the next system, and the report as it was sent.

    Rules see the move as one of which only numbers and names may be read, and may not look at the
    client: the one here has decided already, and has budgets of two units.
    """
    found: list[Report] = []

    def contribute(
        at: AtContribution, credits: tuple[Credit, ...]
    ) -> tuple[Budgets, tuple[Credit, ...]]:
        return rules.contribute(replace(at, cause=seen, client=keeper(at.client.budgets)), credits)

    def send_noted(at: AtContribution, granted: tuple[Credit, ...]) -> tuple[Sent, ...]:
        hidden = opaque(AttributionClient, "the client")
        sent = certain(rules.send(replace(at, cause=seen, client=hidden), granted))
        found.extend(each.report for each in sent)
        return sent

    noting = replace(without_client(rules), contribute=contribute, send=send_noted)
    decision = decide(noting, system, move, certain)
    system, granted = admit(noting, system, move, decision, certain)
    system, _ = send(noting, system, move, granted, certain)
    (report,) = found
    return system, report


def by_trigger(
    rules: Rules, budgets: Budgets, credits: tuple[Credit, ...]
) -> tuple[Budgets, Report]:
    """Let the ARA client register a trigger that leads to these credits."""
    key, value = opaque(int, "the key"), opaque(int, "the value")
    trigger = any_trigger(key, value, partial(bare, Trigger))
    rules = replace(rules, attribute=lambda at, _: (at.client, credits))
    client = AttributionClient(budgets=budgets)
    system = System(now=any_time(), attribution=Map({trigger.device: client}))
    after, report = by_move(rules, system, trigger, any_trigger(key, value))
    return plain(after.attribution[trigger.device], AttributionClient).budgets, report


def by_event(rules: Rules, budgets: Budgets, credits: tuple[Credit, ...]) -> tuple[Budgets, Report]:
    """Let the PAA client register an event that leads to these credits."""
    event = any_event(partial(bare, Event))
    rules = replace(rules, propose=lambda at, _: (at.client, credits))
    client = AggregationClient(budgets=budgets)
    system = System(now=any_time(), aggregation=Map({event.device: client}))
    after, report = by_move(rules, system, event, any_event())
    return plain(after.aggregation[event.device], AggregationClient).budgets, report


def by_records(
    rules: Rules, budgets: Budgets, credits: tuple[Credit, ...]
) -> tuple[Budgets, Report]:
    """Let the mechanism add the records that correspond to these credits."""
    state = SummaryState(budgets=budgets)
    (report_id,) = any_reports(1)
    parts = [(credit.unit, part) for credit in credits for part in credit.contributions]
    for place, (unit, _) in enumerate(parts):
        record = Record(unit=unit, report_id=report_id, storage=(place,))
        state = add_record(rules, state, record, lambda given: parts[_place(given)][1])
    if not parts:
        dummy = Record(unit=None, report_id=report_id)
        state = add_record(rules, state, dummy, lambda _: opaque(Contribution, "f(⊥)"))
    return state.budgets, state.reports[report_id]


def _place(record: Record) -> int:
    """Return which of the contributions of its report a record stands for."""
    return cast(tuple[int], record.storage)[0]


def same_reports(first: Report, second: Report) -> bool:
    """Compare identifiers and contents."""
    if first.report_id != second.report_id:
        return False
    if len(first.contributions) != len(second.contributions):
        return False
    same = True
    for one, other in zip(first.contributions, second.contributions, strict=True):
        same = same & (one.key == other.key) & (one.value == other.value)
    return same


Client = Callable[[Rules, Budgets, tuple[Credit, ...]], tuple[Budgets, Report]]


def refinement(client: Client, api: str, shape: str) -> Statement[Rules]:
    """Return the step for one client and one shape of credits."""

    @for_all_rules(f"{api} and mechanism agree where {shape}")
    def agree(
        rules: Rules,
        value_limit: int,
        count_limit: int,
        value_x: int,
        count_x: int,
        value_z: int,
        count_z: int,
        new_1: int,
        new_2: int,
    ) -> bool:
        assume(value_limit >= 1, count_limit >= 1, new_1 > 0, new_2 > 0)
        limited = with_limits(rules, contribution_budget=value_limit, sparsity_budget=count_limit)
        budgets: Budgets = Map({X: budget(value_x, count_x), Z: budget(value_z, count_z)})
        for spent in budgets.values():
            assume(0 <= spent.value, spent.value <= value_limit)
            assume(0 <= spent.count, spent.count <= count_limit)
        credits = tuple(
            unchecked(Credit, unit=unit, contributions=parts)
            for unit, parts in SHAPES[shape](contribution(new_1, "k"), contribution(new_2, "l"))
        )
        after, report = client(limited, budgets, credits)
        abstract, abstract_report = by_records(limited, budgets, credits)
        if set(after) != set(abstract):
            return False
        same = same_reports(report, abstract_report)
        for unit in (X, Z):
            one, other = plain(after[unit], Budget), plain(abstract[unit], Budget)
            same = same & (one.value == other.value) & (one.count == other.count)
        return same

    return agree


@for_all_rules("a report holds all that was granted, and nothing else")
def reports_are_whole(rules: Rules, key: int, value: int, a_trigger: bool) -> bool:
    """Run `send` on what may not be looked at; there is at most one report, and it holds that."""
    assume(0 <= key, 0 <= value)
    cause = any_trigger(key, value) if a_trigger else any_event()
    contents, sent = sent_unseen(on_device(rules, opaque(AttributionClient, "the client"), cause))
    if len(sent) > 1:
        return False
    reports = [plain(each.report, Report) for each in sent]
    return all(
        each.contributions is contents and bool(each.report_id == cause.report_id)
        for each in reports
    )


@for_all_rules("system and mechanism ask the same of the same service")
def the_service_is_the_same(rules: Rules, epsilon: Fraction, delta: Fraction, value: int) -> bool:
    """Run a query in both, with a `serve` that notes what it is given; both begin with nothing."""
    assume(epsilon > 0, 0 <= delta, delta <= 1, value > 0)
    if rules.initial.attribution.budgets or rules.initial.aggregation.budgets:
        return False
    heard: list[tuple[Service, Query, tuple[Report, ...]]] = []

    def serve(at: AtService, batch: tuple[Report, ...], _: Draw) -> tuple[Service, Answer]:
        heard.append((at.service, at.query, batch))
        return at.service, Answer()

    noting = replace(rules, serve=serve)
    one, other = any_reports(2)
    reports = Map({one: holding(one, contribution(value, "key")), other: holding(other)})
    query = asked(epsilon, delta)
    object.__setattr__(query, "report_ids", (one, other, one))
    service = unchecked(Service)
    system = System(now=any_time(), service=service, reports=reports)
    ask(noting, system, query, certain)
    question = unchecked(SummaryQuery, query=query)
    state = SummaryState(service=service, reports=reports)
    SummaryMechanism(rules=noting).step(state, ((), question), certain)
    first, second = heard
    same_batch = len(first[2]) == len(second[2]) and all(
        each is its for each, its in zip(first[2], second[2], strict=True)
    )
    return first[0] is second[0] and first[1] is second[1] and same_batch


@calculation(
    "a value of zero is null for the clients and counts for M_SR",
    by="exact run",
    over="one trigger",
)
def zero_values_differ(_: Rules) -> bool:
    """Show that the assumption on f is needed."""
    source = Source(source_id="x", destination="d", expiry=9, filters=frozenset({"f"}), key=1)
    trigger = Trigger(report_id=1, destination="d", filters=frozenset({"f"}), key=2, value=0)
    client = AttributionClient(sources=(source,))
    at = OnDevice(rules=PAPER, now=0, client=client, cause=trigger)
    clients = PAPER.contributions(at, source)
    zero = Contribution(key=3, value=0)
    state = add_record(PAPER, SummaryState(), Record(unit="x", report_id=1), lambda _: zero)
    return clients == () and state.budgets["x"].count == 1


@exists("not vacuous: a report that is not null comes about on both sides")
def a_real_report(rules: Rules, new: int) -> bool:
    """Find a value that is granted."""
    assume(new > 0)
    limited = with_limits(rules, contribution_budget=3, sparsity_budget=3)
    credits = (unchecked(Credit, unit=X, contributions=(contribution(new, "key"),)),)
    _, report = by_trigger(limited, Map({X: Budget()}), credits)
    return not report.is_null and report.contributions[0].value == new


def send_doubled(at: AtContribution, granted: tuple[Credit, ...]) -> tuple[Sent, ...]:
    """Write twice the value that was granted."""
    twice = tuple(
        replace(
            credit,
            contributions=tuple(replace(p, value=2 * p.value) for p in credit.contributions),
        )
        for credit in granted
    )
    return paper_send(at, twice)


def forget_budgets(
    at: AtContribution, credits: tuple[Credit, ...]
) -> tuple[Budgets, tuple[Credit, ...]]:
    """Admit a contribution on a device and forget that it was made."""
    budgets, granted = PAPER.contribute(at, credits)
    return budgets if at.cause is None else at.client.budgets, granted


PROOF = Proof(
    claim="client_and_service_refine_the_mechanism",
    subject=PAPER,
    steps=(
        *(refinement(by_trigger, "ARA", shape) for shape in SHAPES),
        *(refinement(by_event, "PAA", shape) for shape in SHAPES if "two" not in shape),
        reports_are_whole,
        the_service_is_the_same,
        zero_values_differ,
        a_real_report,
    ),
    controls={
        "reports carry twice what was granted": replace(PAPER, send=send_doubled),
        "the client forgets what was contributed": replace(PAPER, contribute=forget_budgets),
    },
)

CHECK = bounded(
    check_of(
        PROOF,
        method="clients and M_SR side by side; induction on contributions, credits and moves",
        assumes="f is null for zero values",
        takes_rules=True,
    ),
    papers_own=("contribute", "register_source", "propose", "serve"),
    bound="two credits or two contributions at a time",
)
