from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement, permutations, product
from typing import TYPE_CHECKING, TypeVar

import pytest
from immutables import Map

from spec.attribution_client import DuplicateSource, Source, Trigger
from spec.distributions import Distribution, Draw, Law, explore
from spec.event_client import (
    BadTriggerData,
    BeyondLimits,
    EventClient,
    EventReport,
    EventSource,
    EventTrigger,
    NotIncreasing,
    SourceRecord,
    TriggerData,
    TriggerSpecification,
    UnknownSource,
    event_attribute,
    event_matches,
    event_visible,
    pass_window,
    pass_windows,
    register_event_source,
    register_event_trigger,
    report_truthfully,
    response_law,
)
from spec.event_outputs import Output, OutputSet, output_set
from spec.numbers import Base, NotWhole
from spec.paper import PAPER
from spec.reports import BadValue
from spec.rules import OnDevice, Rules
from spec.system import Move, Observation, PassTime, System, TimeRunsBackwards, step

if TYPE_CHECKING:
    from spec.contributions import Unit
    from spec.rules import AtEventTrigger

DAY = 24 * 60 * 60

# Base 2 makes every probability rational.
RULES = replace(
    PAPER, limits=replace(PAPER.limits, base=Base(Fraction(2)), event_epsilon=Fraction(1))
)


class Fixed:
    """Draw a fixed response, and insist that it is possible; return a plain value as it is."""

    def __init__(self, response: Output | None) -> None:
        self.response = response

    def __call__(self, law: object) -> object:
        if not isinstance(law, Law):
            return law
        assert self.response in dict(law.outcomes())
        return self.response


def fixed(response: Output | None) -> Draw:
    return Fixed(response)  # type: ignore[return-value]


TRUTH = fixed(None)


def specification(
    data: TriggerData, windows: tuple[int, ...], buckets: tuple[int, ...]
) -> TriggerSpecification:
    return TriggerSpecification(data=data, windows=windows, buckets=buckets)


SHOES = EventSource(
    source_id="s",
    destination="shoes-website.com",
    expiry=30 * DAY,
    filters=frozenset({"shoes"}),
    maximum_reports=3,
    specifications=(
        specification("sneakers", (2 * DAY, 7 * DAY), (20, 70)),
        specification("sandals", (1 * DAY, 5 * DAY), (10, 50)),
    ),
)
SHOES_OUTPUTS = OutputSet(maximum_reports=3, windows=(2, 2), buckets=(2, 2))


def bought(data: TriggerData, value: int, **changes: object) -> EventTrigger:
    trigger = EventTrigger(
        trigger_id="t",
        destination="shoes-website.com",
        filters=frozenset({"shoes"}),
        data=data,
        value=value,
    )
    return replace(trigger, **changes)  # type: ignore[arg-type]


C = TypeVar("C", EventSource, EventTrigger, None)


def on(
    client: EventClient, cause: C, now: int = 0, rules: Rules = RULES
) -> OnDevice[EventClient, C]:
    """Return what the client's rules see."""
    return OnDevice(rules=rules, now=now, client=client, cause=cause)


def registered(*sources: EventSource, draw: Draw = TRUTH, rules: Rules = RULES) -> EventClient:
    client = EventClient()
    for source in sources:
        client = register_event_source(on(client, source, rules=rules), source, draw)
    return client


def credited(client: EventClient, trigger: EventTrigger, now: int = 0) -> tuple[Unit, ...]:
    return event_attribute(on(client, trigger, now))


def triggered(client: EventClient, trigger: EventTrigger, now: int = 0) -> EventClient:
    return register_event_trigger(on(client, trigger, now), credited(client, trigger, now))


def passed(
    client: EventClient, since: int, until: int, draw: Draw = TRUTH
) -> tuple[EventClient, tuple[EventReport, ...]]:
    """Let the windows pass that end after a moment and not after another."""
    return pass_windows(on(client, None, until), since, draw)


