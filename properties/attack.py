r"""An attack: the adversary's moves, both worlds' probabilities, and the inequality they break.

An attack is replayed through the specification before anyone sees it: the strategy is run again
from the start, without any memory of the game, and the probabilities of its event are added up in
both worlds.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import cast

from properties.attack_test import attack_test
from properties.game import Branch, Game, Plan, Window, observed
from properties.noise_told import Told, noise_told, without_noise
from properties.numerals import SHORT, beside, decimal, shown
from properties.observation import Seen
from properties.telling import move_text, seen_text, unit_text
from properties.universes import described
from properties.worlds import BothWorlds
from spec.contributions import Unit
from spec.distributions import Draw, explore
from spec.interaction import Mechanism
from spec.neighbours import RELATIONS, Relation, Worlds
from spec.numbers import SpecError
from spec.rules import Limits, Rules
from spec.system import Move, System, SystemMechanism
from spec.universe import Universe

Transcript = tuple[Hashable, ...]


class DoesNotReplay(SpecError):
    """Report an attack that gives other numbers when it is run again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackStep:
    """Hold one move of an attack, what was seen, and how likely that is in both worlds so far."""

    move: str
    seen: str
    probability_with: Fraction
    probability_without: Fraction
    ledger_with: str
    ledger_without: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack:
    r"""Hold a replayed attack.

    `steps` is the most telling line of the strategy. `probability` and `other` are those of the
    attack's event in the world it points at and in the other one. They break probability <= power
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
    unit_value: Unit
    window: Window
    limits: Limits
    relation_is_own: bool
    noise: Told | None

    @property
    def gained(self) -> Fraction:
        """Return the exact delta that the attack attains."""
        return self.probability - self.power * self.other

    def inequality(self) -> str:
        """Return the broken inequality with both sides as fractions and as decimals."""
        right = self.power * self.other + self.allowed
        left, power, other, allowed, total = (
            shown(each, SHORT)
            for each in (self.probability, self.power, self.other, self.allowed, right)
        )
        return (
            f"{left} > {power} * {other} + {allowed} = {total}, "
            f"that is {decimal(self.probability)} > {decimal(right)}"
        )

    def story(self) -> str:
        """Tell the attack in a few lines that can be pasted into an issue."""
        lines = [f"The unit x is {self.unit}; neighbours: {self.relation}.", ""]
        for number, step in enumerate(self.steps, 1):
            lines.append(f"{number}. {step.move}")
            if step.seen:
                lines.append(f"   The ad-tech sees: {step.seen}.")
            lines.append(
                f"   Probability so far: {decimal(step.probability_with)} with x, "
                f"{decimal(step.probability_without)} without x."
            )
        other = "without x" if self.world == "with x" else "with x"
        lines += [
            "",
            f"What tells the worlds apart has probability {beside(self.probability)} {self.world} "
            f"and {beside(self.other)} {other}.",
            f"At ε = {self.epsilon} (e^ε = {shown(self.power, SHORT)}) and δ = "
            f"{shown(self.allowed, SHORT)}: {self.inequality()}.",
            f"Searched: {self.searched}; nothing smaller breaks the promise there.",
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
            "inequality": self.inequality(),
            "noise": self.noise,
            "searched": self.searched,
            "steps": [
                {name: str(value) for name, value in asdict(step).items()} for step in self.steps
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
    """Read the attack off a solved game and replay it."""
    epsilon, allowed = universe.promised
    plan = game.plan(game.root(power), moves)
    if plan is None:
        raise DoesNotReplay("the game has no strategy for its value")
    probability, elsewhere = replayed(rules, relation, unit, plan, window, direction, power)
    if probability - power * elsewhere <= allowed:
        raise DoesNotReplay(f"replayed, the attack gains {probability - power * elsewhere} only")
    return Attack(
        universe=universe.name,
        relation=relation.name,
        unit=unit_text(unit),
        world=direction,
        epsilon=f"{shown(epsilon, SHORT)} ln {universe.limits.base.value}",
        steps=main_line(rules, relation, unit, plan, direction, power, window),
        probability=probability,
        other=elsewhere,
        power=power,
        allowed=allowed,
        searched=f"{described(universe)}, every adversary of at most {moves} moves",
        strategy=plan,
        unit_value=unit,
        window=window,
        limits=universe.limits,
        relation_is_own=relation not in RELATIONS,
        noise=noise_on_main_line(rules, relation, unit, plan)
        if probability - elsewhere < 1
        else None,
    )


def replayed(
    rules: Rules,
    relation: Relation,
    unit: Unit,
    plan: Plan,
    window: Window,
    world: str,
    power: Fraction,
) -> tuple[Fraction, Fraction]:
    """Play a strategy in both worlds; return the probabilities of what tells them apart."""
    there = play(untyped(SystemMechanism(rules=rules)), plan, window)
    gone = play(untyped(relation.without(rules, unit)), plan, window)
    mine, theirs = (there, gone) if world == "with x" else (gone, there)
    telling = {seen for seen, p in mine.items() if p > power * theirs.get(seen, Fraction(0))}
    return (
        sum((mine[seen] for seen in telling), Fraction(0)),
        sum((theirs.get(seen, Fraction(0)) for seen in telling), Fraction(0)),
    )


def untyped(mechanism: object) -> Mechanism[Hashable, Hashable, Hashable]:
    """Return a mechanism whose states, actions and responses are taken as they come."""
    return cast("Mechanism[Hashable, Hashable, Hashable]", mechanism)


def play(
    mechanism: Mechanism[Hashable, Hashable, Hashable], plan: Plan, window: Window
) -> dict[Transcript, Fraction]:
    """Return the exact probability of every transcript of a strategy."""
    found: dict[Transcript, Fraction] = {}

    def go(state: Hashable, now: Plan | None, seen: Transcript, weight: Fraction) -> None:
        if now is None:
            found[seen] = found.get(seen, Fraction(0)) + weight
            return
        follow = {observed(branch.response): branch.then for branch in now.branches}
        law = explore(
            lambda draw: observed_step(mechanism, state, now.action, draw), window.outcomes
        )
        for (after, response), share in law.items():
            go(after.value, follow.get(response), (*seen, response), weight * share)

    go(mechanism.initial, plan, (), Fraction(1))
    return found


def main_line(
    rules: Rules,
    relation: Relation,
    unit: Unit,
    plan: Plan,
    direction: str,
    power: Fraction,
    window: Window,
) -> tuple[AttackStep, ...]:
    """Follow the branch that tells most, and note what is seen and the state of every ledger."""
    steps: list[AttackStep] = []
    there = untyped(SystemMechanism(rules=rules))
    gone = untyped(relation.without(rules, unit))
    states: tuple[Hashable, Hashable] = (there.initial, gone.initial)
    now: Plan | None = plan
    while now is not None:
        branch = max(now.branches, key=gain)
        mine, theirs = branch.with_unit, branch.without_unit / power
        if direction != "with x":
            mine, theirs = theirs, mine
        states = (
            follow_state(there, states[0], now.action, branch.response, window),
            follow_state(gone, states[1], now.action, branch.response, window),
        )
        steps.append(
            AttackStep(
                move=move_text(cast(Move, now.action), rules.limits.base),
                seen=seen_text(branch.response),
                probability_with=mine,
                probability_without=theirs,
                ledger_with=ledger_text(states[0]),
                ledger_without=ledger_text(states[1]),
            )
        )
        now = branch.then
    return tuple(steps)


def noise_on_main_line(rules: Rules, relation: Relation, unit: Unit, plan: Plan) -> Told | None:
    """Return the noise that the branch which tells most is up against, if it can be said."""
    run = BothWorlds(rules, relation, unit, without_noise)
    now: Plan | None = plan
    try:
        while now is not None:
            run.make(cast(Move, now.action))
            now = max(now.branches, key=gain).then
    except SpecError:
        return None
    return noise_told(run.mine.sums, run.theirs.sums)


def gain(branch: Branch) -> Fraction:
    """Return what a branch contributes to the adversary's gain, whatever follows it."""
    if branch.then is None:
        return max(branch.with_unit - branch.without_unit, Fraction(0))
    return sum((gain(child) for child in branch.then.branches), Fraction(0))


