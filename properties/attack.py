r"""An attack: the adversary's moves, both worlds' probabilities, and the inequality they break.

An attack is replayed through the specification before anyone sees it: the strategy is run again
from the start, without any memory of the game, and the probabilities of its event are added up in
both worlds. Where its moves do as well whatever is answered, they are told as a list, with simple
numbers.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import cast

from properties.attack_test import attack_test
from properties.game import Game, Plan, Window, observed
from properties.game.responses import bare
from properties.noise_told import Told, noise_told, without_noise
from properties.numerals import SHORT, beside, bound, decimal, shown
from properties.replay import (
    Law,
    Transcript,
    in_order,
    laws_of,
    observed_step,
    simplest_line,
    told_apart,
    untyped,
)
from properties.telling import epsilon_text, folded, move_text, seen_text, unit_text
from properties.universes import described
from properties.worlds import BothWorlds
from spec import distributions
from spec.contributions import Unit
from spec.distributions import explore
from spec.interaction import Mechanism
from spec.neighbours import RELATIONS, Relation, Worlds
from spec.noise import Noisy
from spec.numbers import SpecError
from spec.rules import Limits, Rules
from spec.system import Move, System, SystemMechanism
from spec.universe import Universe


class DoesNotReplay(SpecError):
    """Report an attack that gives other numbers when it is run again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackStep:
    """Hold one move of an attack, and what is seen of it in both worlds.

    In the world that the attack points at it is what tells most, in the other what is likeliest
    after the same beginning. The probabilities are those of what tells most, from the start.
    `otherwise` are the moves that follow in its place if something else is seen.
    """

    move: str
    seen_with: str
    seen_without: str
    probability_with: Fraction
    probability_without: Fraction
    ledger_with: str
    ledger_without: str
    otherwise: tuple[str, ...] = ()

    @property
    def row(self) -> tuple[str, ...]:
        """Return all that is told of the step in a story."""
        likely = map(decimal, (self.probability_with, self.probability_without))
        return (self.move, self.seen_with, self.seen_without, *likely, *self.otherwise)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack:
    r"""Hold a replayed attack.

    `steps` is the most telling line of the strategy; `made` are its moves if they do not depend on
    what is answered. `curve` holds multiples of the promised epsilon with the worst delta that any
    adversary of as many moves attains there. `probability` and `other` are those of the
    attack's event in the world it points at and in the other one, bounds if they are not `exact`
    because noise was cut. They break probability <= power
    * other + allowed, with power $e^{\varepsilon}$.
    """

    universe: str
    relation: str
    unit: str
    world: str
    epsilon: str
    steps: tuple[AttackStep, ...]
    probability: Fraction
    other: Fraction
    power: Fraction
    allowed: Fraction
    searched: str
    strategy: Plan
    made: tuple[Move, ...] | None
    unit_value: Unit
    window: Window
    limits: Limits
    relation_is_own: bool
    noise: Told | None
    curve: tuple[tuple[Fraction, Fraction], ...] = ()

    @property
    def gained(self) -> Fraction:
        """Return the delta that the attack attains, at least so much if it is not exact."""
        return self.probability - self.power * self.other

    @property
    def exact(self) -> bool:
        """Tell whether the probabilities are exact; otherwise they are certified bounds."""
        return not self.window.lost

    @property
    def likely(self) -> str:
        """Write the probability in the world that the attack points at; a bound is called one."""
        if self.exact:
            return beside(self.probability)
        return f"at least {bound(self.probability)}"

    @property
    def unlikely(self) -> str:
        """Write the probability in the other world; a bound is called one."""
        return beside(self.other) if self.exact else f"at most {bound(self.other, up=True)}"

    def inequality(self) -> str:
        """Return the broken inequality: exact sides as fractions and as decimals, else bounds."""
        right = self.power * self.other + self.allowed
        if not self.exact:
            return (
                f"{self.likely} > {shown(self.power, SHORT)} * {bound(self.other, up=True)} + "
                f"{shown(self.allowed, SHORT)} = at most {bound(right, up=True)}"
            )
        left, power, other, allowed, total = (
            shown(each, SHORT)
            for each in (self.probability, self.power, self.other, self.allowed, right)
        )
        return (
            f"{left} > {power} * {other} + {allowed} = {total}, "
            f"that is {decimal(self.probability)} > {decimal(right)}"
        )

    @property
    def told(self) -> list[tuple[tuple[str, ...], int, AttackStep]]:
        """Return what is told of each step, like ones folded, counted, with the last of them."""
        rows, done = [], 0
        for row, times in folded([step.row for step in self.steps]):
            done += times
            rows.append((row, times, self.steps[done - 1]))
        return rows

    def story(self) -> str:
        """Tell the attack in a few lines that can be pasted into an issue."""
        lines = [f"The unit x is {self.unit}; neighbours: {self.relation}.", ""]
        before = ("1", "1")
        for number, ((move, mine, theirs, *_), times, step) in enumerate(self.told, 1):
            lines.append(f"{number}. {move}" + (f" ({times} times)" if times > 1 else ""))
            if mine == theirs:
                lines += [f"   The ad-tech sees: {mine}."] if mine else []
            else:
                lines.append(f"   The ad-tech sees with x: {mine or 'nothing'}.")
                lines.append(f"   The ad-tech sees without x: {theirs or 'nothing'}.")
            likely = decimal(step.probability_with), decimal(step.probability_without)
            if likely != before:
                before = likely
                lines.append(
                    f"   What is seen {self.world} has probability {before[0]} so far with x, and "
                    f"{before[1]} without x."
                )
            lines += [f"   If something else is seen, next: {each}" for each in step.otherwise]
        other = "without x" if self.world == "with x" else "with x"
        lines += [
            "",
            f"What tells the worlds apart has probability {self.likely} {self.world} and "
            f"{self.unlikely} {other}.",
            f"At ε = {self.epsilon} (e^ε = {shown(self.power, SHORT)}) and δ = "
            f"{shown(self.allowed, SHORT)}: {self.inequality()}.",
            f"Searched: {self.searched}; no fewer moves break the promise there.",
        ]
        return "\n".join(lines)

    def to_pytest(self, proposal: str) -> str:
        """Return a test file that fails on the proposal's rules and passes on the paper's."""
        return attack_test(self, proposal)

    def to_json(self) -> dict[str, object]:
        """Return the attack as plain data."""
        return {
            "universe": self.universe,
            "relation": self.relation,
            "unit": self.unit,
            "world": self.world,
            "epsilon": self.epsilon,
            "power": str(self.power),
            "allowed_delta": str(self.allowed),
            "probability": str(self.probability),
            "other_probability": str(self.other),
            "gained_delta": str(self.gained),
            "exact": self.exact,
            "inequality": self.inequality(),
            "noise": self.noise,
            "curve": [[str(times), str(delta)] for times, delta in self.curve],
            "searched": self.searched,
            "steps": [
                {
                    "move": move,
                    "seen": mine,
                    "seen_without": theirs,
                    "times": times,
                    "probability_with": str(step.probability_with),
                    "probability_without": str(step.probability_without),
                    "ledger_with": step.ledger_with,
                    "ledger_without": step.ledger_without,
                    "otherwise": list(step.otherwise),
                }
                for (move, mine, theirs, *_), times, step in self.told
            ],
        }