def record_of(client: EventClient, source_id: str) -> SourceRecord:
    (record,) = (each for each in client.records if each.source.source_id == source_id)
    return record


def sent(source_id: str, *reports: tuple[TriggerData, int]) -> tuple[EventReport, ...]:
    return tuple(
        EventReport(source_id=source_id, data=data, bucket=bucket) for data, bucket in reports
    )


def week_of_purchases(client: EventClient) -> tuple[EventClient, dict[int, list[EventReport]]]:
    """Run the paper's example and return the reports of each day."""
    purchases = {
        1: ("sneakers", 30),
        2: ("sandals", 60),
        4: ("sneakers", 65),
        6: ("sneakers", 10),
    }
    by_day: dict[int, list[EventReport]] = {}
    for day in range(1, 8):
        if day in purchases:
            client = triggered(client, bought(*purchases[day]), day * DAY - 100)
        client, reports = passed(client, (day - 1) * DAY, day * DAY)
        by_day[day] = list(reports)
    return client, by_day


# The worked example.


def test_the_example_sends_the_reports_of_the_paper() -> None:
    client, by_day = week_of_purchases(registered(SHOES))
    assert {day: reports for day, reports in by_day.items() if reports} == {
        2: list(sent("s", ("sneakers", 20))),
        5: list(sent("s", ("sandals", 10), ("sandals", 50))),
    }
    record = record_of(client, "s")
    assert record.values == Map({"sneakers": 105, "sandals": 60})
    assert record.sent == 3


def test_the_example_marks_the_source_inactive_on_day_seven_and_not_before() -> None:
    client, _ = week_of_purchases(registered(SHOES))
    assert not record_of(client, "s").active
    assert credited(client, bought("sneakers", 5), 8 * DAY) == ()


def test_the_example_has_27_outputs() -> None:
    assert output_set(on(EventClient(), SHOES), SHOES) == SHOES_OUTPUTS
    assert SHOES_OUTPUTS.size() == 27


def test_one_long_wait_sends_what_seven_short_ones_send() -> None:
    client = triggered(registered(SHOES), bought("sneakers", 30), DAY)
    _, at_once = passed(client, DAY - 1, 7 * DAY)
    in_steps: tuple[EventReport, ...] = ()
    for day in range(1, 8):
        client, reports = passed(client, (day - 1) * DAY, day * DAY)
        in_steps += reports
    assert at_once == in_steps == sent("s", ("sneakers", 20))


# Choices where the text and the pseudocode differ (B6, B12).

OLD = replace(SHOES, source_id="old", specifications=(specification("boots", (DAY,), (1,)),))
NEW = replace(SHOES, source_id="new")


def test_a_source_that_does_not_list_the_datum_is_passed_over() -> None:
    client = registered(OLD, NEW)
    assert credited(client, bought("boots", 5), 0) == ("old",)


def test_a_rule_sees_also_sources_that_do_not_list_the_datum() -> None:
    looked_at: list[str] = []

    def event_matches(at: AtEventTrigger, record: SourceRecord) -> bool:
        looked_at.append(record.source.source_id)
        return PAPER.event_matches(at, record)

    rules = replace(RULES, event_matches=event_matches)
    assert event_attribute(on(registered(OLD, NEW), bought("boots", 5), 0, rules)) == ("old",)
    assert looked_at == ["new", "old"]


def test_the_other_reading_that_ignores_such_a_trigger_is_one_rule_away() -> None:
    client = registered(OLD, NEW)
    after = register_event_trigger(on(client, bought("boots", 5)), ("new",))
    assert after.records == client.records


def test_the_newest_matching_source_wins() -> None:
    client = registered(replace(SHOES, source_id="first"), NEW)
    assert credited(client, bought("sandals", 5), 0) == ("new",)


