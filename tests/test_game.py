"""The game solver against every adversary, one after the other, for sound and for broken rules."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest
from immutables import Map

from properties.broken import (
    HALF_THE_NOISE,
    REAL_REPORTS_CHARGED,
    REPEATS_COUNT,
    SILENT_WHEN_EXHAUSTED,
    UNTRUNCATED,
)
from properties.brute_force import number_of_all, worst_by_nodes, worst_of_all
from properties.game import (
    Game,
    Menu,
    OutOfRoom,
    OutOfSteps,
    Steps,
    Window,
    World,
    with_answers_remembered,
)
from properties.game.system_parts import SystemParts, parts_for
from properties.game.world import Parts
from properties.mechanism_menu import (
    RoundMenu,
    SummaryDescription,
    SummaryMenu,
    SummaryParts,
    ignores_identifiers,
)
from properties.replay import play, untyped
from properties.system_menu import SystemMenu
from properties.universes import (
    aggregation_universe,
    attribution_universe,
    combined_universe,
    event_universe,
    further_event_universes,
    narrow,
    sharp,
    source,
    trigger,
)
from properties.vocabulary import NO_WORDS
from spec import (
    ATTRIBUTION_FIXED,
    MOVED_TO_DUMMY,
    NULL_STORE,
    PAPER,
    Answer,
    AtService,
    Base,
    Contribution,
    Distribution,
    Draw,
    EventMechanism,
    FilteredMechanism,
    IndividuallyFilteredMechanism,
    IndividualQuery,
    Limits,
    Move,
    Outcome,
    PassTime,
    Query,
    Record,
    Relation,
    Report,
    Rules,
    SummaryMechanism,
    SystemMechanism,
    Theta,
    UniversalQuery,
    Universe,
    Without,
    basic_filter,
    coin,
    replace,
)
from spec.distributions import hockey_stick
from spec.filters import Units, without_unit
from spec.neighbours import EMPTY_STORE, RELATIONS, OtherWorld
from spec.numbers import Power, SpecError
from spec.randomized_response import (
    Events,
    InteractiveRandomizedResponse,
    RandomizedResponse,
    Sequences,
)
from spec.summary_mechanism import without_source
from tests.small import transcripts

TWO = Base(Fraction(2))
SMALL_WINDOW = Window(lowest=0, highest=2)
POWERS = (Fraction(1), Fraction(2), Fraction(4))
HALF = Fraction(1, 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Two worlds, what the adversary may do, and the worst delta that is promised at a power."""

    there: object
    gone: object
    menu: Menu
    moves: int
    window: Window = SMALL_WINDOW
    power: Fraction = Fraction(2)
    promised: Fraction = Fraction(0)
    holds: bool = True


def tiny(delta: Fraction = Fraction(0), epsilon: int = 1) -> Limits:
    return Limits(
        contribution_budget=1,
        sparsity_budget=1,
        epsilon=Fraction(epsilon),
        delta=delta,
        event_epsilon=Fraction(1),
        base=TWO,
        window_length=10,
    )


# The summary mechanism.


def one(key: int = 0, value: int = 1) -> Contribution:
    return Contribution(key=key, value=value)


ASK = Query(epsilon=Fraction(1), keys=(0,))
DISCOVER = Query(epsilon=Fraction(1), delta=Fraction(1, 2))


def summary(
    rules: Rules,
    *queries: Query,
    limits: Limits,
    units: str = "AB",
    records: int = 2,
    rounds: int = 1,
    repeats: bool = False,
    holds: bool = True,
    window: Window = SMALL_WINDOW,
) -> Case:
    rules = replace(rules, limits=limits)
    mechanism = SummaryMechanism(rules=rules)
    menu = SummaryMenu(
        kinds=tuple((unit, one()) for unit in units),
        records=records,
        queries=queries,
        rounds=rounds,
        repeats=repeats,
    )
    return Case(
        there=mechanism,
        gone=Without(mechanism=mechanism, neighbour=without_source, unit="A"),
        menu=menu,
        moves=menu.moves,
        window=window,
        power=Power(TWO, limits.epsilon).exact(),
        promised=limits.delta,
        holds=holds,
    )


