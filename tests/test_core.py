"""What may be put around the paper's rules is taken off, for all values; what tells more is not."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from immutables import Map

from proofs._core import core_of
from proofs.attribution_summaries_are_private import CHECK
from spec import (
    PAPER,
    Answer,
    AtContribution,
    AtEvent,
    AtEventTrigger,
    AtService,
    AtTrigger,
    Budget,
    Budgets,
    Contribution,
    Credit,
    Draw,
    EventClient,
    Ledger,
    Outcome,
    Report,
    Rules,
    Service,
    SourceRecord,
    Spent,
    coin,
    replace,
)
from spec.contributions import Unit
from spec.reports import Sent
from spec.verdicts import Verdict
from tests.corpus import HERE
from tests.scripts import loaded
from tests.texts import run_text

SOUND = (
    *("a_hundred_triggers_a_day_are_attributed", "first_and_last_source_get_more"),
    *("every_event_source_is_credited", "three_event_triggers_are_attributed"),
    *("reports_leave_on_the_hour", "reports_share_entries", "who_cannot_pay_is_named"),
    "negative_sums_are_shown_as_zero",
    "sums_in_steps_of_sixteen",
    "the_ten_largest_noisy_sums",
    "far_tails_are_cut_off",
    "the_ledger_is_shown",
    "reports_are_counted",
    "answers_are_remembered",
    "at_least_ten_reports",
    "large_batches_are_refused",
    "a_day_cap_that_decides",
    "clamped_to_what_is_left",
    "a_full_source_is_left_out",
    "expired_sources_are_silent",
    "three_event_reports_at_a_time",
)
UNSOUND = (
    "a_budget_that_forgets",
    "a_helper_lists_who_is_answered",
    "a_helper_shows_the_reports",
    "a_refund_with_every_query",
    "entries_that_equal_nothing",
    "the_first_credit_only",
    "the_first_report_counts_twice",
    "a_full_source_ends_it",
    "what_is_named_is_not_counted",
    "some_of_it_for_nothing",
    "null_reports_share_an_entry",
    "a_day_cap_on_top",
    "a_hundred_and_forty_four_windows",
    "event_reports_are_numbered",
    "event_reports_show_the_value",
    "expired_sources_tell_the_truth",
    "clamped_for_nothing",
    "asked_again_for_nothing",
    "at_least_ten_real_reports",
    "debug_keys_are_exact",
    "keys_that_collide_share_their_noise",
    "low_answers_are_kept",
    "over_budget_and_still_answered",
    "the_last_charge_is_kept",
    "one_draw_for_all_keys",
    "only_the_first_reports_are_charged",
    "popular_keys_need_no_noise",
    "real_reports_are_counted",
    "the_truth_in_the_far_tail",
    "two_answers_for_one_charge",
)
AROUND = (
    *("reveal", "answer", "serve", "settle", "charge", "batch"),
    *("attribute", "propose", "contribute", "admit", "send", "budget_entries", "initial"),
    *("event_matches", "event_attribute", "register_event_trigger"),
    *("pass_windows", "event_visible"),
)


def rules_of(folder: str, name: str) -> Rules:
    rules: Rules = loaded(Path(HERE / folder / f"{name}.py")).RULES
    return rules


def left(rules: Rules) -> list[str]:
    core = core_of(rules).rules
    return [name for name in AROUND if getattr(core, name) is not getattr(PAPER, name)]


@pytest.mark.parametrize("name", SOUND)
def test_what_an_adversary_could_do_is_taken_off(name: str) -> None:
    assert left(rules_of("sound", name)) == []


@pytest.mark.parametrize("name", UNSOUND)
def test_what_tells_more_is_kept_and_its_line_named(name: str) -> None:
    rules = rules_of("unsound", name)
    core = core_of(rules)
    assert core.kept
    assert left(rules) == list(core.kept)
    named = {name: why for name, why in core.kept.items() if "is run with it" not in why}
    assert named
    assert all("line" in why or "returns" in why for why in named.values())


def test_a_guarantee_is_proved_on_the_core() -> None:
    found = CHECK.run(rules_of("sound", "the_ten_largest_noisy_sums"))
    assert found.verdict is Verdict.PROVED
    assert found.steps[0].name.startswith("what is revealed is computed from")
    assert found.steps[0].by == "flow"


def test_a_guarantee_names_the_line_that_cost_the_proof() -> None:
    found = CHECK.run(rules_of("unsound", "real_reports_are_counted"))
    assert found.verdict is Verdict.UNKNOWN
    assert "reveal changed (.is_null of a report in reveal" in found.detail
    assert "line 11" in found.detail


# Ways to slip by, one for each rule of the game.

Reports = tuple[Report, ...]
Settled = tuple[Ledger, Reports | None]


TELLING: Callable[[Report], int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Keeping(Service):
    answers: Map[Hashable, Hashable] = Map()


def in_a_function(at: AtService, batch: Reports, outcome: Outcome) -> Hashable:
    tell = TELLING or (lambda each: len(each.contributions))
    return outcome, tuple(map(tell, batch))


def by_a_default(at: AtService, batch: Reports, outcome: Outcome) -> Hashable:
    tell = {0: lambda each=batch: len(each[0].contributions)}
    return outcome, tell[0]()


def by_calling_until(at: AtService, batch: Reports, outcome: Outcome) -> Hashable:
    return outcome, next(iter(lambda each=batch: len(each[0].contributions), -1))  # type: ignore[misc]


def by_sorting(at: AtService, batch: Reports, outcome: Outcome) -> Hashable:
    return outcome, sorted(batch, key=lambda each: len(each.contributions))[0].report_id


def by_equality(at: AtService, batch: Reports, outcome: Outcome) -> Hashable:
    return outcome, sum(each == Report(report_id=each.report_id) for each in batch)


def by_membership(at: AtService, batch: Reports, outcome: Outcome) -> Hashable:
    return outcome, Report(report_id=1) in batch


def by_hash(at: AtService, batch: Reports, outcome: Outcome) -> Hashable:
    return outcome, len({replace(each, report_id=0) for each in batch})


def by_text(at: AtService, batch: Reports, outcome: Outcome) -> Hashable:
    return outcome, f"{batch}"


def late_in_a_large_batch(at: AtService, batch: Reports, outcome: Outcome) -> Hashable:
    seen = 1
    for report in batch:
        seen = 2 * seen % 1009
        if seen == 700:
            return outcome, report.is_null
    return outcome


def on_a_rare_answer(at: AtService, batch: Reports, outcome: Outcome) -> Hashable:
    rare = isinstance(outcome, Answer) and any(noisy > 10**9 for _, noisy in outcome.released)
    return (outcome, batch) if rare else outcome


def by_asking_a_rule(at: AtService, batch: Reports, outcome: Outcome) -> Hashable:
    return outcome, at.rules.keys(at, batch)


def by_asking_the_papers_rule(at: AtService, batch: Reports, outcome: Outcome) -> Hashable:
    return outcome, PAPER.keys(at, batch)


def helped(batch: Reports) -> int:
    return sum(len(each.contributions) for each in batch)


def by_a_helper(at: AtService, batch: Reports, outcome: Outcome) -> Hashable:
    return outcome, helped(batch)


SEEN: list[int] = []


def by_memory(at: AtService, batch: Reports, outcome: Outcome) -> Hashable:
    SEEN.append(len(batch))
    return outcome, tuple(SEEN)


def by_an_error(at: AtService, batch: Reports, outcome: Outcome) -> Hashable:
    try:
        return outcome, batch[0].contributions[0].value > 0
    except IndexError:
        return outcome


def by_a_loop(at: AtService, batch: Reports, draw: Draw) -> Answer:
    found: tuple[tuple[int, int], ...] = ()
    for _ in range(2):
        found += PAPER.answer(at, batch, draw).released
    return Answer(released=found)


def by_a_loop_inside(at: AtService, batch: Reports, draw: Draw) -> Answer:
    twice = [PAPER.answer(at, batch, draw).released for _ in range(2)]
    return Answer(released=twice[0] + twice[1])


def for_another_epsilon(at: AtService, batch: Reports, draw: Draw) -> Answer:
    exact = replace(at, query=replace(at.query, epsilon=100 * at.query.epsilon))
    return PAPER.answer(exact, batch, draw)


def under_other_rules(at: AtService, batch: Reports, draw: Draw) -> Answer:
    limits = replace(at.limits, contribution_budget=1)
    return PAPER.answer(replace(at, rules=replace(PAPER, limits=limits)), batch, draw)


def with_a_true_sum(at: AtService, batch: Reports, draw: Draw) -> Answer:
    noisy = PAPER.answer(at, batch, draw)
    totals = PAPER.totals(at, batch)
    return noisy if max(totals.values(), default=0) < 10 else Answer()


def either_state(at: AtService, reports: Reports, draw: Draw) -> tuple[Service, Hashable]:
    service, shown = PAPER.serve(at, reports, draw)
    return (at.service if at.now % 7 == 6 else service), shown


def a_new_ledger(at: AtService, reports: Reports, draw: Draw) -> tuple[Service, Hashable]:
    service, shown = PAPER.serve(at, reports, draw)
    return replace(service, ledger=Map()), shown


def a_new_service(at: AtService, reports: Reports, draw: Draw) -> tuple[Service, Hashable]:
    _, shown = PAPER.serve(at, reports, draw)
    return Service(), shown


def twice_from_one_state(at: AtService, reports: Reports, draw: Draw) -> tuple[Service, Hashable]:
    _, first = PAPER.serve(at, reports, draw)
    service, second = PAPER.serve(at, reports, draw)
    return service, (first, second)


def a_state_from_a_list(at: AtService, reports: Reports, draw: Draw) -> tuple[Service, Hashable]:
    service, shown = PAPER.serve(at, reports, draw)
    others: list[Service] = []
    others.append(Service())
    for each in others:
        service = each
    return service, shown


def keep_the_reports(at: AtService, reports: Reports, draw: Draw) -> tuple[Service, Hashable]:
    service, shown = PAPER.serve(at, reports, draw)
    return replace(service, answers=Map({1: reports})), shown  # type: ignore[call-arg]


def answer_alone(at: AtService, reports: Reports, draw: Draw) -> tuple[Service, Hashable]:
    return at.service, at.rules.answer(at, reports, draw)


def settle_for_half(at: AtService, batch: Reports) -> Settled:
    half = replace(at, query=replace(at.query, epsilon=at.query.epsilon / 2))
    found: Settled = PAPER.settle(half, batch)  # type: ignore[assignment]
    return found


def settle_and_forget(at: AtService, batch: Reports) -> Settled:
    settled: Any = PAPER.settle(at, batch)
    _, accepted = settled
    return at.service.ledger, accepted


def settle_for_nothing(at: AtService, batch: Reports) -> Settled:
    return at.service.ledger, batch


def settle_some(at: AtService, batch: Reports) -> Settled:
    settled: Any = PAPER.settle(at, tuple(each for each in batch if each.report_id % 2))
    ledger, _ = settled
    return ledger, batch


def batch_twice(at: AtService, reports: Reports) -> Sequence[Report]:
    found: Any = PAPER.batch(at, reports)
    return (*found, *found)


def batch_of_changed(at: AtService, reports: Reports) -> Sequence[Report]:
    found: Any = PAPER.batch(at, tuple(replace(each, report_id=0) for each in reports))
    return found  # type: ignore[no-any-return]


Decided = tuple[Any, tuple[Credit, ...]]
Granted = tuple[Budgets, tuple[Credit, ...]]


def credit_by_name(at: AtTrigger, draw: Draw) -> Decided:
    return at.client, (Credit(unit="house", contributions=()),)


def credit_a_changed_source(at: AtTrigger, draw: Draw) -> Decided:
    client, credits = PAPER.attribute(at, draw)
    return replace(client, sources=client.sources[:1]), credits


def credit_another_unit(at: AtTrigger, draw: Draw) -> Decided:
    client, credits = PAPER.attribute(at, draw)
    return client, tuple([replace(each, unit=f"{each.unit}'") for each in credits])


def append_a_forged_credit(at: AtTrigger, draw: Draw) -> Decided:
    found: list[Credit] = []
    also = (found, 1)
    also[0].append(Credit(unit="house", contributions=()))
    for source in at.client.sources:
        found.append(Credit(unit=source.source_id, contributions=()))
    return at.client, tuple(found)


def forge_in_a_list(at: AtTrigger, draw: Draw) -> Decided:
    found = [Credit(unit=each.source_id, contributions=()) for each in at.client.sources]
    box = (found, 1)
    box[0].append(Credit(unit="house", contributions=()))
    return at.client, tuple(found)


def forge_in_a_function(at: AtTrigger, draw: Draw) -> Decided:
    found: list[Credit] = []
    forge(found)
    for source in at.client.sources:
        found.append(Credit(unit=source.source_id, contributions=()))
    return at.client, tuple(found)


def forge(found: list[Credit]) -> None:
    found.append(Credit(unit="house", contributions=()))


def propose_for_the_day(at: AtEvent, draw: Draw) -> Decided:
    client, _ = PAPER.propose(at, draw)
    return client, (Credit(unit=(at.cause.device, at.now // 86_400), contributions=()),)


def grant_all(at: AtContribution, credits: tuple[Credit, ...]) -> Granted:
    return at.client.budgets, credits


def grant_until_one_is_large(at: AtContribution, credits: tuple[Credit, ...]) -> Granted:
    found = []
    for credit in credits:
        if len(credit.contributions) > 3:
            break
        found.append(credit)
    return PAPER.contribute(at, tuple(found))


def grant_what_is_left_of_all(at: AtContribution, credits: tuple[Credit, ...]) -> Granted:
    found, left = [], at.limits.contribution_budget
    for credit in credits:
        parts = tuple(part for part in credit.contributions if part.value <= left)
        left = left - sum(part.value for part in parts)
        found.append(replace(credit, contributions=parts))
    return PAPER.contribute(at, tuple(found))


def grant_by_a_list(at: AtContribution, credits: tuple[Credit, ...]) -> Granted:
    found: list[Credit] = []
    large: list[int] = []
    for credit in credits:
        large.append(len(credit.contributions))
        found.append(credit if sum(large) < 9 else replace(credit, contributions=()))
    return PAPER.contribute(at, tuple(found))


def grant_by_a_longer_list(at: AtContribution, credits: tuple[Credit, ...]) -> Granted:
    found: list[Credit] = []
    large: list[int] = []
    for credit in credits:
        large.extend(part.value for part in credit.contributions)
        found.append(credit if sum(large) < 9 else replace(credit, contributions=()))
    return PAPER.contribute(at, tuple(found))


def grant_unless_another_is_large(at: AtContribution, credits: tuple[Credit, ...]) -> Granted:
    found = []
    for credit in credits:
        for other in credits:
            if len(other.contributions) < 3:
                found.append(credit)
    return PAPER.contribute(at, tuple(found))


def grant_unless_any_is_large(at: AtContribution, credits: tuple[Credit, ...]) -> Granted:
    return PAPER.contribute(
        at,
        tuple(each for each in credits if all(len(other.contributions) < 3 for other in credits)),
    )


def grant_unless_a_function_says_so(at: AtContribution, credits: tuple[Credit, ...]) -> Granted:
    crowded = lambda: any(len(other.contributions) > 3 for other in credits)  # noqa: E731
    return PAPER.contribute(at, tuple(each for each in credits if not crowded()))  # type: ignore[no-untyped-call]


def grant_by_the_list_so_far(at: AtContribution, credits: tuple[Credit, ...]) -> Granted:
    found: list[Credit] = []
    for credit in credits:
        if not found:
            found.append(credit)
    return PAPER.contribute(at, tuple(found))


def grant_by_number(at: AtContribution, credits: tuple[Credit, ...]) -> Granted:
    few = tuple(each for each in credits)
    return PAPER.contribute(at, few if len(few) < 3 else ())


def grant_by_a_list_of_tuples(at: AtContribution, credits: tuple[Credit, ...]) -> Granted:
    wrapped, nothing = [], []
    for credit in credits:
        wrapped.append((credit,))
        nothing.append(replace(credit, contributions=()))
    return PAPER.contribute(at, tuple(nothing) if len(wrapped) > 1 else credits)


def grant_if_all_fit(at: AtContribution, credits: tuple[Credit, ...]) -> Granted:
    wanted = [part.value for credit in credits for part in credit.contributions]
    nothing = tuple(replace(credit, contributions=()) for credit in credits)
    fits = sum(wanted) <= at.limits.contribution_budget
    return PAPER.contribute(at, credits if fits else nothing)


def grant_if_none_is_large(at: AtContribution, credits: tuple[Credit, ...]) -> Granted:
    nothing = tuple(replace(credit, contributions=()) for credit in credits)
    large = any(len(credit.contributions) > 1 for credit in credits)
    return PAPER.contribute(at, nothing if large else credits)


def grant_to_one_unit(at: AtContribution, credits: tuple[Credit, ...]) -> Granted:
    nothing = tuple(replace(credit, contributions=()) for credit in credits)
    several = len({credit.unit for credit in credits}) > 1
    return PAPER.contribute(at, nothing if several else credits)


def grant_to_one_of_a_mapping(at: AtContribution, credits: tuple[Credit, ...]) -> Granted:
    nothing = tuple(replace(credit, contributions=()) for credit in credits)
    several = len({credit.unit: credit.contributions for credit in credits}) > 1
    return PAPER.contribute(at, nothing if several else credits)


NOTED = Answer(released=[])  # type: ignore[arg-type]


def grant_by_what_was_noted(at: AtContribution, credits: tuple[Credit, ...]) -> Granted:
    found = []
    for credit in credits:
        NOTED.released.append(credit.unit)  # type: ignore[attr-defined]
        found.append(credit if len(NOTED.released) < 9 else replace(credit, contributions=()))
    return PAPER.contribute(at, tuple(found))


def grant_by_another_budget(at: AtContribution, credits: tuple[Credit, ...]) -> Granted:
    spent = at.client.budgets.get("house", Budget())
    return PAPER.contribute(at, credits if spent.value < 9 else ())


def grant_another_unit(at: AtContribution, credits: tuple[Credit, ...]) -> Granted:
    return PAPER.contribute(at, tuple(replace(each, unit="house") for each in credits))


def grant_twice(at: AtContribution, credits: tuple[Credit, ...]) -> Granted:
    budgets, granted = PAPER.contribute(at, credits)
    return budgets, granted + granted


def match_the_truthful(at: AtEventTrigger, record: SourceRecord) -> bool:
    return at.cause.trigger_id != "pilot" or record.response is None


def match_by_another(at: AtEventTrigger, record: SourceRecord) -> bool:
    return all(each.response is None for each in at.client.records)


def match_by_the_client(at: AtEventTrigger, record: SourceRecord) -> bool:
    return at.client == EventClient()


def match_a_changed_record(at: AtEventTrigger, record: SourceRecord) -> bool:
    return PAPER.event_matches(at, replace(record, active=record.response is None))


def number_credits_to_come(at: AtTrigger, draw: Draw) -> Decided:
    client, credits = PAPER.attribute(at, draw)
    found: list[Credit] = []
    numbered = enumerate(found)
    for each in credits:
        found.append(Credit(unit=f"pool {each.unit}", contributions=()))
    return client, tuple(each for _, each in numbered)


def number_credits_and_forge_one(at: AtTrigger, draw: Draw) -> Decided:
    found = [Credit(unit=each.source_id, contributions=()) for each in at.client.sources]
    numbered = enumerate(found)
    found.append(Credit(unit="house", contributions=()))
    return at.client, tuple(each for _, each in numbered)


def grant_by_what_was_set_again(at: AtContribution, credits: tuple[Credit, ...]) -> Granted:
    last = 0

    def first() -> bool:
        return last == 0

    kept: list[Credit] = []
    for each in credits:
        if first():
            kept.append(each)
        last = 1
    return PAPER.contribute(at, tuple(kept))


def select_by_what_is_not_public(at: AtService, reports: Reports) -> Sequence[Report]:
    hidden: Any = reports
    found: Any = PAPER.batch(at, tuple(x for x, _ in zip(reports, range(3), strict=hidden)))
    return found  # type: ignore[no-any-return]


def grant_by_place(at: AtContribution, credits: tuple[Credit, ...]) -> Granted:
    return PAPER.contribute(at, tuple(each for place, each in enumerate(credits) if place < 2))


def credit_the_truthful(at: AtEventTrigger) -> tuple[Unit, ...]:
    known = sorted(at.client.records, key=lambda each: each.response is None)
    return tuple(each.source.source_id for each in known)[:1]


def count_for_the_first(at: AtEventTrigger, credited: tuple[Unit, ...]) -> EventClient:
    return PAPER.register_event_trigger(at, credited[:1])


def enter_by_half(_: AtService, report: Report) -> tuple[Hashable, ...]:
    return (report.report_id / 2,)


def enter_by_the_day(at: AtService, report: Report) -> tuple[Hashable, ...]:
    return ((report.report_id, at.now // 86400), at.now)


@dataclass(frozen=True, slots=True, kw_only=True)
class Marked(Report):
    """Be a report of another kind."""


def enter_by_time_or_kind(at: AtService, report: Report) -> tuple[Hashable, ...]:
    place = report.report_id if isinstance(report, Marked) else at.now % 7
    return (place,)


def enter_by_time_in_a_pair_or_kind(at: AtService, report: Report) -> tuple[Hashable, ...]:
    place: Hashable = (report.report_id, at.now)
    if isinstance(report, Marked):
        place = report.report_id
    return (place,)


def admit_by_a_quotient(
    at: AtContribution, unit: Unit, spent: Budget, contribution: Contribution
) -> tuple[Budget, bool]:
    if contribution.value // (at.limits.contribution_budget - 5) > 3:
        return spent, False
    return PAPER.admit(at, unit, spent, contribution)


def admit_by_a_share(
    at: AtContribution, unit: Unit, spent: Budget, contribution: Contribution
) -> tuple[Budget, bool]:
    if contribution.value % at.limits.delta > 0:
        return spent, False
    return PAPER.admit(at, unit, spent, contribution)


def send_as_often_as_granted(at: AtContribution, granted: tuple[Credit, ...]) -> tuple[Sent, ...]:
    sent = PAPER.send(at, granted)
    assert isinstance(sent, tuple)
    return tuple(each for each, _ in zip(sent, granted, strict=False))


REFUSED: tuple[tuple[str, Callable[..., object]], ...] = (
    *(
        ("reveal", rule)
        for rule in (
            *(
                in_a_function,
                by_a_default,
                by_calling_until,
                by_sorting,
                by_equality,
                by_membership,
                by_hash,
                by_text,
            ),
            *(late_in_a_large_batch, on_a_rare_answer, by_asking_a_rule),
            *(by_asking_the_papers_rule, by_a_helper, by_memory, by_an_error),
        )
    ),
    *(
        ("answer", rule)
        for rule in (
            *(by_a_loop, by_a_loop_inside, for_another_epsilon, under_other_rules),
            with_a_true_sum,
        )
    ),
    *(
        ("serve", rule)
        for rule in (
            *(either_state, a_new_ledger, a_new_service, twice_from_one_state),
            *(a_state_from_a_list, keep_the_reports, answer_alone),
        )
    ),
    *(
        ("settle", rule)
        for rule in (settle_for_half, settle_and_forget, settle_for_nothing, settle_some)
    ),
    *(("batch", rule) for rule in (batch_twice, batch_of_changed, select_by_what_is_not_public)),
    *(
        ("attribute", rule)
        for rule in (
            *(credit_by_name, credit_a_changed_source, credit_another_unit),
            *(append_a_forged_credit, forge_in_a_list, forge_in_a_function),
        )
    ),
    *(("attribute", rule) for rule in (number_credits_to_come, number_credits_and_forge_one)),
    ("propose", propose_for_the_day),
    ("event_attribute", credit_the_truthful),
    ("register_event_trigger", count_for_the_first),
    *(
        ("budget_entries", rule)
        for rule in (
            *(enter_by_half, enter_by_the_day, enter_by_time_or_kind),
            enter_by_time_in_a_pair_or_kind,
        )
    ),
    *(("admit", rule) for rule in (admit_by_a_quotient, admit_by_a_share)),
    ("send", send_as_often_as_granted),
    *(
        ("event_matches", rule)
        for rule in (
            *(match_the_truthful, match_by_another, match_by_the_client),
            match_a_changed_record,
        )
    ),
    *(
        ("contribute", rule)
        for rule in (
            *(grant_all, grant_until_one_is_large, grant_what_is_left_of_all, grant_by_a_list),
            *(grant_by_a_longer_list, grant_unless_another_is_large, grant_unless_any_is_large),
            *(grant_unless_a_function_says_so, grant_by_the_list_so_far),
            *(grant_by_number, grant_by_another_budget, grant_another_unit, grant_twice),
            *(grant_by_a_list_of_tuples, grant_if_all_fit, grant_if_none_is_large),
            *(grant_by_what_was_set_again, grant_by_place),
            *(grant_to_one_unit, grant_to_one_of_a_mapping, grant_by_what_was_noted),
        )
    ),
)


@pytest.mark.parametrize(("field", "rule"), REFUSED, ids=lambda each: getattr(each, "__name__", ""))
def test_nothing_slips_by(field: str, rule: Callable[..., object]) -> None:
    core = core_of(
        replace(changed(field, rule), **SEVERAL_CREDITS if field == "contribute" else {})
    )
    assert getattr(core.rules, field) is rule
    assert core.kept[field]


def test_a_class_with_code_of_its_own_is_refused() -> None:
    scope: dict[str, Any] = {"__name__": "somewhere"}
    run_text("def reveal(at, batch, outcome):\n    return outcome, at.query.told()", scope)
    assert core_of(replace(PAPER, reveal=scope["reveal"])).kept == {}
    run_text("class Telling:\n    def told(self):\n        return 1", scope)
    core = core_of(replace(PAPER, reveal=scope["reveal"]))
    assert core.kept == {"reveal": "the class Telling, which has code of its own"}


def test_variables_around_a_rule_may_change() -> None:
    def around(seen: int) -> Callable[..., Hashable]:
        return lambda at, batch, outcome: (outcome, seen)

    core = core_of(replace(PAPER, reveal=around(1)))
    assert core.kept["reveal"].startswith("variables around the function")


def test_a_service_that_begins_with_a_list_is_refused() -> None:
    log: Any = []
    begun = replace(PAPER.initial, service=Keeping(answers=log))
    assert left(replace(PAPER, initial=begun)) == ["initial"]
    assert left(replace(PAPER, initial=replace(begun, service=Keeping()))) == []


def test_a_rule_that_is_left_keeps_the_service_that_it_was_written_for() -> None:
    def serve(at: AtService, reports: tuple[Report, ...], draw: Draw) -> tuple[Service, Hashable]:
        assert isinstance(at.service, Keeping)
        return PAPER.serve(at, reports, draw)

    begun = replace(PAPER.initial, service=Keeping())
    rules = replace(PAPER, initial=begun, serve=serve)
    assert left(rules) == ["serve", "initial"]
    core = core_of(rules)
    assert core.rules.initial is begun
    assert core.kept["initial"] == "the service begins with more, and serve is run with it"


def test_a_free_rule_beside_a_class_with_code_is_not_proved() -> None:
    scope: dict[str, Any] = {"__name__": "somewhere", "PAPER": PAPER}
    run_text("def matches(at, source):\n    return PAPER.matches(at, source)", scope)
    run_text("class Light(tuple):\n    def __iter__(self):\n        return iter(())", scope)
    found = CHECK.run(replace(PAPER, matches=scope["matches"]))
    assert found.verdict is Verdict.UNKNOWN
    assert found.detail.endswith("matches changed (the class Light, which has code of its own)")


def test_built_in_names_of_ones_own_are_refused() -> None:
    scope: dict[str, Any] = {"__name__": "somewhere", "__builtins__": {"len": lambda _: 1}}
    run_text("def reveal(at, batch, outcome):\n    return outcome, len(batch)", scope)
    core = core_of(replace(PAPER, reveal=scope["reveal"]))
    assert core.kept["reveal"].startswith("built-in names of its own")


def changed(field: str, rule: Callable[..., object]) -> Rules:
    change: dict[str, Any] = {field: rule}
    return replace(PAPER, **change)


# What is public may be used in any way.


def with_a_coin(at: AtService, batch: Reports, draw: Draw) -> Answer:
    noisy = PAPER.answer(at, batch, draw)
    return noisy if draw(coin(Spent().epsilon + 1)) else Answer()


def with_everything_public(at: AtService, batch: Reports, outcome: Outcome) -> Hashable:
    shown: list[object] = []
    for place, report in enumerate(at.query.report_ids):
        if report % 2 and at.now > 10:
            shown.append((place, at.service.ledger.get(report, Spent()).epsilon))
    by_id = {report.report_id: len(batch) for report in batch}
    threshold = at.rules.threshold(at, batch)
    released = outcome.released if isinstance(outcome, Answer) else ()
    lowest = min((noisy for _, noisy in released), default=threshold or 0)
    return outcome, tuple(shown), tuple(by_id.items()), f"{lowest:>9}", [*shown, at.limits.epsilon]


def in_two_halves(at: AtService, reports: Reports, draw: Draw) -> tuple[Service, Hashable]:
    half = replace(at, query=replace(at.query, epsilon=at.query.epsilon / 2))
    service, first = PAPER.serve(half, reports, draw)
    half = replace(half, service=service)
    service, second = PAPER.serve(half, tuple(each for each in reports), draw)
    return service, (first, second)


def only_the_even(at: AtService, reports: Reports) -> object:
    return PAPER.batch(at, tuple(each for each in reports if each.report_id % 2 == 0))


def settled_and_hidden(at: AtService, batch: Reports) -> Settled:
    settled: Any = PAPER.settle(at, batch)
    ledger, accepted = settled
    if accepted is None or len(batch) > 1000:
        return ledger, None
    return ledger, accepted


def to_every_source(at: AtTrigger, draw: Draw) -> Decided:
    if draw(coin(Spent().epsilon + 1)):
        return PAPER.attribute(at, draw)
    found = []
    for source in at.client.sources:
        if source.registered_at > at.now - 100 and at.rules.matches(at, source):
            parts = at.rules.contributions(at, source)
            found.append(Credit(unit=source.source_id, contributions=parts))
    return at.client, tuple(found)


def to_no_source(at: AtTrigger, draw: Draw) -> Decided:
    return at.client, ()


def one_part_each(at: AtContribution, credits: tuple[Credit, ...]) -> Granted:
    found = []
    for credit in credits:
        parts: list[Contribution] = []
        spent = at.client.budgets.get(credit.unit, Budget())
        for part in credit.contributions:
            if spent.value + part.value < at.limits.contribution_budget and not parts:
                parts.append(part)
        if parts:
            found.append(replace(credit, contributions=tuple(parts)))
    return PAPER.contribute(at, tuple(found))


def match_the_newest(at: AtEventTrigger, record: SourceRecord) -> bool:
    newest = max(each.registered_at for each in at.client.records)
    known = record.registered_at == newest and record.sent < 2
    return known and PAPER.event_matches(at, record)


SEVERAL_CREDITS: dict[str, Any] = {"attribute": to_every_source}


@pytest.mark.parametrize(
    ("field", "rule"),
    [
        ("event_matches", match_the_newest),
        ("attribute", to_every_source),
        ("attribute", to_no_source),
        ("contribute", one_part_each),
        ("answer", with_a_coin),
        ("reveal", with_everything_public),
        ("serve", in_two_halves),
        ("batch", only_the_even),
        ("settle", settled_and_hidden),
    ],
)
def test_what_is_public_may_be_used_in_any_way(field: str, rule: Callable[..., object]) -> None:
    core = core_of(changed(field, rule))
    assert core.kept == {}
    assert getattr(core.rules, field) is getattr(PAPER, field)


def test_the_papers_functions_written_down_again_are_the_papers() -> None:
    rules = rules_of_proposal("key_discovery")
    assert core_of(rules).rules.keys is PAPER.keys
    assert core_of(rules_of_proposal("null_report_when_denied")).rules.send is PAPER.send


def rules_of_proposal(name: str) -> Rules:
    rules: Rules = loaded(HERE.parent / "proposals" / f"{name}.py").RULES
    return rules


def other_keys(at: AtService, batch: Reports) -> tuple[int, ...]:
    if not at.query.discovers_keys:
        return tuple(dict.fromkeys(at.query.keys))
    return tuple(sorted({part.value for report in batch for part in report.contributions}))


def test_other_functions_are_not() -> None:
    rules = replace(PAPER, keys=other_keys)
    assert core_of(rules).rules.keys is other_keys


def test_code_without_its_source_is_not_followed() -> None:
    scope: dict[str, Any] = {"__name__": "somewhere"}
    exec("def reveal(at, batch, outcome):\n    return outcome, 1", scope)
    core = core_of(replace(PAPER, reveal=scope["reveal"]))
    assert "has no source that is its own" in core.kept["reveal"]


def asserting(condition: str) -> Rules:
    """Return rules whose charge asserts something; the file is compiled as a proposal's is."""
    lines = (f"assert {condition}", "return PAPER.charge(at, spent, report)")
    text = "\n    ".join(("def charge(at, spent, report):", *lines))
    scope: dict[str, Any] = {"PAPER": PAPER, "__name__": __name__}
    run_text(text, scope)
    return replace(PAPER, charge=scope["charge"])


def test_an_assertion_of_what_is_public_ends_a_way() -> None:
    assert core_of(asserting("spent.queries < 100, f'{spent} is charged too often'")).kept == {}


@pytest.mark.parametrize("condition", ["report.is_null", "0 > spent.queries < 1 or report.is_null"])
def test_an_assertion_of_what_is_not_public_is_kept(condition: str) -> None:
    assert "is_null of a report" in core_of(asserting(condition)).kept["charge"]


def test_a_rule_that_never_returns_is_no_rule() -> None:
    assert core_of(asserting("False")).kept == {"charge": "a rule that never returns"}