def test_an_expired_source_is_passed_over_but_still_reports() -> None:
    source = replace(SHOES, expiry=DAY)
    client = triggered(registered(source), bought("sneakers", 20), DAY - 1)
    assert credited(client, bought("sneakers", 20), DAY - 1) == ("s",)
    assert credited(client, bought("sneakers", 20), DAY) == ()
    client, reports = passed(client, 0, 2 * DAY)
    assert reports == sent("s", ("sneakers", 20))


def test_a_source_whose_reports_are_used_up_makes_way_at_its_next_window() -> None:
    single = replace(SHOES, source_id="single", maximum_reports=1)
    client = triggered(registered(SHOES, single), bought("sandals", 60))
    client, reports = passed(client, 0, DAY)
    assert reports == sent("single", ("sandals", 10))
    assert credited(client, bought("sneakers", 5), DAY) == ("single",)
    client, _ = passed(client, DAY, 2 * DAY)
    assert credited(client, bought("sneakers", 5), 2 * DAY) == ("s",)


def test_expired_sources_stay_registered_and_rules_see_them() -> None:
    """That a source has expired is decided by the rule `event_matches`."""
    client = registered(replace(SHOES, expiry=10))
    rules = replace(RULES, event_matches=lambda at, record: True)
    given = bought("sandals", 1)
    assert credited(client, given, 10) == ()
    assert event_attribute(on(client, given, 10, rules)) == ("s",)


def test_sources_are_kept_and_scanned_newest_first_with_their_times() -> None:
    looked_at: list[str] = []

    def event_matches(at: AtEventTrigger, record: SourceRecord) -> bool:
        looked_at.append(record.source.source_id)
        return False

    system = played(SHOES, PassTime(until=5), NEW)[0]
    client = system.events["device"]
    kept = [(each.source.source_id, each.registered_at) for each in client.records]
    assert kept == [("new", 5), ("s", 0)]
    event_attribute(
        on(client, bought("sandals", 1), 5, replace(RULES, event_matches=event_matches))
    )
    assert looked_at == ["new", "s"]


def test_no_common_filter_means_no_match_and_so_do_empty_filters() -> None:
    def matched(source: EventSource, **changes: object) -> bool:
        record = SourceRecord(source=source, registered_at=0)
        return event_matches(on(EventClient(), bought("sandals", 1, **changes)), record)

    assert matched(SHOES)
    assert not matched(SHOES, filters=frozenset({"hats"}))
    assert not matched(SHOES, filters=frozenset())
    assert not matched(replace(SHOES, filters=frozenset()), filters=frozenset())
    assert not matched(SHOES, destination="elsewhere")


def test_a_trigger_without_value_or_destination_is_attributed_to_nobody() -> None:
    client = registered(SHOES)
    assert credited(client, bought("sandals", 0), 0) == ()
    assert credited(client, bought("sandals", 1, destination="x"), 0) == ()


def test_the_last_bucket_moves_on_even_if_the_maximum_keeps_the_report_back() -> None:
    record = SourceRecord(
        source=replace(SHOES, maximum_reports=1), registered_at=0, values=Map({"sandals": 60})
    )
    record, reports = report_truthfully(record, SHOES.specifications[1])
    assert reports == sent("s", ("sandals", 10))
    assert (record.reported["sandals"], record.sent) == (50, 1)


# The noisy client.


def test_a_drawn_response_is_sent_whatever_happens() -> None:
    response = ((1, 1), (0, 1))
    _, by_day = week_of_purchases(registered(SHOES, draw=fixed(response)))
    assert {day: reports for day, reports in by_day.items() if reports} == {
        2: list(sent("s", ("sneakers", 20))),
        5: list(sent("s", ("sandals", 10))),
        7: list(sent("s", ("sneakers", 70))),
    }
    _, quiet = passed(registered(SHOES, draw=fixed(response)), 0, 7 * DAY)
    assert list(quiet) == [report for day in sorted(by_day) for report in by_day[day]]


def test_the_response_changes_reports_but_neither_accounts_nor_attribution() -> None:
    truthful, _ = week_of_purchases(registered(SHOES))
    for response in SHOES_OUTPUTS:
        noisy, _ = week_of_purchases(registered(SHOES, draw=fixed(response)))
        assert replace(record_of(noisy, "s"), response=None) == record_of(truthful, "s")


