"""Moves that show nothing: games leave them out where they lose nothing by it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction

import pytest
from immutables import Map

from properties.broken import ALWAYS_TRUTHFUL
from properties.game import Game, Steps, Window, World, with_answers_remembered
from properties.replay import untyped
from properties.solve import solve
from properties.system_menu import SystemMenu
from properties.universes import (
    attribution_universe,
    combined_universe,
    event_universe,
    further_event_universes,
    sharp,
)
from properties.vocabulary import NO_WORDS
from proposals import randomize_every_window
from spec import (
    ATTRIBUTION_FIXED,
    PAPER,
    Distribution,
    Draw,
    EventSource,
    EventTrigger,
    Move,
    PassTime,
    Query,
    Relation,
    Report,
    Rules,
    System,
    SystemMechanism,
    Universe,
    replace,
)
from spec.contributions import Unit
from spec.distributions import Random
from spec.neighbours import NEVER_REGISTERED, RELATIONS, Worlds
from spec.numbers import Power

MOVES = 4
POWER = Fraction(4)
EPSILONS = (Fraction(0), Fraction(1), Fraction(2))
EVENT_LEVEL = [relation for relation in RELATIONS if relation.reports != "summary"]
GAMES: dict[str, tuple[Rules, Universe]] = {
    "the paper": (PAPER, event_universe()),
    "the paper, together": (PAPER, combined_universe()),
    "always truthful": (ALWAYS_TRUTHFUL, event_universe()),
    "randomize every window": (
        randomize_every_window.RULES,
        further_event_universes(NO_WORDS)[1],
    ),
}


class Unspared(SystemMenu):
    """Offer the same moves, and let none be left out."""

    def spares(self, action: Hashable) -> bool:
        return False


@pytest.mark.parametrize(
    ("rules", "universe", "moves"),
    [
        (*GAMES["always truthful"], 4),
        (*GAMES["randomize every window"], 4),
        (PAPER, sharp(attribution_universe()), 5),
    ],
    ids=["always truthful", "randomize every window", "summaries"],
)
def test_leaving_out_moves_that_change_nothing_changes_no_value(
    rules: Rules, universe: Universe, moves: int
) -> None:
    rules = replace(rules, limits=universe.limits)
    window = Window(lowest=0, highest=4)
    found, nodes = [], []
    for kind in (Unspared, SystemMenu):
        menu = kind(universe=universe, rules=rules)
        remembered = with_answers_remembered(rules, window, Steps())
        without = ATTRIBUTION_FIXED.without(remembered, "A")
        worlds = [
            World(mechanism=untyped(made), window=window, clients=True)
            for made in (SystemMechanism(rules=remembered), without)
        ]
        games = [Game(first=one, second=two, menu=menu) for one, two in (worlds, worlds[::-1])]
        found.append([game.worst(power, moves) for game in games for power in (Fraction(1), POWER)])
        nodes.append(sum(game.nodes for game in games))
    assert found[0] == found[1]
    assert any(found[0])
    assert nodes[1] < nodes[0]


@dataclass(frozen=True)
class Walking:
    """Show something by the number of looks so far, and stop counting at one of them."""

    shown: tuple[Random[str], ...]
    initial: int = 0

    def step(self, state: Hashable, action: Hashable, draw: Draw) -> tuple[Hashable, Hashable]:
        assert isinstance(state, int)
        return min(state + 1, len(self.shown) - 1), (draw(self.shown[state]),)


class Looks:
    """Offer one look after the other; each may be left out."""

    start = 0

    def choices(self, progress: Hashable, states: object) -> list[tuple[Hashable, Hashable]]:
        return [("look", 0)]

    def tells(self, action: Hashable) -> bool:
        return True

    def spares(self, action: Hashable) -> bool:
        return True


@pytest.mark.parametrize(
    ("one", "other", "worst"),
    [
        (("a",), ("a",), ("0", "0")),
        (("a",), ("b",), ("1", "1")),
        (("a",), ("a", "b"), ("0", "1")),
        (("a", "b"), ("a",), ("0", "1")),
        (("a",), (Distribution.uniform("ab"),), ("1/2", "3/4")),
        ((Distribution.uniform("ab"),), ("a",), ("1/2", "3/4")),
    ],
)
def test_what_tells_something_or_changes_a_state_in_one_world_is_not_left_out(
    one: tuple[Random[str], ...], other: tuple[Random[str], ...], worst: tuple[str, str]
) -> None:
    worlds = [World(mechanism=Walking(each), window=Window()) for each in (one, other)]
    game = Game(first=worlds[0], second=worlds[1], menu=Looks())
    assert tuple(str(game.worst(Fraction(1), moves)) for moves in (1, 2)) == worst


@pytest.mark.parametrize("universe", [attribution_universe(), combined_universe()])
def test_whoever_leaves_a_move_out_may_still_make_all_that_may_follow_it(
    universe: Universe,
) -> None:
    """A trigger of summary reports takes an identifier, so that later ones bear another."""
    menu = SystemMenu(universe=universe, rules=replace(PAPER, limits=universe.limits))
    reports = Map({name: Report(report_id=name) for name in range(2)})
    state = System(reports=reports)
    reached: list[Hashable] = [menu.start]
    kinds = set()
    for progress in reached:
        now = list(menu.choices(progress, [state]))
        for move, after in now:
            later = [each for each, _ in menu.choices(after, [state])]
            if menu.spares(move):
                kinds.add(type(move))
                assert all(any(each is known for known, _ in now) for each in later)
            if after not in reached:
                reached.append(after)
    assert kinds == {Query} | ({EventTrigger} if universe.event_triggers else set())
    assert not any(map(menu.spares, (*universe.sources, *universe.triggers, PassTime(until=9))))


@pytest.mark.parametrize("named", GAMES)
@pytest.mark.parametrize("relation", EVENT_LEVEL, ids=lambda relation: relation.name)
def test_leaving_out_moves_that_show_nothing_changes_no_value(
    relation: Relation, named: str
) -> None:
    changed, universe = GAMES[named]
    rules = replace(changed, limits=universe.limits)
    powers = [Power(universe.limits.base, epsilon).exact() for epsilon in EPSILONS]
    window = Window(lowest=0, highest=4)
    found, taken = [], []
    for any_tells in (True, False):
        menu = SystemMenu(universe=universe, rules=rules, any_tells=any_tells)
        budget = Steps()
        remembered = with_answers_remembered(rules, window, budget)
        worlds = [
            World(mechanism=made, window=window, budget=budget, clients=True)
            for made in (
                untyped(SystemMechanism(rules=remembered)),
                untyped(relation.without(remembered, "A")),
            )
        ]
        games = [Game(first=one, second=two, menu=menu) for one, two in (worlds, worlds[::-1])]
        found.append(
            [
                game.worst(power, moves)
                for game in games
                for power in powers
                for moves in range(1, MOVES + 1)
            ]
        )
        taken.append(budget.taken)
    assert found[0] == found[1]
    assert any(found[0])
    assert taken[1] < taken[0]


def test_every_move_may_show_something_under_a_relation_of_a_proposal() -> None:
    def show_sources(
        rules: Rules, unit: Unit, worlds: Worlds, move: Move, draw: Draw
    ) -> tuple[Worlds, tuple[Hashable, ...]]:
        after, seen = NEVER_REGISTERED.move(rules, unit, worlds, move, draw)
        return after, ("a source",) if isinstance(move, EventSource) else seen

    relation = Relation(name="my own", meaning="sources show", move=show_sources)
    assert solve(PAPER, relation, event_universe(), moves=1).worst == 1
    assert solve(PAPER, NEVER_REGISTERED, event_universe(), moves=1).worst == 0
