"""Moves that show nothing: games leave them out where they lose nothing by it."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction

import pytest

from properties.broken import ALWAYS_TRUTHFUL
from properties.game import Game, Steps, Window, World, with_answers_remembered
from properties.replay import untyped
from properties.solve import solve
from properties.system_menu import SystemMenu
from properties.universes import combined_universe, event_universe, further_event_universes
from properties.vocabulary import NO_WORDS
from proposals import randomize_every_window
from spec import PAPER, Draw, EventSource, Move, Relation, Rules, SystemMechanism, Universe, replace
from spec.contributions import Unit
from spec.neighbours import NEVER_REGISTERED, RELATIONS, Worlds
from spec.numbers import Power

MOVES = 4
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