def test_the_response_law_is_that_of_the_paper() -> None:
    law = dict(response_law(on(EventClient(), SHOES), SHOES).outcomes())
    assert law[None] == Fraction(2 - 1, 2 + 27 - 1)
    assert len(law) == 28
    assert all(law[output] == Fraction(1, 28) for output in SHOES_OUTPUTS)


def test_the_noisy_client_sends_each_output_with_its_exact_probability() -> None:
    def run(draw: Draw) -> tuple[tuple[EventReport, ...], ...]:
        client = triggered(registered(SHOES, draw=draw), bought("sandals", 60))
        days: tuple[tuple[EventReport, ...], ...] = ()
        for day in range(7):
            client, reports = passed(client, day * DAY, (day + 1) * DAY, draw)
            days += (reports,)
        return days

    law = explore(run)
    assert len(law.support()) == 27
    truth = (sent("s", ("sandals", 10), ("sandals", 50)), *[()] * 6)
    assert law.probability_of(truth) == Fraction(2, 28)
    assert all(law.probability_of(other) == Fraction(1, 28) for other in law if other != truth)


def test_a_drawn_response_does_not_change_the_summary_reports() -> None:
    """The same source for both kinds of report: every response leaves one summary report."""
    moves = (
        Source(
            source_id="s",
            destination=SHOES.destination,
            expiry=SHOES.expiry,
            filters=SHOES.filters,
            key=1,
        ),
        SHOES,
        Trigger(report_id=1, destination=SHOES.destination, filters=SHOES.filters, key=2, value=7),
        bought("sandals", 60),
        PassTime(until=7 * DAY),
    )

    def run(draw: Draw) -> tuple[System, tuple[object, ...]]:
        system = System()
        seen: tuple[object, ...] = ()
        for move in moves:
            system, shown = step(RULES, system, move, draw)
            seen += shown
        return system, seen

    law = explore(run)
    assert len({system.events for system, _ in law}) == 28
    assert len({system.attribution for system, _ in law}) == 1
    assert len({system.reports for system, _ in law}) == 1
    (report,) = law.support()[0][0].reports.values()
    assert [(each.key, each.value) for each in report.contributions] == [(3, 7)]
    assert len({seen for _, seen in law}) > 1, "the event-level reports do differ"


def test_the_rules_decide_the_output_set_and_the_truth_probability() -> None:
    changed = replace(
        RULES,
        output_set=lambda _at, _source: OutputSet(
            maximum_reports=0, windows=(2, 2), buckets=(0, 0)
        ),
        truth_probability=lambda _power, _size: Fraction(1, 3),
    )
    nothing = ((0, 0), (0, 0))
    assert dict(response_law(on(EventClient(), SHOES, rules=changed), SHOES).outcomes()) == {
        None: Fraction(1, 3),
        nothing: Fraction(2, 3),
    }


def test_the_ad_tech_sees_the_report() -> None:
    report = EventReport(source_id="s", data="sandals", bucket=10)
    assert event_visible(on(EventClient(), None), report) == report


# Every truthful prefix extends to an output, for every order of windows (A5, C5).


def interleavings(windows: tuple[int, ...]) -> Iterator[tuple[tuple[int, int], ...]]:
    """List every order in which windows can pass, with each datum's windows in their order."""
    data = [datum for datum, count in enumerate(windows) for _ in range(count)]
    for order in sorted(set(permutations(data))):
        passed = [0] * len(windows)
        steps = []
        for datum in order:
            steps.append((datum, passed[datum]))
            passed[datum] += 1
        yield tuple(steps)


