"""Responses that are kept beside the clients and drawn late: games find the same with them."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

import pytest

from properties.broken import ALWAYS_TRUTHFUL, OFTEN_TRUTHFUL, TOO_TRUTHFUL
from properties.game import Game, Steps, Window, World, with_answers_remembered
from properties.game.system_parts import SystemParts
from properties.game.undrawn import LOOK_AT_RECORDS, DrawnLate, Shown, draws_may_wait
from properties.replay import untyped
from properties.solve import solve
from properties.system_menu import SystemMenu
from properties.universes import (
    combined_universe,
    event_level,
    event_source,
    event_trigger,
    event_universe,
    further_event_universes,
)
from properties.vocabulary import NO_WORDS
from spec import (
    ATTRIBUTION_FIXED,
    PAPER,
    PassTime,
    Relation,
    Rules,
    SystemMechanism,
    Universe,
    replace,
)
from spec.event_client import EventClient, SourceRecord, event_matches
from spec.neighbours import NEVER_MATCHES, NEVER_REGISTERED
from spec.rules import AtEventTrigger
from tests.small import transcripts

POWERS = (Fraction(1), Fraction(2), Fraction(4))
CHOSEN = (ATTRIBUTION_FIXED, NEVER_MATCHES, NEVER_REGISTERED)
"""Decided on the database, and in two ways in a world of their own."""
TWO_DATA, TWO_REPORTS, *_ = further_event_universes(NO_WORDS)
MANY_BUCKETS = event_level(
    ", values that add up",
    (event_source("A", "a", reports=2, buckets=(1, 3), windows=(5, 10)),),
    (event_trigger("a", 1), event_trigger("a", 2)),
    moves=6,
    count=3,
    moments=(5, 10),
)
TWO_SOURCES = event_level(
    ", two like sources",
    tuple(event_source(name, "c", windows=(5,)) for name in "AB"),
    (event_trigger("c", 1),),
    moves=4,
    count=1,
)


def found_in(
    rules: Rules, relation: Relation, universe: Universe, moves: int, late: bool
) -> tuple[list[Fraction], int]:
    """Return what the best adversaries gain, and how many steps that takes."""
    rules = replace(rules, limits=universe.limits)
    window, budget = Window(lowest=0, highest=4), Steps()
    menu = SystemMenu(universe=universe, rules=rules)
    remembered = with_answers_remembered(rules, window, budget)
    shown = Shown(rules=remembered, budget=budget, outcomes=window.outcomes)
    mechanisms = [
        untyped(made)
        for made in (SystemMechanism(rules=remembered), relation.without(remembered, "A"))
    ]
    if late:
        mechanisms = [DrawnLate(mechanism=made, shown=shown) for made in mechanisms]
    worlds = [
        World(mechanism=made, window=window, budget=budget, clients=True, parts=SystemParts())
        for made in mechanisms
    ]
    games = [
        Game(first=one, second=two, menu=menu, budget=budget) for one, two in (worlds, worlds[::-1])
    ]
    return [game.worst(power, moves) for game in games for power in POWERS], budget.taken


@pytest.mark.parametrize(
    ("rules", "universe", "moves"),
    [
        (TOO_TRUTHFUL, event_universe(), 4),
        (PAPER, combined_universe(), 5),
        (ALWAYS_TRUTHFUL, TWO_DATA, 4),
        (OFTEN_TRUTHFUL, TWO_REPORTS, 5),
        (TOO_TRUTHFUL, MANY_BUCKETS, 6),
    ],
)
@pytest.mark.parametrize("relation", CHOSEN, ids=lambda relation: relation.name)
def test_drawing_late_changes_no_value(
    rules: Rules, relation: Relation, universe: Universe, moves: int
) -> None:
    assert draws_may_wait(rules, relation)
    early, more = found_in(rules, relation, universe, moves, late=False)
    late, fewer = found_in(rules, relation, universe, moves, late=True)
    assert late == early
    assert any(early)
    assert fewer < more


@pytest.mark.parametrize("relation", [None, *CHOSEN], ids=lambda each: each and each.name)
def test_drawing_late_shows_the_same(relation: Relation | None) -> None:
    """Values that add up reach one bucket, both, or more than the last, in one window or two."""
    rules = replace(PAPER, limits=MANY_BUCKETS.limits)
    made = relation.without(rules, "A") if relation else SystemMechanism(rules=rules)
    shown = Shown(rules=rules, budget=Steps(), outcomes=Window().outcomes)
    plain = World(mechanism=untyped(made), window=Window())
    late = World(
        mechanism=DrawnLate(mechanism=untyped(made), shown=shown),
        window=Window(),
        parts=SystemParts(),
    )
    first, second = PassTime(until=5), PassTime(until=10)
    (source,), triggers = MANY_BUCKETS.event_sources, MANY_BUCKETS.event_triggers
    for before, after in product(range(3), range(3)):
        for bought in product(triggers, repeat=before + after):
            whole = (source, *bought, second)
            parted = (source, *bought[:before], first, *bought[before:], second)
            for moves in (whole, parted):
                assert transcripts(plain, moves) == transcripts(late, moves)


def match_truthful_ones(at: AtEventTrigger, record: SourceRecord) -> bool:
    """Match only sources that answer truthfully."""
    return record.response is None and event_matches(at, record)


def test_a_rule_that_looks_at_responses_is_played_with_what_is_drawn() -> None:
    peeking = replace(PAPER, event_matches=match_truthful_ones)
    early, _ = found_in(peeking, ATTRIBUTION_FIXED, TWO_SOURCES, 4, late=False)
    late, _ = found_in(peeking, ATTRIBUTION_FIXED, TWO_SOURCES, 4, late=True)
    assert late != early
    assert not draws_may_wait(peeking, ATTRIBUTION_FIXED)
    found = solve(peeking, ATTRIBUTION_FIXED, TWO_SOURCES, moves=4)
    assert found.worst == max(early[2], early[5])


def test_draws_wait_for_the_papers_event_level_rules_alone() -> None:
    for name in LOOK_AT_RECORDS:
        changed: dict[str, Any] = {name: partial(getattr(PAPER, name))}
        assert not draws_may_wait(replace(PAPER, **changed), ATTRIBUTION_FIXED)
    own = replace(ATTRIBUTION_FIXED, name="my own")
    assert not draws_may_wait(PAPER, own)
    (source,) = TWO_REPORTS.event_sources
    known = EventClient(records=(SourceRecord(source=source, registered_at=0),))
    begun = replace(PAPER, initial=replace(PAPER.initial, events=known))
    assert not draws_may_wait(begun, ATTRIBUTION_FIXED)