def follow_state(
    mechanism: Mechanism[Hashable, Hashable, Hashable],
    state: Hashable,
    action: Hashable,
    response: Hashable,
    window: Window,
) -> Hashable:
    """Return a state after an action and a response, or None where the response is impossible."""
    if state is None:
        return None
    law = explore(lambda draw: observed_step(mechanism, state, action, draw), window.outcomes)
    expected = observed(response)
    return next((after.value for (after, seen), _ in law.items() if seen == expected), None)


def observed_step(
    mechanism: Mechanism[Hashable, Hashable, Hashable], state: object, action: Hashable, draw: Draw
) -> tuple[Seen, Hashable]:
    """Make a step; the next state and what is seen are compared as data."""
    after, response = mechanism.step(state, action, draw)
    return Seen(after), observed(response)


def ledger_text(state: object) -> str:
    """Say what every unit has contributed and every report has been charged."""
    system = state.own if isinstance(state, Worlds) else state
    if not isinstance(system, System):
        return "impossible"
    budgets = [
        f"{unit_text(unit)} {budget.value} in {budget.count}"
        for clients in (system.attribution, system.aggregation)
        for client in clients.values()
        for unit, budget in client.budgets.items()
    ]
    charged = [
        f"report {entry} ({spent.epsilon}, {spent.delta})"
        for entry, spent in system.service.ledger.items()
    ]
    parts = []
    if budgets:
        parts.append("contributed: " + ", ".join(sorted(budgets)))
    if charged:
        parts.append("charged: " + ", ".join(sorted(charged)))
    return "; ".join(parts)