def small_sources() -> Iterator[EventSource]:
    for maximum, shape in product(
        range(5),
        [((1, 1),), ((2, 2),), ((1, 1), (1, 2)), ((2, 2), (1, 1)), ((1, 2),) * 2, ((2, 2), (2, 2))],
    ):
        yield replace(
            SHOES,
            maximum_reports=maximum,
            specifications=tuple(
                specification(datum, tuple(range(1, windows + 1)), tuple(range(1, buckets + 1)))
                for datum, (windows, buckets) in enumerate(shape)
            ),
        )
    yield replace(
        SHOES,
        specifications=(specification(0, (1, 2), (1, 2)), specification(1, (1, 2), (2, 3))),
    )


def leaves_the_output_set(
    outputs_of: Callable[[EventSource], OutputSet],
) -> tuple[int, list[Output]]:
    """Run every small source on every history; count the runs, list the prefixes outside.

    Before each window any datum may gain any value, up to its greatest bucket.
    """
    seen, strangers = 0, []
    for source in small_sources():
        outputs = outputs_of(source)
        tops = [max(each.buckets) for each in source.specifications]
        for order in interleavings(tuple(len(each.windows) for each in source.specifications)):
            start: Output = ((),) * len(tops)
            runs = {(SourceRecord(source=source, registered_at=0), start)}
            for datum, window in order:
                after = set()
                for record, prefix in runs:
                    lows = [record.values.get(data, 0) for data in range(len(tops))]
                    gains = [range(low, top + 1) for low, top in zip(lows, tops, strict=True)]
                    for values in product(*gains):
                        richer = replace(record, values=Map(dict(enumerate(values))))
                        passed, reports = pass_window(richer, datum, window)
                        counts = (*prefix[datum], len(reports))
                        longer = (*prefix[:datum], counts, *prefix[datum + 1 :])
                        after.add((passed, longer))
                        if not outputs.extends(longer):
                            strangers.append(longer)
                runs = after
                seen += len(runs)
    return seen, strangers


def test_every_truthful_prefix_extends_to_an_output_for_every_order_of_windows() -> None:
    runs, strangers = leaves_the_output_set(
        lambda source: output_set(on(EventClient(), source), source)
    )
    assert runs > 3000
    assert strangers == []


@pytest.mark.parametrize("lost", ["maximum", "bucket"])
def test_an_output_set_that_is_too_small_is_caught(lost: str) -> None:
    def too_small(source: EventSource) -> OutputSet:
        outputs = output_set(on(EventClient(), source), source)
        if lost == "maximum":
            return replace(outputs, maximum_reports=max(outputs.maximum_reports - 1, 0))
        return replace(outputs, buckets=tuple(count - 1 for count in outputs.buckets))

    _, strangers = leaves_the_output_set(too_small)
    assert strangers


def test_every_output_is_sent_by_some_history() -> None:
    """The output set holds nothing that the noiseless client cannot send."""
    steps = [0, 10, 20, 50, 70]
    seen = set()
    for sandals, sneakers in product(
        combinations_with_replacement(steps, 2), combinations_with_replacement(steps, 2)
    ):
        client, since = registered(SHOES), 0
        counts: dict[tuple[TriggerData, int], int] = {}
        for day, data, position, value in (
            (1, "sandals", 0, sandals[0]),
            (2, "sneakers", 0, sneakers[0]),
            (5, "sandals", 1, sandals[1] - sandals[0]),
            (7, "sneakers", 1, sneakers[1] - sneakers[0]),
        ):
            client = triggered(client, bought(data, value), day * DAY - 1)
            client, reports = passed(client, since, day * DAY)
            since = day * DAY
            counts[data, position] = len(reports)
        seen.add(tuple((counts[d, 0], counts[d, 1]) for d in ("sneakers", "sandals")))
    assert seen == set(SHOES_OUTPUTS)


# Bad input: a named exception with the value, and the state unchanged.


@pytest.mark.parametrize("windows", [(0,), (-1,), (5, 5), (7, 2)])
def test_windows_and_buckets_must_be_positive_and_increase(windows: tuple[int, ...]) -> None:
    with pytest.raises(NotIncreasing, match="windows.*" + str(windows[-1])):
        specification(0, windows, (1,))
    with pytest.raises(NotIncreasing, match="buckets.*" + str(windows[-1])):
        specification(0, (1,), windows)


