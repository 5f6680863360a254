r"""Solve a universe: the exact worst adversary, the curve, the factor, and the smallest attack.

The number of moves is raised one by one, so that the first violation is a smallest one. All
units, both directions and the given neighbour relation are solved for each number of moves before
the next.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm
from typing import TypeVar

from properties.attack import Attack, attack_of
from properties.game import (
    Comparison,
    Game,
    OutOfSteps,
    Steps,
    Window,
    World,
    with_answers_remembered,
)
from properties.game.counting import ROOM
from properties.game.system_parts import SystemParts, parts_for
from properties.game.undrawn import DrawnLate, Late, Shown, draws_may_wait, own_of
from properties.lump import Inexact, OutOfWindow
from properties.replay import untyped
from properties.system_menu import SystemMenu
from properties.universes import described
from spec.aggregation_service import Answer
from spec.contributions import Unit
from spec.distributions import Draw
from spec.interaction import Mechanism
from spec.neighbours import RELATIONS, Relation
from spec.numbers import Power
from spec.paper import PAPER
from spec.reports import Report
from spec.rules import AtService, Rules
from spec.system import SystemMechanism
from spec.universe import Universe
from spec.verdicts import Reason

LARGEST_FACTOR = 8
MARGIN = 12
TOLERANCES = (Fraction(1, 2**18), Fraction(1, 2**36))
T = TypeVar("T")
WITH, WITHOUT = "with x", "without x"


@dataclass(frozen=True, slots=True, kw_only=True)
class Solution:
    """Hold what was found in a universe.

    `worst` is the exact worst delta at the promised epsilon over all adversaries of at most
    `solved` moves; `stopped` says why there are no more, if the search did not come to its end.
    Where noise had to be cut it is right up to `slack`. In a `vacuous` game
    neighbours never differed, and in one that is `unanswered` no query got an answer: that the
    promise holds there means nothing. `curve` holds pairs of epsilon and worst delta over all
    adversaries of at most `measured` moves, none if there were no steps left for it. `factor` is
    the least multiple of the promised epsilon on the curve's grid at which the promised delta holds
    there, None where none does up to the largest factor tried.
    """

    universe: Universe
    relation: Relation
    epsilon: Fraction
    delta: Fraction
    worst: Fraction
    solved: int
    stopped: Reason
    slack: Fraction
    vacuous: bool
    unanswered: bool
    nodes: int
    steps: int = 0
    curve: tuple[tuple[Fraction, Fraction], ...] = ()
    factor: Fraction | None = Fraction(1)
    measured: int = 0
    attack: Attack | None = None

    @property
    def complete(self) -> bool:
        """Tell whether the search came to its end."""
        return self.stopped is Reason.NONE

    @property
    def refuted(self) -> bool:
        """Tell whether the promise is broken."""
        return self.attack is not None

    @property
    def open(self) -> bool:
        """Tell whether cutting noise leaves open on which side of the promise the value is."""
        return not self.refuted and self.worst + self.slack > self.delta

    @property
    def searched(self) -> str:
        """Say what was searched."""
        moves = f"every adversary of at most {self.solved} moves"
        return f"{described(self.universe)}; {moves}, {self.nodes} nodes"


def solve(
    rules: Rules,
    relation: Relation,
    universe: Universe,
    steps: int | None = None,
    moves: int | None = None,
    progress: Callable[[str], None] = lambda _: None,
    cut: bool = True,
    room: int | None = ROOM,
) -> Solution:
    """Solve a universe for given rules and neighbour relation within the steps and room allowed.

    Without a number of moves all those of the universe count: the factor is then that of the whole
    universe, otherwise that of the moves that the smallest attack takes. Noise is cut where there
    is no other way, unless that is forbidden.
    """
    rules = replace(rules, limits=universe.limits)
    budget = Steps(steps, room=room)

    def attempt(window: Window) -> Solution:
        budget.held = 0
        return _solve(rules, relation, universe, window, budget, moves, progress)

    window = first_window(rules, universe)
    solution = through_window(window, attempt, cut)
    if solution.open and solution.complete:
        solution = through_window(cut_window(window, TOLERANCES[1]), attempt)
    return replace(solution, steps=budget.taken)


def first_window(rules: Rules, universe: Universe) -> Window:
    """Return a window that contains every true sum of the paper's rules."""
    values = [trigger.value for trigger in universe.triggers]
    largest = universe.trigger_count * max(values, default=0)
    largest += universe.event_count * universe.limits.contribution_budget
    watched = bool(universe.queries) and not answers_in_full(rules)
    return Window(lowest=0, highest=max(largest, 1), watched=watched)