def attack_of(
    rules: Rules,
    relation: Relation,
    universe: Universe,
    window: Window,
    game: Game,
    unit: Unit,
    direction: str,
    moves: int,
    power: Fraction,
) -> Attack:
    """Read the attack off a solved game, replay it, and give its moves simple numbers."""
    epsilon, allowed = universe.promised
    plan = game.plan(game.root(power), moves)
    if plan is None:
        raise DoesNotReplay("the game has no strategy for its value")
    laws = laws_of(rules, relation, unit, plan, window)
    probability, elsewhere = told_apart(laws, direction, power)
    gained = probability - power * elsewhere
    least = gained - (1 + power) * window.lost
    if least <= allowed:
        raise DoesNotReplay(f"replayed, the attack gains {least} only")
    line = tuple(cast(Move, at.action) for at, _ in telling_line(plan, laws, direction, power))
    simple = simplest_line(rules, relation, unit, line, window, direction, power, gained)
    if simple is not None:
        unit, plan, line = simple.unit_value, in_order(simple.made), simple.made
        probability, elsewhere = simple.probability, simple.other
        laws = laws_of(rules, relation, unit, plan, window)
    # Where noise was cut, these are bounds.
    probability, elsewhere = probability - window.lost, elsewhere + window.lost
    certain = probability - elsewhere == 1
    return Attack(
        universe=universe.name,
        relation=relation.name,
        unit=unit_text(unit),
        world=direction,
        epsilon=epsilon_text(epsilon, universe.limits.base).removeprefix("ε = "),
        steps=main_line(rules, relation, unit, plan, laws, direction, power, window),
        probability=probability,
        other=elsewhere,
        power=power,
        allowed=allowed,
        searched=f"{described(universe)}, every adversary of at most {moves} moves",
        strategy=plan,
        made=None if simple is None else line,
        unit_value=unit,
        window=window,
        limits=universe.limits,
        relation_is_own=relation not in RELATIONS,
        noise=None if certain else noise_on(rules, relation, unit, line),
    )