def test_windows_and_buckets_must_be_whole() -> None:
    with pytest.raises(NotWhole, match=r"windows.*1\.5"):
        specification(0, (1.5,), (1,))  # type: ignore[arg-type]
    with pytest.raises(NotWhole, match=r"buckets.*nan"):
        specification(0, (1,), (float("nan"),))  # type: ignore[arg-type]


@pytest.mark.parametrize("data", [True, 1.0, None, ("a",)])
def test_a_trigger_datum_is_a_number_or_a_string(data: object) -> None:
    with pytest.raises(BadTriggerData, match=str(data).replace("(", ".").replace(")", ".")):
        specification(data, (1,), (1,))  # type: ignore[arg-type]
    with pytest.raises(BadTriggerData):
        bought(data, 1)  # type: ignore[arg-type]


@pytest.mark.parametrize("data", [-1, 32])
def test_a_trigger_datum_that_is_a_number_has_five_bits(data: int) -> None:
    with pytest.raises(BadTriggerData, match=f"5 bits, not {data}"):
        bought(data, 1)
    with pytest.raises(BadTriggerData, match=f"5 bits, not {data}"):
        specification(data, (1,), (1,))
    assert bought(31, 1).data == 31


def test_a_datum_is_listed_once() -> None:
    with pytest.raises(BadTriggerData, match="'hats' is listed twice"):
        replace(SHOES, specifications=(specification("hats", (1,), (1,)),) * 2)


def test_values_are_natural_numbers() -> None:
    with pytest.raises(BadValue, match="-3"):
        bought("sandals", -3)
    with pytest.raises(NotWhole, match=r"2\.5"):
        bought("sandals", 2.5)  # type: ignore[arg-type]
    with pytest.raises(BadValue, match=r"maximum_reports.*-1"):
        replace(SHOES, maximum_reports=-1)
    with pytest.raises(NotWhole, match="expiry"):
        replace(SHOES, expiry=None)  # type: ignore[arg-type]


def one_datum(**changes: object) -> EventSource:
    return replace(SHOES, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (one_datum(maximum_reports=21), "at most 20 reports, not 21"),
        (
            one_datum(specifications=tuple(specification(f"d{d}", (1,), (1,)) for d in range(33))),
            "at most 32 trigger data, not 33",
        ),
        (
            one_datum(specifications=(specification(0, tuple(range(1, 7)), (1,)),)),
            "at most 5 windows, not 6",
        ),
        (
            one_datum(specifications=(specification(0, (1,), tuple(range(1, 22))),)),
            "at most 20 buckets, not 21",
        ),
    ],
)
def test_a_source_beyond_the_limits_is_refused(source: EventSource, message: str) -> None:
    with pytest.raises(BeyondLimits, match=message):
        registered(source)


def test_a_source_is_registered_once() -> None:
    client = registered(SHOES)
    before = replace(client)
    with pytest.raises(DuplicateSource, match="'s'"):
        register_event_source(on(client, SHOES), SHOES, TRUTH)
    assert client == before


@pytest.mark.parametrize("unit", ["nobody", 7, None])
def test_a_credit_to_an_unknown_source_is_refused(unit: object) -> None:
    client = registered(SHOES)
    with pytest.raises(UnknownSource, match=str(unit)):
        register_event_trigger(on(client, bought("sandals", 1)), ("s", unit))
    assert client == registered(SHOES)


def played(*moves: Move, draw: Draw = TRUTH) -> tuple[System, list[Observation]]:
    """Return the system after the moves, and what was seen."""
    system, seen = System(), []
    for move in moves:
        system, shown = step(RULES, system, move, draw)
        seen.append(shown)
    return system, seen


