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
    way, so that two credits are run for one of them. What is granted to the client is compared with
    what M_SR puts into its report. `ask` and the step of M_SR are run with a `serve` that notes its
    arguments.
    A credit of several contributions corresponds to as many records of one report, which carries
    them all (B17). That the client's report has the identifier and all that was granted, for any
    number of credits, is a step of its own: `send` may not look at what was granted, and the report
    holds it whole. Where `send` does look, a run on two contributions from the beginning may refute
    it.
    Induction on contributions and credits: `contribute` treats them one by one, so that one at a
    time comes to the same. Induction on moves: budgets, reports and ledger are all that later moves
    read, and they stay equal. A report that arrives later, or not at all, is one that M_SR is not
    asked for.
Assumes: The function $f$ is null for zero values (B11): the clients credit nothing
    for a value of zero, where M_SR would count it. That the two differ there is shown as a step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import cast

from immutables import Map

from proofs._check import check_of
from proofs._proof import Proof, assume, calculation, exists
from proofs._subjects import (
    Inductive,
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
    stand_in,
    unchecked,
    with_limits,
    without_client,
)
from spec import PAPER, Rules
from spec.aggregation_service import Answer, Query, Service
from spec.attribution_client import AttributionClient, Source, Trigger, contributions
from spec.contributions import Budget, Budgets, Credit
from spec.contributions import send as paper_send
from spec.distributions import Draw
from spec.private_aggregation_client import AggregationClient, Event
from spec.reports import Contribution, Report, Sent
from spec.rules import AtContribution, AtService, AtTrigger, OnDevice
from spec.summary_mechanism import (
    Record,
    SummaryMechanism,
    SummaryQuery,
    SummaryState,
    add_record,
)
from spec.system import Decision, Move, Observation, System, admit, ask, decide, send