def cut_window(window: Window, tolerance: Fraction = TOLERANCES[0]) -> Window:
    """Return a window that is allowed to lose something; a wide one if rules look at values."""
    margin = MARGIN if window.watched else 0
    return replace(
        window,
        lowest=window.lowest - margin,
        highest=window.highest + margin,
        tolerance=tolerance,
        watched=False,
        sums=(window.lowest, window.highest),
    )


def through_window(window: Window, attempt: Callable[[Window], T], cut: bool = True) -> T:
    """Attempt something with a window that is widened, and allowed to lose, as far as needed."""
    while True:
        try:
            return attempt(window)
        except OutOfWindow as needed:
            window = replace(window, lowest=needed.lowest, highest=needed.highest)
        except Inexact:
            if window.tolerance is not None or not cut:
                raise
            window = cut_window(window)


def slack(window: Window, power: Fraction) -> Fraction:
    """Bound how far cutting noise can move a value."""
    return (1 + power) * window.lost


def answers_in_full(rules: Rules) -> bool:
    """Tell whether an answer shows noisy sums as they are, so that cutting noise loses nothing."""
    named = ("answer", "releases", "reveal", "serve")
    return all(getattr(rules, name) is getattr(PAPER, name) for name in named)


def _solve(
    rules: Rules,
    relation: Relation,
    universe: Universe,
    window: Window,
    budget: Steps,
    moves: int | None,
    progress: Callable[[str], None],
) -> Solution:
    epsilon, delta = universe.promised
    power = Power(universe.limits.base, epsilon).exact()
    answering = Answering()
    games = _games(rules, relation, universe, window, budget, answering)
    worst, solved, stopped = Fraction(0), 0, Reason.NONE
    limit = universe.moves if moves is None else min(moves, universe.moves)
    attack: Attack | None = None
    lost = slack(window, power)
    for count in range(1, limit + 1):
        try:
            values = {key: game.worst(power, count) for key, game in games.items()}
            solved, key = count, max(values, key=lambda key: values[key])
            worst = values[key]
            progress(f"{universe.name}: {count} moves, worst delta {worst}")
            if worst - lost > delta:
                unit, direction = key
                # An attack that was found is written down, however many steps that takes.
                allowed, budget.allowed = budget.allowed, None
                room, budget.room = budget.room, None
                attack = attack_of(
                    rules, relation, universe, window, games[key], unit, direction, count, power
                )
                budget.allowed = None if allowed is None else budget.taken + allowed
                budget.room = None if room is None else budget.held + room
                break
        except OutOfSteps as end:
            stopped = end.reason
            break
    solution = Solution(
        universe=universe,
        relation=relation,
        epsilon=epsilon,
        delta=delta,
        worst=worst,
        solved=solved,
        stopped=stopped,
        slack=lost,
        vacuous=_vacuous(games),
        unanswered=bool(universe.queries) and not answering.given,
        nodes=sum(game.nodes for game in games.values()),
        attack=attack,
    )
    if attack is None:
        return solution
    return _with_curve(solution, games, limit if moves is None else solved)


@dataclass(slots=True)
class Answering:
    """Note whether a query was ever answered; a changed step of the service is taken to answer."""

    given: bool = False

    def watched(self, rules: Rules) -> Rules:
        """Return the rules, watched where they answer."""

        def answer(at: AtService, batch: tuple[Report, ...], draw: Draw) -> Answer:
            self.given = True
            return rules.answer(at, batch, draw)

        return replace(rules, answer=answer)