def test_time_does_not_go_backwards() -> None:
    system, _ = played(SHOES, PassTime(until=100))
    with pytest.raises(TimeRunsBackwards, match="100 already, not 99"):
        step(RULES, system, PassTime(until=99), TRUTH)
    with pytest.raises(NotWhole, match="until"):
        PassTime(until=200.0)  # type: ignore[arg-type]
    assert step(RULES, system, PassTime(until=100), TRUTH)[0] == system


def test_a_window_passes_once() -> None:
    reach = bought("sandals", 60)
    _, seen = played(SHOES, reach, PassTime(until=DAY), PassTime(until=DAY), PassTime(until=DAY))
    assert seen[2:] == [sent("s", ("sandals", 10), ("sandals", 50)), (), ()]


def test_a_window_that_ends_now_has_passed_before_what_is_registered_now() -> None:
    reach, end = bought("sandals", 10), PassTime(until=DAY)
    last = PassTime(until=5 * DAY)
    _, seen = played(SHOES, PassTime(until=DAY - 1), reach, end, reach, last)
    assert [*seen[3], *seen[5]] == [*sent("s", ("sandals", 10))]
    _, seen = played(SHOES, end, reach, last)
    assert seen[1] == ()
    assert seen[3] == sent("s", ("sandals", 10))


def test_the_windows_of_a_source_count_from_its_registration() -> None:
    _, seen = played(PassTime(until=DAY), SHOES, bought("sandals", 10), PassTime(until=2 * DAY - 1))
    assert seen[-1] == ()
    *_, shown = played(PassTime(until=DAY), SHOES, bought("sandals", 10), PassTime(until=2 * DAY))[
        1
    ]
    assert shown == sent("s", ("sandals", 10))


# Devices.


def test_triggers_of_a_device_see_the_sources_of_that_device_only() -> None:
    there = replace(NEW, device="tablet")
    reach = bought("sandals", 10)
    _, seen = played(SHOES, there, reach, PassTime(until=DAY))
    assert seen[-1] == sent("s", ("sandals", 10))
    moved = replace(reach, device="tablet")
    _, seen = played(SHOES, there, reach, moved, PassTime(until=DAY))
    assert seen[-1] == sent("s", ("sandals", 10)) + sent("new", ("sandals", 10))
    _, seen = played(SHOES, there, replace(reach, device="watch"), PassTime(until=DAY))
    assert seen[-1] == ()


def test_a_source_of_one_device_is_refused_on_another() -> None:
    system, _ = played(SHOES)
    with pytest.raises(DuplicateSource, match="another device"):
        step(RULES, system, replace(SHOES, device="tablet"), TRUTH)
    summary = Source(
        source_id="s", destination="x", expiry=1, filters=frozenset(), key=1, device="tablet"
    )
    with pytest.raises(DuplicateSource, match="another device"):
        step(RULES, system, summary, TRUTH)


# State.


def test_windows_at_one_moment_pass_in_the_order_of_registration() -> None:
    client = registered(SHOES, NEW, draw=fixed(((0, 0), (1, 0))))
    _, reports = passed(client, 0, DAY)
    assert reports == sent("s", ("sandals", 10)) + sent("new", ("sandals", 10))


def test_states_are_hashable_and_equal_by_content() -> None:
    assert hash(registered(SHOES)) == hash(registered(SHOES))
    assert registered(SHOES) == registered(SHOES) != registered(NEW)


def test_a_subclass_of_the_source_survives_every_step() -> None:
    class Ranked(EventSource):
        __slots__ = ()

    fields = {name: getattr(SHOES, name) for name in EventSource.__dataclass_fields__}
    client = triggered(registered(Ranked(**fields)), bought("sandals", 60))
    client, _ = passed(client, 0, DAY)
    assert isinstance(record_of(client, "s").source, Ranked)


def test_the_certain_law_is_no_special_case() -> None:
    certain = replace(RULES, truth_probability=lambda _power, _size: Fraction(1))
    law = explore(lambda draw: registered(SHOES, draw=draw, rules=certain))
    assert law == Distribution.certain(registered(SHOES))