SUMMARY = {
    "M_SR": summary(PAPER, ASK, limits=tiny()),
    "M_SR, asked twice": summary(PAPER, ASK, limits=tiny(epsilon=2), records=1, rounds=2),
    "M_SR, two budgets": summary(
        PAPER, ASK, replace(ASK, epsilon=Fraction(2)), limits=tiny(epsilon=2), units="A", records=1,
        rounds=2,
    ),
    "M_SR, two records asked twice": summary(
        PAPER, ASK, limits=tiny(epsilon=2), units="A", rounds=2, window=Window(highest=1)
    ),
    "M_SR with key discovery": summary(
        PAPER, DISCOVER, limits=tiny(Fraction(1, 2)), window=Window(highest=4)
    ),
    "M_SR with key discovery, untruncated": summary(
        UNTRUNCATED, DISCOVER, limits=tiny(Fraction(1, 2)), units="A",
        records=1, window=Window(highest=3),
    ),
    "half the noise": summary(
        HALF_THE_NOISE, ASK, limits=tiny(), units="A", records=1, holds=False
    ),
    "null reports are not charged": summary(
        REAL_REPORTS_CHARGED, ASK, limits=tiny(), units="A", records=1, rounds=2, holds=False
    ),
    "a repeated report counts twice": summary(
        REPEATS_COUNT, ASK, limits=tiny(), units="A", records=1, repeats=True, holds=False
    ),
}  # fmt: skip


# The clients and the service together.


def system(
    rules: Rules,
    relation: Relation = ATTRIBUTION_FIXED,
    holds: bool = True,
    queries: int = 1,
    triggers: int = 1,
) -> Case:
    limits = tiny()
    universe = Universe(
        name="tiny",
        limits=limits,
        units=("A",),
        moves=1 + triggers + queries,
        sources=(source("A", "a", 100, 0),),
        triggers=(trigger("a", 1),),
        trigger_count=triggers,
        queries=(ASK,),
        query_count=queries,
        repeats=False,
    )
    rules = replace(rules, limits=limits)
    return Case(
        there=SystemMechanism(rules=rules),
        gone=relation.without(rules, "A"),
        menu=SystemMenu(universe=universe, rules=rules),
        moves=universe.moves,
        window=Window(lowest=0, highest=1),
        power=Power(TWO, limits.epsilon).exact(),
        holds=holds,
    )


SYSTEM = {
    "ARA": system(PAPER),
    "ARA, null reports are not charged": system(REAL_REPORTS_CHARGED, queries=2, holds=False),
    "ARA, silent when exhausted": system(SILENT_WHEN_EXHAUSTED, holds=False),
    "ARA, the dummy contributes": system(PAPER, MOVED_TO_DUMMY, triggers=1),
    "ARA, half the noise": system(HALF_THE_NOISE, holds=False),
}


# Interactive randomized response and the event-level mechanism.


def count(events: Events) -> Hashable:
    return len(events)


def negate(events: Events) -> Hashable:
    return 1 - len(events)


def forget(events: Events, unit: Hashable) -> Events:
    return ()


def response(listed: tuple[Events, ...]) -> RandomizedResponse[Events]:
    return RandomizedResponse(outputs=Sequences(listed), power=Power(TWO, Fraction(1)))


ALL = ((0, 0), (0, 1), (1, 0), (1, 1))
EVENTS: tuple[Events, ...] = ((), (7,))


def randomized(listed: tuple[Events, ...], holds: bool) -> Case:
    mechanism = InteractiveRandomizedResponse(law=response(listed))
    actions = tuple((events, question) for events in EVENTS for question in (count, negate))
    return Case(
        there=mechanism,
        gone=Without(mechanism=mechanism, neighbour=forget, unit="x"),
        menu=RoundMenu(rounds=(actions, actions)),
        moves=2,
        holds=holds,
    )


def event_level(truth: Fraction | None, holds: bool) -> Case:
    law = response(((0,), (1,)))
    if truth is not None:
        law = replace(law, truth_probability=lambda power, size: truth)
    mechanism = EventMechanism(laws=(("A", law), ("B", law)))
    databases = tuple(
        tuple(Record(unit=unit, report_id=place) for place, unit in enumerate(units))
        for units in ("A", "B", "AB")
    )
    questions = [Map({"A": mine, "B": theirs}) for mine in (count, negate) for theirs in (count,)]
    return Case(
        there=mechanism,
        gone=Without(mechanism=mechanism, neighbour=without_source, unit="A"),
        menu=RoundMenu(rounds=(tuple((d, q) for d in databases for q in questions),)),
        moves=1,
        holds=holds,
    )


