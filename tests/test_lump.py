"""Lumps of noisy values: rules may compare and pass them on, and are caught if they look inside."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest
from immutables import Map

from properties.game import Window, rational
from properties.lump import Inexact, Lump, OutOfWindow, apart, check_apart, lumps_in, sealed
from properties.solve import cut_window, solve
from properties.universes import event_trigger
from sandproof.guard import Guard
from spec import (
    ATTRIBUTION_FIXED,
    PAPER,
    SMALL_LIMITS,
    Answer,
    AtService,
    Base,
    DiscreteLaplace,
    Draw,
    EventClient,
    EventReport,
    EventSource,
    Outcome,
    Power,
    Query,
    Random,
    Report,
    Rules,
    Service,
    TriggerSpecification,
    Universe,
    replace,
)
from tests.small import source, trigger

if TYPE_CHECKING:
    from spec.rules import AtEventSource, AtWindows

QUARTER = Power(Base(Fraction(2)), Fraction(-2))
NOISE = DiscreteLaplace(Power(Base(Fraction(2)), Fraction(-1)))
ABOVE = cast(int, Lump(NOISE, 0, 4, above=True))
BELOW = cast(int, Lump(NOISE, 0, 4, above=False))
ONE_QUERY = Universe(
    name="one source, one trigger",
    limits=SMALL_LIMITS,
    units=("x",),
    moves=4,
    sources=(source(key=1),),
    triggers=(trigger(0, 2),),
    trigger_count=1,
    queries=(Query(epsilon=Fraction(2), keys=(1,)),),
    query_count=2,
)


def test_a_lump_is_a_number_that_can_be_compared() -> None:
    assert isinstance(ABOVE, int)
    with sealed():
        assert ABOVE > 3
        assert not ABOVE < 3
        assert ABOVE >= 3
        assert not ABOVE <= Fraction(7, 2)
        assert BELOW < 1
        assert BELOW <= 1
        assert BELOW != 1
        assert max(0, ABOVE) is ABOVE
        assert bool(ABOVE)


@pytest.mark.parametrize(
    ("look", "lowest", "highest"),
    [
        (lambda: ABOVE > 7, 0, 8),
        (lambda: ABOVE == 4, 0, 5),
        (lambda: BELOW == 0, -1, 4),
        (lambda: BELOW < -3, -4, 4),
        (lambda: ABOVE < Fraction(13, 2), 0, 8),
        (lambda: bool(BELOW), -1, 4),
    ],
)
def test_a_comparison_that_divides_a_lump_asks_for_a_wider_window(
    look: Callable[[], bool], lowest: int, highest: int
) -> None:
    with pytest.raises(OutOfWindow) as needed, sealed():
        look()
    assert (needed.value.lowest, needed.value.highest) == (lowest, highest)


@pytest.mark.parametrize(
    "look",
    [
        lambda: ABOVE + 1,
        lambda: 1 + ABOVE,
        lambda: -ABOVE,
        lambda: ABOVE // 10,
        lambda: abs(ABOVE),
        lambda: sum([ABOVE]),
        lambda: int(ABOVE),
        lambda: [1, 2, 3, 4, 5, 6][ABOVE],
        lambda: range(ABOVE),
        lambda: floor(ABOVE),
        lambda: Fraction(ABOVE),
        lambda: ABOVE.bit_length(),
        lambda: f"{ABOVE}",
        lambda: repr(ABOVE),
        lambda: {ABOVE: 1},
        lambda: ABOVE == apart(ABOVE),
        lambda: max(ABOVE, BELOW),
        lambda: ABOVE < cast(int, "text"),
    ],
)
def test_a_rule_that_looks_into_a_lump_is_refused_even_if_it_handles_the_error(
    look: Callable[[], object],
) -> None:
    with pytest.raises(Inexact), sealed():
        look()
    with pytest.raises(Inexact), sealed(), suppress(Inexact):
        look()


def test_outside_of_rules_lumps_are_labels() -> None:
    assert apart(ABOVE) is not ABOVE
    assert {apart(ABOVE), ABOVE, BELOW} == {BELOW, ABOVE}
    assert (str(ABOVE), str(BELOW)) == ("4 or more", "0 or less")
    other = cast(int, Lump(DiscreteLaplace(QUARTER), 0, 4, above=True))
    with pytest.raises(Inexact, match="depends on the reports"):
        assert ABOVE == other
    assert apart(3) == 3


@dataclass(frozen=True)
class Holder:
    """Hold something."""

    held: object


def test_what_is_shown_twice_or_kept_is_found() -> None:
    both = (Holder(ABOVE), Map({1: (apart(ABOVE), 2)}), "text", None)
    assert list(lumps_in(both)) == [ABOVE, ABOVE]
    check_apart(both)
    with pytest.raises(Inexact, match="shown twice"):
        check_apart((ABOVE, Holder(ABOVE)))
    with pytest.raises(Inexact, match="kept"):
        check_apart((), Holder([ABOVE]))
    with pytest.raises(Inexact, match="may hold"):
        check_apart(object())


def reveal_above_two(at: AtService, batch: tuple[Report, ...], outcome: Outcome) -> Outcome:
    """Show which sums are above two."""
    del at, batch
    if isinstance(outcome, Answer):
        return Answer(released=tuple((key, int(noisy > 2)) for key, noisy in outcome.released))
    return outcome


def reveal_twice(
    at: AtService, batch: tuple[Report, ...], outcome: Outcome
) -> tuple[Outcome, Outcome]:
    """Show the outcome twice."""
    del at, batch
    return outcome, outcome


def clipped(at: AtService, batch: tuple[Report, ...], draw: Draw) -> Answer:
    """Release no negative sums."""
    answer = PAPER.answer(at, batch, draw)
    return Answer(released=tuple((key, max(noisy, 0)) for key, noisy in answer.released))


def halved(at: AtService, batch: tuple[Report, ...], draw: Draw) -> Answer:
    """Release half of each sum."""
    answer = PAPER.answer(at, batch, draw)
    return Answer(released=tuple((key, noisy // 2) for key, noisy in answer.released))


def without_noise(at: AtService, batch: tuple[Report, ...], draw: Draw) -> Answer:
    """Release whether the noisy sum is above two, and what the sum is."""
    noisy = PAPER.answer(at, batch, draw).released
    exact = tuple(at.rules.totals(at, batch).items())
    return Answer(released=(*((key, int(value > 2)) for key, value in noisy), *exact))


@pytest.mark.parametrize(
    ("rules", "exact"),
    [
        (replace(PAPER, reveal=reveal_above_two), True),
        (replace(PAPER, answer=clipped), True),
        (replace(PAPER, answer=without_noise), True),
        (replace(PAPER, answer=halved), False),
        (replace(PAPER, reveal=reveal_twice), False),
    ],
)
def test_lumps_give_the_value_that_cut_noise_gives(rules: Rules, exact: bool) -> None:
    cut = solve(rules, ATTRIBUTION_FIXED, ONE_QUERY)
    assert (cut.slack == 0) is exact
    wide = replace(rules, releases=lambda *given: PAPER.releases(*given) and given[2] % 1 == 0)
    looked = solve(wide, ATTRIBUTION_FIXED, ONE_QUERY)
    assert looked.slack > 0
    assert abs(looked.worst - cut.worst) <= looked.slack + cut.slack
    assert looked.refuted is cut.refuted is (rules.answer is without_noise)


def test_a_service_that_keeps_what_it_shows_is_followed_with_cut_noise() -> None:
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Keeping(Service):
        shown: Hashable = None

    def serve(at: AtService, reports: tuple[Report, ...], draw: Draw) -> tuple[Service, Hashable]:
        after, shown = PAPER.serve(at, reports, draw)
        return Keeping(ledger=after.ledger, shown=shown), shown

    rules = replace(PAPER, serve=serve)
    with pytest.raises(Inexact, match="kept"):
        solve(rules, ATTRIBUTION_FIXED, ONE_QUERY, cut=False)
    assert solve(rules, ATTRIBUTION_FIXED, ONE_QUERY, moves=3).slack > 0


def test_values_that_are_unlikely_for_every_sum_are_given_to_the_ends() -> None:
    tolerance = Fraction(1, 2**10)
    window = cut_window(Window(lowest=0, highest=4, watched=True), tolerance)
    steep = DiscreteLaplace(QUARTER)
    kept = {}
    for centre in (0, 2, 4):
        listed = dict(window.noisy(steep.around(centre)))
        assert sum(listed.values()) == 1
        kept[centre] = {x: p for x, p in listed.items() if window.lowest < x < window.highest}
        assert 0 < 1 - sum(kept[centre].values()) <= tolerance
        assert all(p == steep.pmf(x - centre) for x, p in kept[centre].items())
    assert set(kept[0]) == set(kept[2]) == set(kept[4])
    assert len(kept[0]) < window.highest - window.lowest - 1


ONE_REPORT = Universe(
    name="one event-level source, one trigger",
    limits=SMALL_LIMITS,
    units=("A",),
    moves=3,
    event_sources=(
        EventSource(
            source_id="A",
            destination="shop",
            expiry=100,
            filters=frozenset("a"),
            maximum_reports=1,
            specifications=(TriggerSpecification(data=0, windows=(5,), buckets=(1,)),),
        ),
    ),
    event_triggers=(event_trigger("a", 1),),
    event_trigger_count=1,
    moments=(5,),
    promise="event",
)


def test_noise_that_a_client_shows_is_lumped_unless_it_is_kept() -> None:
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Keeping(EventClient):
        noisy: int = 0

    def keep(at: AtEventSource, source: EventSource, draw: Draw) -> EventClient:
        records = PAPER.register_event_source(at, source, draw).records
        return Keeping(records=records, noisy=draw(NOISE.around(0)))

    def show(at: AtWindows, report: EventReport) -> Random[Hashable]:
        return NOISE.around(report.bucket)

    def show_values(at: AtWindows, report: EventReport) -> Random[Hashable]:
        return NOISE.around(5 * sum(sum(each.values.values()) for each in at.client.records))

    keeping = replace(PAPER, register_event_source=keep)
    with pytest.raises(Inexact, match="kept"):
        solve(keeping, ATTRIBUTION_FIXED, ONE_REPORT, cut=False)
    exact = solve(replace(PAPER, event_visible=show), ATTRIBUTION_FIXED, ONE_REPORT)
    assert exact.slack == 0
    assert exact.attack is None
    assert exact.worst == 0
    more = replace(PAPER, event_visible=show_values)
    told = solve(more, ATTRIBUTION_FIXED, ONE_REPORT)
    sent = Fraction(4, 5)
    assert told.worst == sent * (rational(NOISE.tail(-3)) - rational(NOISE.tail(2)))


def test_what_the_guard_looks_at_is_no_look_of_the_rule() -> None:
    guard = Guard(path=Path("change.py"))
    fine = guard.around(replace(PAPER, reveal=reveal_above_two))
    assert solve(fine, ATTRIBUTION_FIXED, ONE_QUERY, cut=False).slack == 0
    assert guard.asked
    looking = guard.around(replace(PAPER, answer=halved))
    with pytest.raises(Inexact):
        solve(looking, ATTRIBUTION_FIXED, ONE_QUERY, cut=False)
