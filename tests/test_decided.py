"""What may be put around rules that decide, register and send, and what is close to it and may not.

Tables of a file may be read by any rule, and be changed by none.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import pytest
from immutables import Map

import spec
from proofs._core import core_of
from spec import (
    AtContribution,
    AtEvent,
    AtEventSource,
    AtService,
    AtSource,
    AtTrigger,
    Budget,
    Contribution,
    Credit,
    Distribution,
    Draw,
    EventSource,
    Outcome,
    Report,
    Rules,
    Sent,
    Source,
    replace,
)

Rule = Callable[..., Any]
PAPER: Any = spec.PAPER
"""The rules, of which no type says that they answer with a law."""
Decided = Any
Reports = tuple[Report, ...]

SHARES = {1: (4,), 2: (2, 2), 3: (2, 1, 1)}
ABORTED: Any = spec.Aborted()
NAMES = ["a", "b"]
DELAYS = [0, 600, 3600]


def rules_with(rule: Rule, **others: Any) -> Rules:
    """Return the paper's rules with one that is named after what it replaces."""
    field = rule.__name__.partition("__")[0]
    rules: Rules = replace(PAPER, **{field: rule}, **others)
    return rules


# Sources of the device, in any order and number, are credited.


def attribute__by_a_table(at: AtTrigger, draw: Draw) -> Decided:
    matching = tuple(source for source in at.client.sources if at.rules.matches(at, source))
    ordered: Any = at.rules.attempt_order(at, matching)
    touches = tuple(draw(ordered))[:3]
    credits = []
    for source, share in zip(touches, SHARES[len(touches)], strict=True):
        parts = at.rules.contributions(at, source)
        kept = tuple(replace(each, value=each.value * share // 4) for each in parts)
        credits.append(Credit(unit=source.source_id, contributions=kept))
    return at.client, tuple(credits)


def attribute__for_some_sources(at: AtTrigger, draw: Draw) -> Decided:
    some = tuple(each for each in at.client.sources if each.destination in NAMES)
    _, credits = PAPER.attribute(replace(at, client=replace(at.client, sources=some)), draw)
    return at.client, credits


def attribute__at_another_time(at: AtTrigger, draw: Draw) -> Decided:
    return PAPER.attribute(replace(at, now=at.now - at.now % 3600), draw)


def attribute__with_another_value(at: AtTrigger, draw: Draw) -> Decided:
    return PAPER.attribute(replace(at, cause=replace(at.cause, value=at.cause.value // 2)), draw)


def propose__to_its_unit(at: AtEvent, draw: Draw) -> Decided:
    storage, parts = at.rules.run_program(at)
    kept = tuple(each for each in parts if each.key % 2 == 0)
    unit = at.rules.budget_unit(at)
    return replace(at.client, storage=storage), (Credit(unit=unit, contributions=kept),)


def register_source__with_a_shorter_life(at: AtSource, source: Source) -> Any:
    return PAPER.register_source(at, replace(source, expiry=min(source.expiry, at.now + 86400)))


def register_source__only_so_many(at: AtSource, source: Source) -> Any:
    same = [each for each in at.client.sources if each.destination == source.destination]
    return at.client if len(same) >= 100 else PAPER.register_source(at, source)


def register_event_source__with_fewer_reports(
    at: AtEventSource, source: EventSource, draw: Draw
) -> Any:
    most = min(source.maximum_reports, 3)
    return PAPER.register_event_source(at, replace(source, maximum_reports=most), draw)


def register_event_source__only_so_many(at: AtEventSource, source: EventSource, draw: Draw) -> Any:
    ended = [each for each in at.client.records if each.source.expiry <= at.now]
    if len(at.client.records) - len(ended) >= 10:
        return at.client
    return PAPER.register_event_source(at, source, draw)


def send__at_random(at: AtContribution, granted: tuple[Credit, ...]) -> Any:
    (sent,) = PAPER.send(at, granted)

    def later(delay: int) -> tuple[Sent, ...]:
        return (replace(sent, arrival=at.now + delay),)

    return Distribution.uniform(later(delay) for delay in DELAYS)


def reveal__with_tables(at: AtService, batch: Reports, outcome: Outcome) -> Hashable:
    at_most = SHARES.get(len(batch), (1,))
    return outcome, at_most, len(NAMES), sorted(NAMES)[0], 3 in SHARES, tuple(SHARES.items())


# Where the paper decides, there is one contribution at a time, and it may be granted in any way.


def contribute__what_is_left(at: AtContribution, credits: tuple[Credit, ...]) -> Any:
    budgets, granted = at.client.budgets, []
    for credit in credits:
        spent, kept = budgets.get(credit.unit, Budget()), []
        for part in credit.contributions:
            value = min(part.value, at.limits.contribution_budget - spent.value)
            if value > 0 and spent.count < at.limits.sparsity_budget:
                spent = Budget(value=spent.value + value, count=spent.count + 1)
                kept.append(replace(part, value=value))
        budgets = budgets.set(credit.unit, spent)
        granted.append(replace(credit, contributions=tuple(kept)))
    return budgets, tuple(granted)


def contribute__in_two_parts(at: AtContribution, credits: tuple[Credit, ...]) -> Any:
    if not credits:
        return at.client.budgets, ()
    (credit,) = credits
    spent = at.client.budgets.get(credit.unit, Budget())
    most = (at.limits.contribution_budget, at.limits.sparsity_budget)
    for part in credit.contributions:
        if spent.value + part.value <= most[0] and spent.count + 2 <= most[1]:
            after = Budget(value=spent.value + part.value, count=spent.count + 2)
            half = part.value // 2
            kept = (replace(part, value=half), replace(part, key=7, value=part.value - half))
            return at.client.budgets.set(credit.unit, after), (replace(credit, contributions=kept),)
    return at.client.budgets, ()


def send__padded(at: AtContribution, granted: tuple[Credit, ...]) -> Any:
    (sent,) = PAPER.send(at, granted)
    parts = sent.report.contributions
    padding = (Contribution(key=0, value=0),) * (at.limits.sparsity_budget - len(parts))
    return (replace(sent, report=replace(sent.report, contributions=parts + padding)),)


def attribute__the_first_two(at: AtTrigger, draw: Draw) -> Decided:
    touched = [source for source in at.client.sources if at.rules.matches(at, source)][:2]
    credits = []
    for source, share in zip(touched, (3, 1), strict=False):
        shared = replace(at, cause=replace(at.cause, value=at.cause.value * share // 4))
        parts = at.rules.contributions(shared, source)
        credits.append(Credit(unit=source.source_id, contributions=parts))
    return at.client, tuple(credits)


def serve__by_itself(at: AtService, reports: Reports, draw: Draw) -> Any:
    service = at.service
    batch = draw(at.rules.batch(at, reports))
    ledger, accepted = draw(at.rules.settle(at, batch))
    at = replace(at, service=replace(service, ledger=ledger))
    outcome: Any = ABORTED
    if accepted is not None:
        outcome = at.rules.answer(at, accepted, draw)
    shown = draw(at.rules.reveal(at, batch, outcome))
    if accepted is None:
        return at.service, ("refused", shown)
    return at.service, shown


TAKEN_OFF: list[Rule] = [
    serve__by_itself,
    send__padded,
    attribute__the_first_two,
    contribute__what_is_left,
    contribute__in_two_parts,
    attribute__by_a_table,
    attribute__for_some_sources,
    attribute__at_another_time,
    attribute__with_another_value,
    propose__to_its_unit,
    register_source__with_a_shorter_life,
    register_source__only_so_many,
    register_event_source__with_fewer_reports,
    register_event_source__only_so_many,
    send__at_random,
    reveal__with_tables,
]


@pytest.mark.parametrize("rule", TAKEN_OFF, ids=lambda each: each.__name__)
def test_it_is_taken_off(rule: Rule) -> None:
    assert core_of(rules_with(rule)).kept == {}


# Whose data a credit carries, or which sources there are, is not known.


def attribute__made_up(at: AtTrigger, draw: Draw) -> Decided:
    pool = tuple(replace(each, source_id="pool") for each in at.client.sources)
    _, credits = PAPER.attribute(replace(at, client=replace(at.client, sources=pool)), draw)
    return at.client, credits


def attribute__one_made_up(at: AtTrigger, draw: Draw) -> Decided:
    pool = (*at.client.sources, replace(at.client.sources[0], source_id="pool"))
    _, credits = PAPER.attribute(replace(at, client=replace(at.client, sources=pool)), draw)
    return at.client, credits


def attribute__and_forget_the_others(at: AtTrigger, draw: Draw) -> Decided:
    some = tuple(each for each in at.client.sources if each.destination in NAMES)
    client = replace(at.client, sources=some)
    _, credits = PAPER.attribute(replace(at, client=client), draw)
    return client, credits


def attribute__and_keep_what_is_returned(at: AtTrigger, draw: Draw) -> Decided:
    some = tuple(each for each in at.client.sources if each.destination in NAMES)
    return PAPER.attribute(replace(at, client=replace(at.client, sources=some)), draw)


def attribute__on_other_budgets(at: AtTrigger, draw: Draw) -> Decided:
    return PAPER.attribute(replace(at, client=replace(at.client, budgets=Map())), draw)


def attribute__by_other_rules(at: AtTrigger, draw: Draw) -> Decided:
    return PAPER.attribute(replace(at, rules=replace(at.rules, matches=PAPER.matches)), draw)


def propose__at_another_time(at: AtEvent, draw: Draw) -> Decided:
    return PAPER.propose(replace(at, now=0), draw)


def propose__to_the_first_window(at: AtEvent, draw: Draw) -> Decided:
    storage, parts = at.rules.run_program(at)
    unit = at.rules.budget_unit(replace(at, now=0))
    return replace(at.client, storage=storage), (Credit(unit=unit, contributions=parts),)


def propose__to_another_device(at: AtEvent, draw: Draw) -> Decided:
    return PAPER.propose(replace(at, cause=replace(at.cause, device="shared")), draw)


def propose__to_the_device(at: AtEvent, draw: Draw) -> Decided:
    storage, parts = at.rules.run_program(at)
    return replace(at.client, storage=storage), (Credit(unit=at.cause.device, contributions=parts),)


# A source has a budget or a response, and then another; or what is private decides about it.


def register_source__under_a_name(at: AtSource, source: Source) -> Any:
    return PAPER.register_source(at, replace(source, source_id=source.destination))


def register_source__elsewhere(at: AtSource, source: Source) -> Any:
    return PAPER.register_source(at, replace(source, device="shared"))


def register_source__anew(at: AtSource, source: Source) -> Any:
    others = tuple(each for each in at.client.sources if each.source_id != source.source_id)
    return PAPER.register_source(replace(at, client=replace(at.client, sources=others)), source)


def register_source__and_refill(at: AtSource, source: Source) -> Any:
    client = PAPER.register_source(at, source)
    return replace(client, budgets=client.budgets.set(source.source_id, Budget(value=-10)))


def register_source__and_forget(at: AtSource, source: Source) -> Any:
    client = PAPER.register_source(at, source)
    return replace(client, sources=client.sources[:10])


def register_source__by_a_budget(at: AtSource, source: Source) -> Any:
    spent = sum(each.value for each in at.client.budgets.values())
    return at.client if spent > 100 else PAPER.register_source(at, source)


def register_source__without_a_budget(at: AtSource, source: Source) -> Any:
    return replace(at.client, sources=(source, *at.client.sources))


def register_event_source__twice(at: AtEventSource, source: EventSource, draw: Draw) -> Any:
    client = PAPER.register_event_source(at, source, draw)
    again = PAPER.register_event_source(at, source, draw)
    return replace(client, records=client.records[:1] + again.records)


def register_event_source__and_forget(at: AtEventSource, source: EventSource, draw: Draw) -> Any:
    client = PAPER.register_event_source(at, source, draw)
    return replace(client, records=client.records[:3])


def register_event_source__by_a_response(at: AtEventSource, source: EventSource, draw: Draw) -> Any:
    if any(each.response is not None for each in at.client.records):
        return at.client
    return PAPER.register_event_source(at, source, draw)


def register_event_source__by_a_value(at: AtEventSource, source: EventSource, draw: Draw) -> Any:
    busy = sum(each.sent for each in at.client.records)
    return PAPER.register_event_source(at, replace(source, expiry=source.expiry + busy), draw)


# More is granted than is counted, or what is granted depends on other units, or is an error.


def clipped(at: Any, credits: Any, most: Any, count: Any, part_of: Any, unit_of: Any) -> Any:
    """Grant what is left of a single contribution, but for one slip."""
    budgets, granted = at.client.budgets, []
    for credit in credits:
        spent, kept = budgets.get(credit.unit, Budget()), []
        for part in credit.contributions:
            value = min(part.value, most(at) - spent.value)
            if value > 0 and spent.count < at.limits.sparsity_budget:
                spent = count(spent, value)
                kept.append(part_of(part, value))
        budgets = budgets.set(credit.unit, spent)
        granted.append(replace(credit, unit=unit_of(credit), contributions=tuple(kept)))
    return budgets, tuple(granted)


def all_of_it(at: Any) -> Any:
    return at.limits.contribution_budget


def one_more(at: Any) -> Any:
    return at.limits.contribution_budget + 1


def in_full(spent: Any, value: Any) -> Any:
    return Budget(value=spent.value + value, count=spent.count + 1)


def no_value(spent: Any, value: Any) -> Any:
    return Budget(value=spent.value, count=spent.count + 1)


def no_number(spent: Any, value: Any) -> Any:
    return Budget(value=spent.value + value, count=spent.count)


def less(spent: Any, value: Any) -> Any:
    return Budget(value=spent.value + value - 1, count=spent.count + 1)


def as_it_is(part: Any, value: Any) -> Any:
    return replace(part, value=value)


def whole_part(part: Any, value: Any) -> Any:
    return part


def negative(part: Any, value: Any) -> Any:
    return replace(part, value=-value)


def no_key(part: Any, value: Any) -> Any:
    return replace(part, key=part.key + 1, value=value)


def its_own(credit: Any) -> Any:
    return credit.unit


def another(credit: Any) -> Any:
    return "pool"


def contribute__one_too_many(at: AtContribution, credits: tuple[Credit, ...]) -> Any:
    return clipped(at, credits, one_more, in_full, as_it_is, its_own)


def contribute__without_a_count(at: AtContribution, credits: tuple[Credit, ...]) -> Any:
    return clipped(at, credits, all_of_it, no_value, as_it_is, its_own)


def contribute__without_a_number(at: AtContribution, credits: tuple[Credit, ...]) -> Any:
    return clipped(at, credits, all_of_it, no_number, as_it_is, its_own)


def contribute__for_one_less(at: AtContribution, credits: tuple[Credit, ...]) -> Any:
    return clipped(at, credits, all_of_it, less, as_it_is, its_own)


def contribute__all_of_a_part(at: AtContribution, credits: tuple[Credit, ...]) -> Any:
    return clipped(at, credits, all_of_it, in_full, whole_part, its_own)


def contribute__less_than_nothing(at: AtContribution, credits: tuple[Credit, ...]) -> Any:
    return clipped(at, credits, all_of_it, in_full, negative, its_own)


def contribute__to_a_key_that_is_none(at: AtContribution, credits: tuple[Credit, ...]) -> Any:
    return clipped(at, credits, all_of_it, in_full, no_key, its_own)


def contribute__for_another_unit(at: AtContribution, credits: tuple[Credit, ...]) -> Any:
    return clipped(at, credits, all_of_it, in_full, as_it_is, another)


def contribute__while_others_have_not(at: AtContribution, credits: tuple[Credit, ...]) -> Any:
    used = sum(each.value for each in at.client.budgets.values())
    return PAPER.contribute(at, credits) if used < 1000 else (at.client.budgets, ())


def contribute__to_few_units(at: AtContribution, credits: tuple[Credit, ...]) -> Any:
    few = len(at.client.budgets) < 100
    return PAPER.contribute(at, credits) if few else (at.client.budgets, ())


def contribute__and_forget_others(at: AtContribution, credits: tuple[Credit, ...]) -> Any:
    _, granted = PAPER.contribute(at, credits)
    return Map({each.unit: Budget() for each in credits}), granted


def contribute__to_nobody(at: AtContribution, credits: tuple[Credit, ...]) -> Any:
    if not credits:
        part = Contribution(key=1, value=1)
        return at.client.budgets, (Credit(unit="nobody", contributions=(part,)),)
    return PAPER.contribute(at, credits)


def contribute__unless_it_is_large(at: AtContribution, credits: tuple[Credit, ...]) -> Any:
    for credit in credits:
        for part in credit.contributions:
            if part.value > 1000:
                raise ValueError(part.value)
    return PAPER.contribute(at, credits)


# When a report leaves tells what it holds, or it leaves in some cases only.


def send__late_if_null(at: AtContribution, granted: tuple[Credit, ...]) -> Any:
    (sent,) = PAPER.send(at, granted)
    return Distribution.uniform((replace(sent, arrival=at.now + len(granted)),) for _ in DELAYS)


def send__as_often_as_granted(at: AtContribution, granted: tuple[Credit, ...]) -> Any:
    (sent,) = PAPER.send(at, granted)
    return Distribution.uniform((replace(sent, arrival=at.now),) for _ in granted)


def send__another_report(at: AtContribution, granted: tuple[Credit, ...]) -> Any:
    (sent,) = PAPER.send(at, granted)
    made = replace(sent.report, contributions=(Contribution(key=1, value=1),))
    return Distribution.uniform((replace(sent, report=made),) for _ in DELAYS)


def send__two_of_them(at: AtContribution, granted: tuple[Credit, ...]) -> Any:
    (sent,) = PAPER.send(at, granted)
    return Distribution.uniform((sent, replace(sent, shown=delay)) for delay in DELAYS)


def send__padded_with_ones(at: AtContribution, granted: tuple[Credit, ...]) -> Any:
    (sent,) = PAPER.send(at, granted)
    parts = sent.report.contributions
    padding = (Contribution(key=0, value=1),) * (20 - len(parts))
    return (replace(sent, report=replace(sent.report, contributions=parts + padding)),)


def send__its_length(at: AtContribution, granted: tuple[Credit, ...]) -> Any:
    (sent,) = PAPER.send(at, granted)
    return (replace(sent, shown=(sent.shown, len(sent.report.contributions))),)


def send__a_flag(at: AtContribution, granted: tuple[Credit, ...]) -> Any:
    (sent,) = PAPER.send(at, granted)
    return (replace(sent, shown=(sent.shown, 1 if granted else True)),)


def send__padded_later(at: AtContribution, granted: tuple[Credit, ...]) -> Any:
    (sent,) = PAPER.send(at, granted)
    late = 0 if sent.report.contributions else 60
    return (replace(sent, arrival=at.now + late),)


def send__elsewhere(at: AtContribution, granted: tuple[Credit, ...]) -> Any:
    (sent,) = PAPER.send(at, granted)
    moved = tuple(replace(each, key=0) for each in sent.report.contributions)
    return (replace(sent, report=replace(sent.report, contributions=moved)),)


def send__twice_as_much(at: AtContribution, granted: tuple[Credit, ...]) -> Any:
    (sent,) = PAPER.send(at, granted)
    parts = sent.report.contributions
    return (replace(sent, report=replace(sent.report, contributions=parts + parts)),)


def send__if_granted(at: AtContribution, granted: tuple[Credit, ...]) -> Any:
    return PAPER.send(at, granted) if granted else ()


def send__under_another_name(at: AtContribution, granted: tuple[Credit, ...]) -> Any:
    (sent,) = PAPER.send(at, granted)
    named = replace(sent.report, report_id=sent.report.report_id ^ len(granted))
    return (replace(sent, report=named),)


def send__padded_beyond_the_keys(at: AtContribution, granted: tuple[Credit, ...]) -> Any:
    (sent,) = PAPER.send(at, granted)
    parts = sent.report.contributions
    padding = tuple(Contribution(key=each.key + 1, value=0) for each in parts)
    return (replace(sent, report=replace(sent.report, contributions=parts + padding)),)


def attribute__one_more_than_two(at: AtTrigger, draw: Draw) -> Decided:
    found = [Credit(unit=each.source_id, contributions=()) for each in at.client.sources]
    some = found[:2]
    some.append(Credit(unit="house", contributions=()))
    return at.client, tuple(some)


def attribute__one_more_than_two_inside(at: AtTrigger, draw: Draw) -> Decided:
    found = [Credit(unit=each.source_id, contributions=()) for each in at.client.sources]
    some = found[:2]
    (some, 1)[0].append(Credit(unit="house", contributions=()))
    return at.client, tuple(some)


# A batch is answered that was not paid for, or twice, or for another query.


def serve__and_forget_the_ledger(at: AtService, reports: Reports, draw: Draw) -> Any:
    batch = draw(at.rules.batch(at, reports))
    ledger, accepted = draw(at.rules.settle(at, batch))
    after = replace(at, service=replace(at.service, ledger=ledger))
    outcome = ABORTED if accepted is None else after.rules.answer(after, accepted, draw)
    return at.service, draw(at.rules.reveal(after, batch, outcome))


def serve__twice(at: AtService, reports: Reports, draw: Draw) -> Any:
    batch = draw(at.rules.batch(at, reports))
    ledger, accepted = draw(at.rules.settle(at, batch))
    at = replace(at, service=replace(at.service, ledger=ledger))
    if accepted is None:
        return at.service, ABORTED
    return at.service, (at.rules.answer(at, accepted, draw), at.rules.answer(at, accepted, draw))


def serve__in_a_loop(at: AtService, reports: Reports, draw: Draw) -> Any:
    batch = draw(at.rules.batch(at, reports))
    ledger, accepted = draw(at.rules.settle(at, batch))
    at = replace(at, service=replace(at.service, ledger=ledger))
    shown = []
    for _ in range(2):
        if accepted is not None:
            shown.append(at.rules.answer(at, accepted, draw))
    return at.service, tuple(shown)


def serve__for_another_query(at: AtService, reports: Reports, draw: Draw) -> Any:
    batch = draw(at.rules.batch(at, reports))
    ledger, accepted = draw(at.rules.settle(at, batch))
    more = replace(at.query, epsilon=2 * at.query.epsilon)
    after = replace(at, query=more, service=replace(at.service, ledger=ledger))
    outcome = ABORTED if accepted is None else after.rules.answer(after, accepted, draw)
    return after.service, outcome


def serve__after_a_cheaper_one(at: AtService, reports: Reports, draw: Draw) -> Any:
    batch = draw(at.rules.batch(at, reports))
    less = replace(at, query=replace(at.query, epsilon=at.query.epsilon / 2))
    ledger, accepted = draw(at.rules.settle(less, batch))
    at = replace(at, service=replace(at.service, ledger=ledger))
    return at.service, ABORTED if accepted is None else at.rules.answer(at, accepted, draw)


def serve__what_was_not_settled(at: AtService, reports: Reports, draw: Draw) -> Any:
    batch = draw(at.rules.batch(at, reports))
    ledger, accepted = draw(at.rules.settle(at, batch))
    at = replace(at, service=replace(at.service, ledger=ledger))
    return at.service, ABORTED if accepted is None else at.rules.answer(at, batch, draw)


def serve__what_was_named(at: AtService, reports: Reports, draw: Draw) -> Any:
    ledger, accepted = draw(at.rules.settle(at, reports))
    at = replace(at, service=replace(at.service, ledger=ledger))
    return at.service, ABORTED if accepted is None else at.rules.answer(at, accepted, draw)


def serve__before_it_is_kept(at: AtService, reports: Reports, draw: Draw) -> Any:
    batch = draw(at.rules.batch(at, reports))
    ledger, accepted = draw(at.rules.settle(at, batch))
    outcome = ABORTED if accepted is None else at.rules.answer(at, accepted, draw)
    return replace(at.service, ledger=ledger), outcome


def serve__and_show_who(at: AtService, reports: Reports, draw: Draw) -> Any:
    batch = draw(at.rules.batch(at, reports))
    ledger, accepted = draw(at.rules.settle(at, batch))
    at = replace(at, service=replace(at.service, ledger=ledger))
    return at.service, accepted


def serve__settled_again(at: AtService, reports: Reports, draw: Draw) -> Any:
    batch = draw(at.rules.batch(at, reports))
    ledger, accepted = draw(at.rules.settle(at, batch))
    _, again = draw(PAPER.serve(replace(at, service=at.service), reports, draw))
    at = replace(at, service=replace(at.service, ledger=ledger))
    return at.service, (again, None if accepted is None else at.rules.answer(at, accepted, draw))


# What is in a table may be another thing the next time.


def reveal__and_note(at: AtService, batch: Reports, outcome: Outcome) -> Hashable:
    SHARES[len(batch)] = (len(SHARES),)
    return outcome, len(SHARES)


def reveal__and_append(at: AtService, batch: Reports, outcome: Outcome) -> Hashable:
    NAMES.append("c")
    return outcome


def reveal__and_append_under_a_name(at: AtService, batch: Reports, outcome: Outcome) -> Hashable:
    names = NAMES
    names += ["c"]
    return outcome


def reveal__and_append_by_a_method(at: AtService, batch: Reports, outcome: Outcome) -> Hashable:
    more = NAMES.append
    more("c")
    return outcome


def reveal__and_append_in_a_list(at: AtService, batch: Reports, outcome: Outcome) -> Hashable:
    [NAMES][0].append("c")
    return outcome


def reveal__and_append_in_a_tuple(at: AtService, batch: Reports, outcome: Outcome) -> Hashable:
    names, _ = (NAMES, 1)
    names.append("c")
    return outcome


def reveal__and_append_to_one_of_two(at: AtService, batch: Reports, outcome: Outcome) -> Hashable:
    names = NAMES if len(batch) > 1 else ["b"]
    names.append("c")
    return outcome


def reveal__and_append_to_the_larger(at: AtService, batch: Reports, outcome: Outcome) -> Hashable:
    max(NAMES, ["a"]).append("c")
    return outcome


def reveal__and_set_a_default(at: AtService, batch: Reports, outcome: Outcome) -> Hashable:
    return outcome, SHARES.setdefault(len(batch), (len(SHARES),))


def reveal__and_append_by_map(at: AtService, batch: Reports, outcome: Outcome) -> Hashable:
    return outcome, tuple(map(NAMES.append, ("c", "d")))


def reveal__the_table(at: AtService, batch: Reports, outcome: Outcome) -> Any:
    return outcome, NAMES


def added(names: list[str]) -> int:
    names.append("c")
    return len(names)


def reveal__and_append_elsewhere(at: AtService, batch: Reports, outcome: Outcome) -> Hashable:
    return outcome, added(NAMES)


def reveal__and_append_by_default(
    at: AtService, batch: Reports, outcome: Outcome, names: list[str] = NAMES
) -> Hashable:
    names.append("c")
    return outcome


def answer__and_note(at: AtService, batch: Reports, draw: Draw) -> Any:
    found = PAPER.answer(at, batch, draw)
    for key, _ in found.released:
        SHARES[key] = (1,)
    return found


REFUSED: list[Rule] = [
    each
    for name, each in list(globals().items())
    if "__" in name.strip("_") and callable(each) and each not in TAKEN_OFF
]


@pytest.mark.parametrize("rule", REFUSED, ids=lambda each: each.__name__)
def test_it_is_not_taken_off(rule: Rule) -> None:
    rules = rules_with(rule)
    core = core_of(rules)
    field = rule.__name__.partition("__")[0]
    assert getattr(core.rules, field) is getattr(rules, field)
    assert core.kept[field]


def test_there_are_as_many_as_are_written() -> None:
    assert len(REFUSED) == 73


def two_parts(at: AtTrigger, source: Source) -> tuple[Contribution, ...]:
    parts: tuple[Contribution, ...] = PAPER.contributions(at, source)
    return 2 * parts


def test_several_contributions_need_more_than_one_to_be_run() -> None:
    rules = rules_with(contribute__what_is_left, contributions=two_parts)
    assert core_of(rules).kept["contribute"]


def test_a_report_of_several_contributions_is_not_run_on_one() -> None:
    rules = rules_with(send__padded, contributions=two_parts)
    assert core_of(rules).kept["send"]
    assert core_of(rules_with(send__padded, contribute=contribute__in_two_parts)).kept["send"]


def made_up(at: AtTrigger, matching: tuple[Source, ...]) -> tuple[Source, ...]:
    return tuple(replace(each, source_id="pool") for each in matching)


def test_another_order_may_be_one_of_other_sources() -> None:
    rules = rules_with(attribute__by_a_table, attempt_order=made_up)
    assert core_of(rules).kept["attribute"]