X, Z = name(str, "unit x"), name(str, "unit z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Refinement:
    """Hold the rules, and the functions of the system and of a client that the steps run."""

    rules: Rules = PAPER
    admit: Callable[[Rules, System, Move, Decision, Draw], tuple[System, tuple[Credit, ...]]] = (
        admit
    )
    ask: Callable[[Rules, System, Query, Draw], tuple[System, Observation]] = ask
    contributions: Callable[[AtTrigger, Source], tuple[Contribution, ...]] = contributions


def by_move(
    subject: Refinement, system: System, move: Trigger | Event, seen: Trigger | Event
) -> tuple[System, tuple[Credit, ...]]:
    """Decide, admit and send one report; return the next system, and what `send` was given.

    Rules see the move as one of which only numbers and names may be read, and may not look at the
    client: the one here has decided already, and has budgets of two units.
    """
    rules = subject.rules
    found: list[tuple[Credit, ...]] = []

    def contribute(
        at: AtContribution, credits: tuple[Credit, ...]
    ) -> tuple[Budgets, tuple[Credit, ...]]:
        return rules.contribute(replace(at, cause=seen, client=keeper(at.client.budgets)), credits)

    def send_noted(at: AtContribution, granted: tuple[Credit, ...]) -> tuple[Sent, ...]:
        hidden = opaque(AttributionClient, "the client")
        (sent,) = certain(rules.send(replace(at, cause=seen, client=hidden), granted))
        found.append(granted)
        return (sent,)

    noting = replace(
        without_client(rules), contribute=stand_in(contribute), send=stand_in(send_noted)
    )
    decision = decide(noting, system, move, certain)
    system, admitted = subject.admit(noting, system, move, decision, certain)
    system, _ = send(noting, system, move, admitted, certain)
    (granted,) = found
    return system, granted


def by_trigger(
    subject: Refinement, budgets: Budgets, credits: tuple[Credit, ...]
) -> tuple[Budgets, tuple[Credit, ...]]:
    """Let the ARA client register a trigger that leads to these credits."""
    key, value = opaque(int, "the key"), opaque(int, "the value")
    trigger = any_trigger(key, value, partial(bare, Trigger))
    rules = replace(subject.rules, attribute=stand_in(lambda at, _: (at.client, credits)))
    client = AttributionClient(budgets=budgets)
    system = System(now=any_time(), attribution=Map({trigger.device: client}))
    seen = any_trigger(key, value)
    after, granted = by_move(replace(subject, rules=rules), system, trigger, seen)
    return plain(after.attribution[trigger.device], AttributionClient).budgets, granted


def by_event(
    subject: Refinement, budgets: Budgets, credits: tuple[Credit, ...]
) -> tuple[Budgets, tuple[Credit, ...]]:
    """Let the PAA client register an event that leads to these credits."""
    event = any_event(partial(bare, Event))
    rules = replace(subject.rules, propose=stand_in(lambda at, _: (at.client, credits)))
    client = AggregationClient(budgets=budgets)
    system = System(now=any_time(), aggregation=Map({event.device: client}))
    after, granted = by_move(replace(subject, rules=rules), system, event, any_event())
    return plain(after.aggregation[event.device], AggregationClient).budgets, granted


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


def same_contributions(first: tuple[Contribution, ...], second: tuple[Contribution, ...]) -> bool:
    """Compare keys and values, in their order."""
    if len(first) != len(second):
        return False
    same = True
    for one, other in zip(first, second, strict=True):
        same = same & (one.key == other.key) & (one.value == other.value)
    return same


def parts_of(credits: tuple[Credit, ...]) -> tuple[Contribution, ...]:
    """Return the contributions of all credits."""
    return tuple(part for credit in credits for part in credit.contributions)


Client = Callable[[Refinement, Budgets, tuple[Credit, ...]], tuple[Budgets, tuple[Credit, ...]]]
Shape = Callable[[Contribution, Contribution], tuple[tuple[str, tuple[Contribution, ...]], ...]]

CASES: tuple[tuple[Client, Shape], ...] = (
    (by_trigger, lambda _, __: ()),
    (by_trigger, lambda _, __: ((X, ()),)),
    (by_trigger, lambda first, _: ((X, (first,)),)),
    (by_trigger, lambda first, second: ((X, (first, second)),)),
    (by_trigger, lambda first, second: ((X, (first,)), (Z, (second,)))),
    (by_event, lambda _, __: ()),
    (by_event, lambda _, __: ((X, ()),)),
    (by_event, lambda first, _: ((X, (first,)),)),
)
"""Which client is run beside the mechanism, and which units are credited with what."""


@for_all_rules("ARA, PAA and mechanism agree on budgets and on what is granted")
def clients_agree(
    subject: Refinement,
    case: int,
    value_limit: int,
    count_limit: int,
    value_x: int,
    count_x: int,
    value_z: int,
    count_z: int,
    new_1: int,
    new_2: int,
) -> bool:
    """Run a client and the mechanism on the same credits, from the same budgets."""
    assume(0 <= case, case < len(CASES))
    assume(value_limit >= 1, count_limit >= 1, new_1 > 0, new_2 > 0)
    rules = with_limits(subject.rules, contribution_budget=value_limit, sparsity_budget=count_limit)
    budgets: Budgets = Map({X: budget(value_x, count_x), Z: budget(value_z, count_z)})
    for spent in budgets.values():
        assume(0 <= spent.value, spent.value <= value_limit)
        assume(0 <= spent.count, spent.count <= count_limit)
    client, shape = next(each for place, each in enumerate(CASES) if case == place)
    credits = tuple(
        unchecked(Credit, unit=unit, contributions=parts)
        for unit, parts in shape(contribution(new_1, "k"), contribution(new_2, "l"))
    )
    after, granted = client(replace(subject, rules=rules), budgets, credits)
    abstract, report = by_records(rules, budgets, credits)
    if set(after) != set(abstract):
        return False
    same = same_contributions(parts_of(granted), report.contributions)
    for unit in (X, Z):
        one, other = plain(after[unit], Budget), plain(abstract[unit], Budget)
        same = same & (one.value == other.value) & (one.count == other.count)
    return same


@for_all_rules("a report holds all that was granted, and nothing else")
def reports_are_whole(
    subject: Refinement,
    value_limit: int,
    count_limit: int,
    key: int,
    value: int,
    a_trigger: bool,
) -> bool:
    """Run `send` on what may not be looked at; there is at most one report, and it holds that."""
    assume(value_limit >= 1, count_limit >= 1, 0 <= key, 0 <= value)
    rules = with_limits(subject.rules, contribution_budget=value_limit, sparsity_budget=count_limit)
    cause = any_trigger(key, value) if a_trigger else any_event()
    contents, sent = sent_unseen(on_device(rules, opaque(AttributionClient, "the client"), cause))
    if len(sent) > 1:
        return False
    reports = [plain(each.report, Report) for each in sent]
    return all(
        each.contributions is contents and bool(each.report_id == cause.report_id)
        for each in reports
    )


@for_all_rules("from the beginning, a report of up to two contributions holds what was granted")
def small_reports_are_whole(
    subject: Refinement,
    value_limit: int,
    count_limit: int,
    key: int,
    value: int,
    a_trigger: bool,
    new_1: int,
    new_2: int,
) -> bool:
    """Let a new unit contribute twice, and run `send` on what is granted."""
    assume(value_limit >= 1, count_limit >= 1, 0 <= key, 0 <= value, new_1 > 0, new_2 > 0)
    rules = with_limits(subject.rules, contribution_budget=value_limit, sparsity_budget=count_limit)
    cause = any_trigger(key, value) if a_trigger else any_event()
    parts = (contribution(new_1, "k"), contribution(new_2, "l"))
    credits = (unchecked(Credit, unit=X, contributions=parts),)
    _, granted = rules.contribute(on_device(rules, keeper(Map()), cause), credits)
    at = on_device(rules, opaque(AttributionClient, "the client"), cause)
    sent = certain(rules.send(at, granted))
    if len(sent) > 1:
        return False
    return all(
        bool(same_contributions(each.report.contributions, parts_of(granted)))
        and bool(each.report.report_id == cause.report_id)
        for each in sent
    )


@for_all_rules("system and mechanism ask the same of the same service")
def the_service_is_the_same(
    subject: Refinement, epsilon: Fraction, delta: Fraction, value: int
) -> bool:
    """Run a query in both, with a `serve` that notes what it is given; both begin with nothing."""
    rules = subject.rules
    assume(epsilon > 0, 0 <= delta, delta <= 1, value > 0)
    if rules.initial.attribution.budgets or rules.initial.aggregation.budgets:
        return False
    heard: list[tuple[Service, Query, tuple[Report, ...]]] = []

    def serve(at: AtService, batch: tuple[Report, ...], _: Draw) -> tuple[Service, Answer]:
        heard.append((at.service, at.query, batch))
        return at.service, Answer()

    noting = replace(rules, serve=stand_in(serve))
    one, other = any_reports(2)
    reports = Map({one: holding(one, contribution(value, "key")), other: holding(other)})
    query = asked(epsilon, delta)
    object.__setattr__(query, "report_ids", (one, other, one))
    service = unchecked(Service)
    system = System(now=any_time(), service=service, reports=reports)
    subject.ask(noting, system, query, certain)
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
def zero_values_differ(subject: Refinement) -> bool:
    """Show that the assumption on f is needed."""
    source = Source(source_id="x", destination="d", expiry=9, filters=frozenset({"f"}), key=1)
    trigger = Trigger(report_id=1, destination="d", filters=frozenset({"f"}), key=2, value=0)
    client = AttributionClient(sources=(source,))
    at = OnDevice(rules=PAPER, now=0, client=client, cause=trigger)
    zero = Contribution(key=3, value=0)
    state = add_record(PAPER, SummaryState(), Record(unit="x", report_id=1), lambda _: zero)
    return subject.contributions(at, source) == () and state.budgets["x"].count == 1


@exists("not vacuous: a report that is not null comes about on both sides")
def a_real_report(subject: Refinement, new: int) -> bool:
    """Find a value that is granted."""
    assume(new > 0)
    rules = with_limits(subject.rules, contribution_budget=3, sparsity_budget=3)
    credits = (unchecked(Credit, unit=X, contributions=(contribution(new, "key"),)),)
    budgets: Budgets = Map({X: Budget()})
    _, granted = by_trigger(replace(subject, rules=rules), budgets, credits)
    _, report = by_records(rules, budgets, credits)
    return len(parts_of(granted)) == 1 and len(report.contributions) == 1


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


def forget_triggers(
    rules: Rules, system: System, move: Move, decision: Decision, draw: Draw
) -> tuple[System, tuple[Credit, ...]]:
    """Let the ARA client grant what it may, and keep the budgets that it had."""
    after, granted = admit(rules, system, move, decision, draw)
    return replace(after, attribution=system.attribution), granted


def forget_events(
    rules: Rules, system: System, move: Move, decision: Decision, draw: Draw
) -> tuple[System, tuple[Credit, ...]]:
    """Let the PAA client grant what it may, and keep the budgets that it had."""
    after, granted = admit(rules, system, move, decision, draw)
    return replace(after, aggregation=system.aggregation), granted


def ask_for_each_once(
    rules: Rules, system: System, query: Query, draw: Draw
) -> tuple[System, Observation]:
    """Leave out a report that the query names again."""
    once = replace(rules, serve=lambda at, batch, draw: rules.serve(at, batch[:2], draw))
    return ask(once, system, query, draw)


def count_zeros(at: AtTrigger, source: Source) -> tuple[Contribution, ...]:
    """Contribute a value of zero like any other."""
    return (Contribution(key=source.key | at.cause.key, value=at.cause.value),)


PAPERS = Refinement()
USED_BEFORE = replace(
    PAPER.initial, attribution=AttributionClient(budgets=Map({"x": Budget(value=1, count=1)}))
)

PROOF = Proof(
    claim="client_and_service_refine_the_mechanism",
    subject=PAPERS,
    steps=(
        clients_agree,
        Inductive(step=reports_are_whole, reachable=small_reports_are_whole),
        the_service_is_the_same,
        zero_values_differ,
        a_real_report,
    ),
    controls={
        "a device forgets what was contributed": Refinement(
            rules=replace(PAPER, contribute=forget_budgets)
        ),
        "the ARA client forgets what was contributed": replace(PAPERS, admit=forget_triggers),
        "the PAA client forgets what was contributed": replace(PAPERS, admit=forget_events),
        "reports carry twice what was granted": Refinement(rules=replace(PAPER, send=send_doubled)),
        "a client begins with a budget in use": Refinement(
            rules=replace(PAPER, initial=USED_BEFORE)
        ),
        "the system asks for every report once": replace(PAPERS, ask=ask_for_each_once),
        "the client counts values of zero": replace(PAPERS, contributions=count_zeros),
    },
    unproved_for={
        "nothing is ever admitted": Refinement(
            rules=replace(PAPER, admit=lambda _, __, spent, ___: (spent, False))
        ),
    },
)

CHECK = bounded(
    check_of(
        PROOF,
        method="clients and M_SR side by side; induction on contributions, credits and moves",
        assumes="f is null for zero values",
        subject=lambda rules: Refinement(rules=rules),
    ),
    papers_own=("contribute", "register_source", "propose", "serve"),
    bound="two credits or two contributions at a time",
)