def two_steps() -> Case:
    mechanism = EventMechanism(laws=(("A", response(ALL)), ("B", response(((0, 0), (1, 1))))))
    record = (Record(unit="A", report_id=1),)
    ask = Map({"A": count, "B": count})
    return Case(
        there=mechanism,
        gone=Without(mechanism=mechanism, neighbour=without_source, unit="A"),
        menu=RoundMenu(rounds=(((record, ask),), (((), ask), (record, ask)))),
        moves=2,
    )


EVENT_LEVEL = {
    "randomized response": randomized(ALL, holds=True),
    "randomized response that misses outputs": randomized(((0, 0), (1, 1)), holds=False),
    "M_ER": event_level(None, holds=True),
    "M_ER in two steps": two_steps(),
    "M_ER, too often truthful": event_level(Fraction(1, 2), holds=False),
}


# Filters.


def tell(units: Units) -> Distribution[bool]:
    return coin(Fraction(2, 3) if "x" in units else Fraction(1, 3))


def whisper(units: Units) -> Distribution[bool]:
    return coin(Fraction(1, 2))


def answer_everything(spent: object) -> bool:
    return True


def filtered(epsilon: int, holds: bool, enforced: bool = True) -> Case:
    caps = Theta(epsilon=Fraction(epsilon), delta=Fraction(0))
    mechanism: FilteredMechanism[bool] = FilteredMechanism(
        go_on=basic_filter(caps) if enforced else answer_everything
    )
    cost = Theta(epsilon=Fraction(1), delta=Fraction(0))
    asked = tuple(
        (frozenset({"x", "y"}), query)
        for query in (
            UniversalQuery(answer=tell, theta=cost),
            UniversalQuery(answer=whisper, theta=cost),
        )
    )
    return Case(
        there=mechanism,
        gone=Without(mechanism=mechanism, neighbour=without_unit, unit="x"),
        menu=RoundMenu(rounds=(asked, asked)),
        moves=2,
        power=Fraction(2) ** epsilon,
        holds=holds,
    )


def individually_filtered(enforced: bool) -> Case:
    caps = Theta(epsilon=Fraction(1), delta=Fraction(0))
    mechanism: IndividuallyFilteredMechanism[bool] = IndividuallyFilteredMechanism(
        go_on=basic_filter(caps) if enforced else answer_everything
    )
    cost: Map[Hashable, Theta] = Map({"x": Theta(epsilon=Fraction(1), delta=Fraction(0))})
    query = IndividualQuery(answer=tell, parameters=cost)
    asked = ((frozenset({"x"}), query),)
    return Case(
        there=mechanism,
        gone=Without(mechanism=mechanism, neighbour=without_unit, unit="x"),
        menu=RoundMenu(rounds=(asked, asked)),
        moves=2,
        holds=enforced,
    )


FILTERS = {
    "filter": filtered(1, holds=True),
    "filter with a larger budget": filtered(2, holds=True),
    "no filter": filtered(1, holds=False, enforced=False),
    "individual filter": individually_filtered(enforced=True),
    "no individual filter": individually_filtered(enforced=False),
}

CASES = {**SUMMARY, **SYSTEM, **EVENT_LEVEL, **FILTERS}


def games(case: Case) -> list[Game]:
    worlds = [
        World(mechanism=untyped(mechanism), window=case.window)
        for mechanism in (case.there, case.gone)
    ]
    return [
        Game(first=first, second=second, menu=case.menu) for first, second in (worlds, worlds[::-1])
    ]


@pytest.mark.parametrize("name", CASES)
def test_the_solver_finds_what_the_best_of_all_adversaries_gains(name: str) -> None:
    case = CASES[name]
    for game in games(case):
        for power in {*POWERS[:2], case.power}:
            gain, adversaries = worst_of_all(
                game.first.mechanism,
                game.second.mechanism,
                case.menu,
                power,
                case.moves,
                case.window.outcomes,
            )
            assert adversaries == number_of_all(
                game.first.mechanism,
                game.second.mechanism,
                case.menu,
                case.moves,
                case.window.outcomes,
            )
            assert adversaries > 2
            assert game.worst(power, case.moves) == gain