def telling_line(
    plan: Plan, laws: tuple[Law, Law], world: str, power: Fraction
) -> list[tuple[Plan, Hashable]]:
    """Return the plans and responses along the transcripts that add most to what is gained."""
    mine, theirs = laws if world == "with x" else laws[::-1]
    gains = {x: max(p - power * theirs.get(x, Fraction(0)), Fraction(0)) for x, p in mine.items()}
    line: list[tuple[Plan, Hashable]] = []
    now: Plan | None = plan
    while now is not None:
        response = likeliest(gains, tuple(seen for _, seen in line))
        line.append((now, response))
        follow = {observed(branch.response): branch.then for branch in now.branches}
        now = follow.get(response, now.otherwise)
    return line


def followed_by(plan: Plan) -> list[Hashable]:
    """Return the actions that may follow the first one of a plan, as they come."""
    after = (*(branch.then for branch in plan.branches), plan.otherwise)
    return list(dict.fromkeys(each.action for each in after if each is not None))


def likeliest(weights: Law, beginning: Transcript) -> Hashable:
    """Return the response with most weight after the beginning of a transcript, None if none is."""
    found: dict[Hashable, Fraction] = {}
    for seen, weight in weights.items():
        if seen[: len(beginning)] == beginning and len(seen) > len(beginning):
            response = seen[len(beginning)]
            found[response] = found.get(response, Fraction(0)) + weight
    return max(found, key=lambda response: found[response], default=None)


def begins_with(weights: Law, beginning: Transcript) -> Fraction:
    """Return the probability of the transcripts that begin in a given way."""
    alike = (weight for seen, weight in weights.items() if seen[: len(beginning)] == beginning)
    return sum(alike, Fraction(0))


class Cutting:
    """List outcomes as a window does, and note whether it cut noise that has no ends."""

    def __init__(self, window: Window) -> None:
        self.window = window
        self.cut = False

    def outcomes(self, law: distributions.Law[object]) -> Iterable[tuple[object, Fraction]]:
        """List a law's outcomes."""
        self.cut |= isinstance(law, Noisy) and None in law.noise.support
        return self.window.outcomes(law)

    def value_text(self, value: object) -> str:
        """Tell a noisy value; one that stands for all beyond an end of the window says so."""
        if self.cut and value == self.window.highest:
            return f"{self.window.highest} or more"
        if self.cut and value == self.window.lowest:
            return f"{self.window.lowest} or less"
        return str(value)


