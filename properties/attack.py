r"""An attack: the adversary's moves, both worlds' probabilities, and the inequality they break.

An attack is replayed through the specification before anyone sees it: the strategy is run again
from the start, without any memory of the game, and the probabilities of its event are added up in
both worlds.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, fields, is_dataclass
from fractions import Fraction
from typing import cast

from properties.attack_test import attack_test
from properties.game import Branch, Game, Plan, Window, observed
from properties.observation import Seen
from properties.universe import described
from spec.aggregation_service import Aborted, Answer, Query
from spec.attribution_client import DEVICE, Source, Trigger
from spec.contributions import Unit
from spec.distributions import Draw, explore
from spec.event_client import EventReport, EventSource, EventTrigger
from spec.interaction import Mechanism
from spec.neighbours import RELATIONS, Relation, Worlds
from spec.numbers import SpecError
from spec.private_aggregation_client import DeviceWindow, Event, Program
from spec.rules import Limits, Rules
from spec.system import Move, PassTime, System, SystemMechanism
from spec.universe import Universe

Transcript = tuple[Hashable, ...]

LONGEST = 60
SHORT = 24
"""The most characters of a number that is written exactly, alone and within a sentence."""

DIGITS = 9


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

    @property
    def gained(self) -> Fraction:
        """Return the exact delta that the attack attains."""
        return self.probability - self.power * self.other

    def inequality(self) -> str:
        """Return the broken inequality with both sides as fractions and as decimals."""
        right = self.power * self.other + self.allowed
        return (
            f"{self.probability} > {self.power} * {self.other} + {self.allowed} = {right}, "
            f"that is {decimal(self.probability)} > {decimal(right)}"
        )

    def story(self) -> str:
        """Tell the attack in a few lines that can be pasted into an issue."""
        lines = [
            f"The unit x is {self.unit}; neighbours: {self.relation}.",
            "",
        ]
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
            f"What tells the worlds apart has probability {self.probability} {self.world} and "
            f"{self.other} {other}.",
            f"At epsilon = {self.epsilon} (e^epsilon = {self.power}) and delta = {self.allowed}: "
            f"{self.inequality()}.",
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
            "searched": self.searched,
            "steps": [
                {
                    "move": step.move,
                    "seen": step.seen,
                    "probability_with": str(step.probability_with),
                    "probability_without": str(step.probability_without),
                    "ledger_with": step.ledger_with,
                    "ledger_without": step.ledger_without,
                }
                for step in self.steps
            ],
        }


def decimal(value: Fraction, digits: int = 6) -> str:
    """Return a fraction rounded to a few decimals, with integers only."""
    scaled = (abs(value.numerator) * 10**digits * 2 + value.denominator) // (2 * value.denominator)
    whole, rest = divmod(scaled, 10**digits)
    text = f"{whole}.{rest:0{digits}}".rstrip("0").rstrip(".")
    return ("-" if value < 0 and scaled else "") + text


def shown(value: Fraction, longest: int = LONGEST) -> str:
    """Return a number exactly if that is short, and else to a few digits."""
    bits = value.numerator.bit_length() + value.denominator.bit_length()
    if bits <= 4 * longest and len(str(value)) <= longest:
        return str(value)
    return f"about {'-' if value < 0 else ''}{scientific(abs(value), DIGITS)}"


def scientific(value: Fraction, digits: int = 5) -> str:
    """Return a fraction rounded to a few significant digits, with a power of ten if it is small."""
    if value == 0 or value >= Fraction(1, 1000):
        return significant(value, digits)
    power = 0
    while value < 1:
        value, power = value * 10, power + 1
    return f"{significant(value, digits)}e-{power}"


def significant(value: Fraction, digits: int = 5) -> str:
    """Return a fraction rounded to a few significant digits, with integers only."""
    if value >= 10**digits:
        return str(round(value))
    places = digits - 1
    while places and value >= 10 ** (digits - places):
        places -= 1
    while 0 < value * 10**places < 10 ** (digits - 1) and places < 60:
        places += 1
    whole, rest = divmod(round(value * 10**places), 10**places)
    return f"{whole}.{rest:0{places}}".rstrip("0").rstrip(".") if places else str(whole)


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
            follow_state(
                there,
                states[0],
                now.action,
                branch.response,
                window,
            ),
            follow_state(
                gone,
                states[1],
                now.action,
                branch.response,
                window,
            ),
        )
        steps.append(
            AttackStep(
                move=move_text(cast(Move, now.action)),
                seen=seen_text(branch.response),
                probability_with=mine,
                probability_without=theirs,
                ledger_with=ledger_text(states[0]),
                ledger_without=ledger_text(states[1]),
            )
        )
        now = branch.then
    return tuple(steps)


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


def unit_text(unit: Unit) -> str:
    """Name a unit in words."""
    if isinstance(unit, DeviceWindow):
        return f"device {unit.device!r} in window {unit.window}"
    return f"source {unit!r}" if isinstance(unit, str) else str(unit)


def move_text(move: Move) -> str:
    """Tell a move in a sentence."""
    match move:
        case Source():
            own = extra(move, Source)
            return (
                f"Source {move.source_id!r} is registered{place(move)}: filters "
                f"{words(move.filters)}, expiry {move.expiry}, key piece {move.key}{own}."
            )
        case Trigger():
            named = f" {move.trigger_id!r}" if move.trigger_id else ""
            return (
                f"A trigger{named} is registered{place(move)}: filters "
                f"{words(move.filters)}, value {move.value}, key piece {move.key}, "
                f"report {move.report_id}{extra(move, Trigger)}."
            )
        case Event():
            doing = program_text(move.program)
            return (
                f"Device {move.device!r} runs a program, report {move.report_id}: "
                f"{doing.rstrip('.')}{extra(move, Event)}."
            )
        case EventSource():
            data = ", ".join(
                f"data {spec.data} windows {list(spec.windows)} buckets {list(spec.buckets)}"
                for spec in move.specifications
            )
            return (
                f"Event-level source {move.source_id!r} is registered{place(move)}: filters "
                f"{words(move.filters)}, expiry {move.expiry}, at most {move.maximum_reports} "
                f"reports, {data}{extra(move, EventSource)}."
            )
        case EventTrigger():
            return (
                f"An event-level trigger is registered{place(move)}: filters "
                f"{words(move.filters)}, data {move.data}, value {move.value}"
                f"{extra(move, EventTrigger)}."
            )
        case PassTime():
            return f"Time passes to {move.until}."
        case Query():
            asked = f", keys {list(move.keys)}"
            if move.discovers_keys:
                asked = ", with key discovery"
            epsilon, delta = shown(move.epsilon, SHORT), shown(move.delta, SHORT)
            return (
                f"The ad-tech asks for reports {list(move.report_ids)} with epsilon "
                f"{epsilon}, delta {delta}{asked}{extra(move, Query)}."
            )


def place(move: Source | Trigger | EventSource | EventTrigger) -> str:
    """Tell on which device a move happens, where one is named."""
    return "" if move.device == DEVICE else f" on device {move.device!r}"


def program_text(program: Program) -> str:
    """Tell what a program does: as it tells itself, or by the first line of its docstring."""
    told = getattr(program, "told", None)
    text = told() if callable(told) else program.__doc__ or getattr(program, "__name__", "")
    return str(text).strip().partition("\n")[0] or "a program"


def extra(value: object, known: type) -> str:
    """Tell the fields that a proposal added."""
    if type(value) is known or not is_dataclass(value):
        return ""
    mine = {f.name for f in fields(known)}
    added = [f.name for f in fields(value) if f.name not in mine]
    return "".join(f", {name} {getattr(value, name)}" for name in added)


def words(names: Iterable[str]) -> str:
    """List names in a fixed order."""
    return "{" + ", ".join(sorted(names)) + "}"


def seen_text(response: Hashable) -> str:
    """Tell what the ad-tech sees in words."""
    if not isinstance(response, tuple):
        return str(response)
    return "; ".join(_seen(part) for part in response)


def _seen(part: Hashable) -> str:
    match part:
        case Answer():
            released = ", ".join(f"key {key}: {value}" for key, value in part.released)
            return f"the summary {{{released}}}"
        case Aborted():
            return "the query is refused"
        case EventReport():
            return (
                f"an event-level report (source {part.source_id!r}, data {part.data}, "
                f"bucket {part.bucket})"
            )
        case int():
            return f"report {part} arrives"
    return str(part)