@pytest.mark.parametrize("name", CASES)
def test_the_promise_is_kept_by_sound_rules_and_broken_by_others(name: str) -> None:
    case = CASES[name]
    worst = max(game.worst(case.power, case.moves) for game in games(case))
    assert (worst <= case.promised) == case.holds


@pytest.mark.parametrize("name", CASES)
def test_the_strategy_attains_the_value_when_it_is_played(name: str) -> None:
    case = CASES[name]
    for game in games(case):
        plan = game.plan(game.root(Fraction(1)), case.moves)
        if plan is None:
            assert game.worst(Fraction(1), case.moves) == 0
            continue
        mine, theirs = (
            Distribution.of(play(world.mechanism, plan, case.window))
            for world in (game.first, game.second)
        )
        assert hockey_stick(mine, theirs, Fraction(1)) == game.worst(Fraction(1), case.moves)


@pytest.mark.parametrize("name", SYSTEM)
def test_remembering_answers_changes_no_value(name: str) -> None:
    case = SYSTEM[name]
    there, gone = case.there, case.gone
    assert isinstance(there, SystemMechanism)
    assert isinstance(gone, OtherWorld)
    rules = with_answers_remembered(there.rules, case.window, Steps())
    quick = replace(case, there=replace(there, rules=rules), gone=replace(gone, rules=rules))
    for game, other in zip(games(case), games(quick), strict=True):
        for power in POWERS:
            assert game.worst(power, case.moves) == other.worst(power, case.moves)


def is_late(at: AtService) -> bool:
    """Tell whether it is the second moment, or the second query for something."""
    return at.now > 0 or any(spent.queries > 1 for spent in at.service.ledger.values())


def late_answer(at: AtService, batch: tuple[Report, ...], draw: Draw) -> Answer:
    """Answer for every key a one too much where it is late and something was contributed."""
    released = PAPER.answer(at, batch, draw).released
    more = is_late(at) and any(not report.is_null for report in batch)
    return Answer(released=tuple((key, value + more) for key, value in released))


def late_reveal(at: AtService, batch: tuple[Report, ...], outcome: Outcome) -> Hashable:
    """Show besides, where it is late, how many reports hold something."""
    return outcome, sum(not report.is_null for report in batch) * is_late(at)


def late_release(at: AtService, key: int, noisy: int, threshold: int | None) -> bool:
    """Release odd sums only where it is late."""
    return not is_late(at) or noisy % 2 == 1


def late_threshold(at: AtService, batch: tuple[Report, ...]) -> int | None:
    """Lower the threshold where it is late."""
    usual = PAPER.threshold(at, batch)
    return None if usual is None else usual - is_late(at)


@pytest.mark.parametrize(
    "changes",
    [
        {"answer": late_answer},
        {"reveal": late_reveal},
        {"releases": late_release},
        {"threshold": late_threshold},
        {"reveal": late_reveal, "answer": late_answer},
        {"serve": lambda *given: PAPER.serve(*given), "reveal": late_reveal},
    ],
    ids=lambda changes: " and ".join(changes),
)
def test_rules_may_read_the_time_and_the_ledger(changes: dict[str, Any]) -> None:
    """What is remembered of one query must not be taken for another that sees something else."""
    rules = replace(PAPER, limits=tiny(HALF, epsilon=4), **changes)
    window = Window(lowest=-3, highest=4, tolerance=HALF)
    listed = Query(epsilon=Fraction(1), report_ids=(0,), keys=(1,))
    found = Query(epsilon=Fraction(1), delta=HALF / 2, report_ids=(0,))
    before: tuple[Move, ...] = (source("A", "a", 100), trigger("a", 1))
    for query in (listed, found):
        scripts = ((*before, query, query), (*before, PassTime(until=5), query))
        remembered = with_answers_remembered(rules, window, Steps())
        for first, second in (
            (SystemMechanism(rules=rules), SystemMechanism(rules=remembered)),
            (ATTRIBUTION_FIXED.without(rules, "A"), ATTRIBUTION_FIXED.without(remembered, "A")),
        ):
            plain, quick = (World(mechanism=untyped(x), window=window) for x in (first, second))
            for moves in scripts:
                assert transcripts(plain, moves) == transcripts(quick, moves)