def main_line(
    rules: Rules,
    relation: Relation,
    unit: Unit,
    plan: Plan,
    laws: tuple[Law, Law],
    world: str,
    power: Fraction,
    window: Window,
) -> tuple[AttackStep, ...]:
    """Follow the transcript that tells most, and note what is seen and the state of every ledger.

    Where the other world likely shows something else after the same beginning, that is noted, too.
    """
    steps: list[AttackStep] = []
    mechanisms = untyped(SystemMechanism(rules=rules)), untyped(relation.without(rules, unit))
    states: list[Hashable] = [mechanism.initial for mechanism in mechanisms]
    beginning: Transcript = ()
    line = telling_line(plan, laws, world, power)
    for (at, response), after in zip(line, [*(then for then, _ in line[1:]), None], strict=True):
        action = at.action
        cutting = Cutting(window)
        states = [
            follow_state(mechanism, state, action, response, cutting)
            for mechanism, state in zip(mechanisms, states, strict=True)
        ]
        there, gone = (
            other_text(law, beginning, response, cutting)
            if place != ("with x", "without x").index(world)
            else seen_text(bare(response), cutting.value_text)
            for place, law in enumerate(laws)
        )
        beginning = (*beginning, response)
        steps.append(
            AttackStep(
                move=move_text(cast(Move, action), rules.limits.base),
                seen_with=there,
                seen_without=gone,
                probability_with=begins_with(laws[0], beginning),
                probability_without=begins_with(laws[1], beginning),
                ledger_with=ledger_text(states[0]),
                ledger_without=ledger_text(states[1]),
                otherwise=tuple(
                    move_text(cast(Move, other), rules.limits.base)
                    for other in followed_by(at)
                    if after is None or other != after.action
                ),
            )
        )
    return tuple(steps)


def other_text(law: Law, beginning: Transcript, response: Hashable, cutting: Cutting) -> str:
    """Tell what is likeliest in the world that an attack does not point at, after a beginning."""
    before = begins_with(law, beginning)
    likely = likeliest(law, beginning)
    if not before:
        return "it does not come to this"
    told = seen_text(bare(likely), cutting.value_text)
    certain = begins_with(law, (*beginning, likely)) == before
    return told if certain or likely == response else f"most likely {told or 'nothing'}"


def noise_on(rules: Rules, relation: Relation, unit: Unit, moves: Iterable[Move]) -> Told | None:
    """Return the noise that the moves of an attack are up against, if it can be said."""
    run = BothWorlds(rules, relation, unit, without_noise)
    try:
        for move in moves:
            run.make(move)
    except SpecError:
        return None
    return noise_told(run.mine.sums, run.theirs.sums)


def follow_state(
    mechanism: Mechanism[Hashable, Hashable, Hashable],
    state: Hashable,
    action: Hashable,
    response: Hashable,
    cutting: Cutting,
) -> Hashable:
    """Return a state after an action and a response, or None where the response is impossible."""
    if state is None:
        return None
    law = explore(lambda draw: observed_step(mechanism, state, action, draw), cutting.outcomes)
    return next((after.value for (after, seen), _ in law.items() if seen == response), None)


def ledger_text(state: object) -> str:
    """Say what every unit has contributed and every report has been charged."""
    system = state.own if isinstance(state, Worlds) else state
    if not isinstance(system, System):
        return "impossible"
    budgets = [
        f"{unit_text(unit)} (sum {budget.value}, number {budget.count})"
        for clients in (system.attribution, system.aggregation)
        for client in clients.values()
        for unit, budget in client.budgets.items()
        if budget.count
    ]
    charged = [
        f"report {entry} (ε {spent.epsilon}, δ {spent.delta})"
        for entry, spent in system.service.ledger.items()
    ]
    parts = []
    if budgets:
        parts.append("contributed: " + ", ".join(sorted(budgets)))
    if charged:
        parts.append("charged: " + ", ".join(sorted(charged)))
    return "; ".join(parts)