def _games(
    rules: Rules,
    relation: Relation,
    universe: Universe,
    window: Window,
    budget: Steps,
    answering: Answering | None = None,
) -> dict[tuple[Unit, str], Game]:
    menu = SystemMenu(universe=universe, rules=rules, any_tells=relation not in RELATIONS)
    remembered = with_answers_remembered(rules, window, budget)
    if answering is not None:
        answering.given = rules.serve is not PAPER.serve
        remembered = answering.watched(remembered)
    shown = Shown(rules=remembered, budget=budget, outcomes=window.outcomes)
    late = draws_may_wait(rules, relation)

    def made(mechanism: object) -> Mechanism[Hashable, Hashable, Hashable]:
        plain = untyped(mechanism)
        return DrawnLate(mechanism=plain, shown=shown) if late else plain

    mechanism = made(SystemMechanism(rules=remembered))
    there = World(
        mechanism=mechanism, window=window, budget=budget, clients=True, parts=SystemParts()
    )
    games: dict[tuple[Unit, str], Game] = {}
    comparisons: dict[tuple[Hashable, Hashable], Comparison] = {}
    for unit in universe.units:
        without = made(relation.without(remembered, unit))
        gone = World(
            mechanism=without,
            window=window,
            budget=budget,
            clients=True,
            parts=parts_for(relation),
        )
        for direction, first, second in ((WITH, there, gone), (WITHOUT, gone, there)):
            games[unit, direction] = Game(
                first=first, second=second, menu=menu, budget=budget, comparisons=comparisons
            )
    return games


def _vacuous(games: dict[tuple[Unit, str], Game]) -> bool:
    """Tell whether the neighbour relation never made a difference to any state that was reached."""
    for (_, direction), game in games.items():
        if direction == WITH:
            for reached, others in game.reached():
                there = {seen_part(game.first.state(state)) for state in reached}
                gone = {seen_part(game.second.state(state)) for state in others}
                if there != gone:
                    return False
    return True


def seen_part(state: Hashable) -> tuple[Hashable, Hashable]:
    """Return the system of a state that the ad-tech sees, and the responses kept beside it."""
    return own_of(state), state.responses if isinstance(state, Late) else ()


def _with_curve(solution: Solution, games: dict[tuple[Unit, str], Game], moves: int) -> Solution:
    """Add the curve and the factor: first for the moves of the attack, then for more if wanted.

    They are for readers: no verdict depends on how far this goes.
    """
    for measured in sorted({solution.solved, moves}):
        try:
            solution = _measured(solution, games, measured)
        except OutOfSteps:
            break
    return solution


def _measured(solution: Solution, games: dict[tuple[Unit, str], Game], moves: int) -> Solution:
    """Add the curve and the factor over all adversaries of at most this many moves."""
    curve: dict[Fraction, Fraction] = {}

    def worst(epsilon: Fraction) -> Fraction:
        if epsilon not in curve:
            power = Power(solution.universe.limits.base, epsilon).exact()
            curve[epsilon] = max(game.worst(power, moves) for game in games.values())
        return curve[epsilon]

    factor = _least_factor(solution, worst)
    for step in range(int(solution.epsilon) + 1):
        worst(Fraction(step))
    points = tuple(sorted(curve.items()))
    attack = solution.attack
    if attack is not None and moves == solution.solved and solution.epsilon:
        times = tuple((epsilon / solution.epsilon, delta) for epsilon, delta in points)
        attack = replace(attack, curve=times)
    return replace(solution, curve=points, factor=factor, measured=moves, attack=attack)


def _least_factor(solution: Solution, worst: Callable[[Fraction], Fraction]) -> Fraction | None:
    """Return the least multiple of epsilon on the grid that keeps delta; the curve never rises."""
    low, high = solution.epsilon, LARGEST_FACTOR * solution.epsilon
    if worst(high) > solution.delta:
        return None
    grain = _grain(solution.universe)
    while high - low > grain:
        middle = low + (high - low) / grain // 2 * grain
        low, high = (middle, high) if worst(middle) > solution.delta else (low, middle)
    return high / solution.epsilon


def _grain(universe: Universe) -> Fraction:
    r"""Return a step between values of epsilon whose powers are rational.

    They are for whole numbers, and for $\varepsilon / \Lambda_1$ of every query whose noise has
    rational masses.
    """
    limits = universe.limits
    scales = [query.epsilon / limits.contribution_budget for query in universe.queries]
    powers = [Power(limits.base, scale) for scale in scales]
    return Fraction(1, lcm(*(p.exponent.denominator for p in powers if p.is_rational())))