@pytest.mark.parametrize("rounds", [1, 2])
def test_renaming_reports_changes_no_value(rounds: int) -> None:
    case = summary(PAPER, ASK, limits=tiny(epsilon=2), records=3, rounds=rounds)
    assert ignores_identifiers(PAPER)
    for game in games(case):
        fewer = Game(
            first=game.first,
            second=game.second,
            menu=game.menu,
            description=SummaryDescription(),
        )
        for power in POWERS:
            assert fewer.worst(power, case.moves) == game.worst(power, case.moves)
        assert fewer.nodes < game.nodes


@pytest.mark.parametrize("relation", RELATIONS, ids=lambda relation: relation.name)
def test_running_steps_on_parts_of_the_system_changes_no_value(relation: Relation) -> None:
    devices = relation.units == "devices"
    universe = narrow(aggregation_universe()) if devices else sharp(attribution_universe())
    rules = replace(PAPER, limits=universe.limits)
    window = Window(lowest=0, highest=4)
    menu = SystemMenu(universe=universe, rules=rules)
    remembered = with_answers_remembered(rules, window, Steps())
    mechanisms = SystemMechanism(rules=remembered), relation.without(remembered, universe.units[0])
    taken = []
    found = []
    for parts in (Parts(), SystemParts()):
        budget = Steps()
        worlds = [
            World(mechanism=untyped(made), window=window, budget=budget, parts=parts)
            for made in mechanisms
        ]
        pairs = (worlds, worlds[::-1])
        both = [Game(first=there, second=gone, menu=menu) for there, gone in pairs]
        found.append([game.worst(power, 4) for game in both for power in POWERS])
        taken.append(budget.taken)
    assert found[0] == found[1]
    # Where programs run on an empty store, a second view still finds the budget used up.
    assert any(found[0]) == (relation is not EMPTY_STORE)
    assert taken[1] < taken[0]


def test_a_relation_of_a_proposal_may_look_at_every_part() -> None:
    assert type(parts_for(ATTRIBUTION_FIXED)) is SystemParts
    assert type(parts_for(replace(ATTRIBUTION_FIXED, name="my own"))) is Parts


@pytest.mark.parametrize("repeats", [False, True])
def test_running_questions_about_like_reports_once_changes_no_value(repeats: bool) -> None:
    case = summary(
        PAPER, ASK, replace(ASK, epsilon=Fraction(2)), limits=tiny(epsilon=2), rounds=2,
        repeats=repeats,
    )  # fmt: skip
    for mine, other in zip(games(case), games(case), strict=True):
        for world in (mine.first, mine.second):
            world.parts = SummaryParts()
        mine.description = SummaryDescription()
        for power in POWERS:
            assert mine.worst(power, case.moves) == other.worst(power, case.moves)
        assert len(mine.first.laws) < len(other.first.steps) / 2
        assert mine.nodes < other.nodes


@pytest.mark.parametrize(
    "name", ["M_SR", "ARA", "M_ER", "filter", "a repeated report counts twice"]
)
def test_the_plain_dynamic_programme_finds_the_same(name: str) -> None:
    case = CASES[name]
    for game in games(case):
        worlds = game.first.mechanism, game.second.mechanism
        for power in POWERS:
            worst, nodes = worst_by_nodes(
                *worlds, case.menu, power, case.moves, case.window.outcomes
            )
            assert game.worst(power, case.moves) == worst
            assert nodes > 1


def test_what_is_worth_nothing_is_worth_nothing_at_a_larger_ratio() -> None:
    (game, _) = games(SUMMARY["M_SR"])
    assert game.worst(Fraction(2), 3) == 0
    before = game.nodes
    assert game.worst(Fraction(3), 3) == 0
    assert game.worst(Fraction(3), 2) == 0
    assert game.nodes == before


def test_reports_are_renamed_only_where_the_rules_ignore_identifiers() -> None:
    assert not ignores_identifiers(REPEATS_COUNT)
    assert not ignores_identifiers(REAL_REPORTS_CHARGED)
    assert not ignores_identifiers(SILENT_WHEN_EXHAUSTED)


def test_more_moves_never_gain_less_and_more_epsilon_never_more() -> None:
    for game in games(SUMMARY["a repeated report counts twice"]):
        by_moves = [game.worst(Fraction(2), moves) for moves in range(4)]
        assert by_moves == sorted(by_moves)
        by_power = [game.worst(power, 2) for power in POWERS]
        assert by_power == sorted(by_power, reverse=True)


def test_a_game_stops_when_its_steps_are_used_up() -> None:
    (game, _) = games(SUMMARY["M_SR"])
    game.budget = Steps(0)
    with pytest.raises(OutOfSteps):
        game.worst(Fraction(1), 3)


def test_a_game_stops_where_it_may_remember_no_more() -> None:
    (game, _) = games(SUMMARY["M_SR"])
    game.budget = game.first.budget = game.second.budget = Steps(room=60)
    with pytest.raises(OutOfRoom, match="60 entries"):
        game.worst(Fraction(1), 3)
    assert game.budget.held <= 60


def test_an_answer_is_not_made_if_it_cannot_be_remembered() -> None:
    """There would be a billion answers."""
    query = replace(ASK, report_ids=(0,), keys=tuple(range(9)))
    window = Window(lowest=0, highest=9)
    rules = with_answers_remembered(replace(PAPER, limits=tiny(epsilon=2)), window, Steps())
    world = World(mechanism=untyped(SystemMechanism(rules=rules)), window=window)
    state = world.number(world.mechanism.initial)
    before: tuple[Move, ...] = (source("A", "a", 100), trigger("a", 1))
    for move in before:
        ((_, state, _),) = world.step(state, move)
    with pytest.raises(OutOfRoom):
        world.packed(state, query)


def test_irrational_probabilities_are_refused() -> None:
    limits = replace(tiny(), base=Base(None))
    (game, _) = games(summary(PAPER, ASK, limits=tiny()))
    rules = replace(PAPER, limits=limits)
    game.first.mechanism = untyped(SummaryMechanism(rules=rules))
    with pytest.raises(SpecError, match="rational"):
        game.worst(Fraction(2), 3)


TWO_DATA, TWO_REPORTS, MANY_REPORTS, FOUR_DATA = further_event_universes(NO_WORDS)


@pytest.mark.parametrize(
    ("relation", "universe", "moves", "worst"),
    [
        (ATTRIBUTION_FIXED, attribution_universe(), 4, ("3/4", "7/10", "9195/2353156")),
        (NULL_STORE, aggregation_universe(), 4, ("3/4", "7/10", "9195/2353156")),
        (ATTRIBUTION_FIXED, event_universe(), 5, ("1/2", "1/3", "0")),
        (ATTRIBUTION_FIXED, combined_universe(), 5, ("7/12", "7/18", "3/190")),
        (ATTRIBUTION_FIXED, TWO_DATA, 4, ("3/7", "2/7", "0")),
        (ATTRIBUTION_FIXED, TWO_REPORTS, 5, ("1/3", "2/9", "0")),
        (ATTRIBUTION_FIXED, MANY_REPORTS, 3, ("1/8", "1/12", "0")),
        (ATTRIBUTION_FIXED, FOUR_DATA, 4, ("3/19", "2/19", "0")),
        (ATTRIBUTION_FIXED, narrow(attribution_universe()), 5, ("3/4", "7/10", "9195/2353156")),
        (NULL_STORE, sharp(aggregation_universe()), 5, ("15/17", "14/17", "851/181476")),
    ],
    ids=lambda value: value.name if isinstance(value, Universe) else "",
)
def test_the_papers_rules_have_these_worst_deltas(
    relation: Relation, universe: Universe, moves: int, worst: tuple[str, str, str]
) -> None:
    """The powers are one, which is the distance in total variation, two, and what is promised."""
    rules = replace(PAPER, limits=universe.limits)
    powers = (Fraction(1), Fraction(2), Power(TWO, universe.promised[0]).exact())
    window = Window(lowest=0, highest=8)
    remembered = with_answers_remembered(rules, window, Steps())
    menu = SystemMenu(universe=universe, rules=rules)
    found = dict.fromkeys(powers, Fraction(0))
    there = World(mechanism=untyped(SystemMechanism(rules=remembered)), window=window)
    for unit in universe.units:
        gone = World(mechanism=untyped(relation.without(remembered, unit)), window=window)
        for first, second in ((there, gone), (gone, there)):
            game = Game(first=first, second=second, menu=menu)
            for power in powers:
                found[power] = max(found[power], game.worst(power, moves))
    assert tuple(map(str, found.values())) == worst
