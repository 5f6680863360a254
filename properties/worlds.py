r"""Two worlds side by side: a script of moves with a unit and without it, at the rules' own limits.

A script is what an adversary does that does not look at the answers. It is run in both worlds, and
what is seen is compared. `BothWorlds` makes the moves one by one, on numbers or on symbols, and
keeps what differs. `attack_by` plays a list of moves: where nothing is drawn but from finite laws,
the law of what is seen is exact. Where noise is added to sums, the adversary looks whether noisy
sums lie on the side of the true sum with $x$. The draws are independent, so that the probability of
this event is a product of tails, and $P(W) - e^{\varepsilon_*} Q(W)$ is a certified lower bound of
$\delta$. Only a bound above $\delta_*$ is an attack. No limit is scaled down.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from math import prod
from typing import TypeVar, cast

from flint import ctx

from properties.attack import decimal, move_text, seen_text, shown, unit_text
from properties.attack_test import script_test
from properties.observation import Seen, encoded
from spec.aggregation_service import Answer
from spec.contributions import Unit
from spec.distributions import Distribution, Draw, Law, explore, hockey_stick
from spec.interaction import Mechanism
from spec.neighbours import Relation
from spec.noise import DiscreteLaplace, Noisy
from spec.numbers import Power, SpecError, bounds
from spec.paper import PAPER
from spec.rules import Rules
from spec.system import Move, Observation, System, SystemMechanism

PRECISION = 256
"""The bits with which probabilities are enclosed."""

MOST_OUTCOMES = 64
"""The most transcripts of a script whose law is computed."""

STEPS = 1024
"""How many moves are made to find out which of an attack it does not need."""

S = TypeVar("S")
T = TypeVar("T")

Transcript = tuple[Observation, ...]
Promise = tuple[Fraction, Fraction]

PLAIN = ("serve", "answer", "releases", "reveal", "keys")
"""The rules that must be the paper's, so that a noisy sum is shown as it is drawn."""


class CannotPlay(SpecError):
    """Report a script whose probabilities have no exact or certified value here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptAttack:
    r"""Hold a script that tells the worlds apart, with certified probabilities of its event.

    `probability` is a lower bound of the event's probability in the world it points at, `other` an
    upper bound of that in the other world, `power` an upper bound of $e^{\varepsilon}$. Where
    `exact`, the two probabilities are the numbers themselves.
    """

    relation: str
    unit: str
    moves: tuple[str, ...]
    seen_with: tuple[str, ...]
    seen_without: tuple[str, ...]
    event: str
    world: str
    epsilon: Fraction
    probability: Fraction
    other: Fraction
    power: Fraction
    allowed: Fraction
    exact: bool
    made: tuple[Move, ...]
    unit_value: Unit

    @property
    def gained(self) -> Fraction:
        """Return the delta that the attack attains at least."""
        return self.probability - self.power * self.other

    def inequality(self) -> str:
        """Return the broken inequality."""
        right = self.power * self.other + self.allowed
        least, most = ("", "") if self.exact else ("at least ", "at most ")
        return (
            f"{least}{shown(self.probability)} > e^epsilon * {most}{shown(self.other)} + "
            f"{shown(self.allowed)} = {most}{decimal(right, 9)}"
        )

    def story(self) -> str:
        """Tell the attack in a few lines that can be pasted into an issue."""
        lines = [f"The unit x is {self.unit}; neighbours: {self.relation}.", ""]
        told = groupby(zip(self.moves, self.seen_with, self.seen_without, strict=True))
        for number, ((move, mine, theirs), alike) in enumerate(told, 1):
            times = len(list(alike))
            lines.append(f"{number}. {move}" + (f" ({times} times)" if times > 1 else ""))
            if mine == theirs:
                lines += [f"   The ad-tech sees: {mine}."] if mine else []
            else:
                lines.append(f"   The ad-tech sees with x: {mine or 'nothing'}.")
                lines.append(f"   The ad-tech sees without x: {theirs or 'nothing'}.")
        lines += ["", f"{self.event} {self.inequality()}."]
        lines.append(f"This is {self.world}, at epsilon = {self.epsilon}.")
        return "\n".join(lines)

    def to_pytest(self, proposal: str) -> str:
        """Return a test file that fails on the proposal's rules and passes on the paper's."""
        return script_test(self, proposal)

    def to_json(self) -> dict[str, object]:
        """Return the attack as plain data."""
        seen = zip(self.moves, self.seen_with, self.seen_without, strict=True)
        return {
            "universe": "scripts with holes",
            "relation": self.relation,
            "unit": self.unit,
            "world": self.world,
            "epsilon": str(self.epsilon),
            "power": str(self.power),
            "allowed_delta": str(self.allowed),
            "probability": str(self.probability),
            "other_probability": str(self.other),
            "gained_delta": str(self.gained),
            "exact": self.exact,
            "inequality": self.inequality(),
            "searched": "scripts of moves at the rules' own limits",
            "steps": [
                {"move": move, "seen": mine, "seen_without": theirs} for move, mine, theirs in seen
            ],
        }


class Draws:
    """Draw for one world: noisy sums and finite laws as they are told, by their place in the run.

    `noisy` and `pick` get the place of a draw among those of its kind.
    """

    def __init__(
        self,
        noisy: Callable[[int, Noisy], int],
        pick: Callable[[int, Distribution[object]], object],
    ) -> None:
        self.noisy, self.pick = noisy, pick
        self.sums: list[Noisy] = []
        self.laws: list[Distribution[object]] = []

    @property
    def draw(self) -> Draw:
        """Return the function that draws."""

        def draw(law: T | Law[T]) -> T:
            if type(law) is Noisy:
                self.sums.append(law)
                return cast(T, self.noisy(len(self.sums), law))
            if type(law) is Distribution:
                if len(law.weights) == 1:
                    return cast(T, law.weights[0][0])
                self.laws.append(cast("Distribution[object]", law))
                return cast(T, self.pick(len(self.laws), self.laws[-1]))
            if isinstance(law, Law):
                raise CannotPlay(f"a draw from {type(law).__name__}")
            return law

        return cast(Draw, draw)


class BothWorlds:
    """Make moves with a unit and without it, and keep what is seen and drawn in each world."""

    def __init__(
        self, rules: Rules, relation: Relation, unit: Unit, draws: Callable[[], Draws]
    ) -> None:
        self.rules = rules
        self.limits = rules.limits
        self.with_unit = SystemMechanism(rules=rules)
        self.without = relation.without(rules, unit)
        self.there = self.with_unit.initial
        self.worlds = self.without.initial
        self.mine, self.theirs = draws(), draws()
        self.moves: list[Move] = []
        self.seen: list[tuple[Observation, Observation]] = []

    @property
    def gone(self) -> System:
        """Return the system without the unit."""
        return self.worlds.own

    def make(self, move: Move) -> None:
        """Make a move in both worlds."""
        self.moves.append(move)
        self.there, seen = self.with_unit.step(self.there, move, self.mine.draw)
        self.worlds, other = self.without.step(self.worlds, move, self.theirs.draw)
        self.seen.append((seen, other))


def smallest_attack(
    rules: Rules, relation: Relation, unit: Unit, moves: Sequence[Move], promised: Promise
) -> ScriptAttack | None:
    """Return the attack that a list of moves makes, without moves that it does not need.

    Longer runs of moves are left out first.
    """
    attack = attack_by(rules, relation, unit, moves, promised)
    length, steps = len(moves) // 2, STEPS
    while attack is not None and length:
        for place in range(len(moves) - length, -1, -length):
            fewer = (*moves[:place], *moves[place + length :])
            steps -= len(fewer)
            if steps < 0:
                return attack
            try:
                found = attack_by(rules, relation, unit, fewer, promised)
            except SpecError:
                continue
            if found is not None:
                attack, moves = found, fewer
        length //= 2
    return attack


def attack_by(
    rules: Rules, relation: Relation, unit: Unit, moves: Sequence[Move], promised: Promise
) -> ScriptAttack | None:
    """Play a list of moves; return the attack if it breaks the promise, else None."""
    run = BothWorlds(rules, relation, unit, lambda: Draws(place_of, first_of))
    for move in moves:
        run.make(move)
    with ctx.workprec(PRECISION):
        power = bounds(Power(rules.limits.base, promised[0]).value())[1]
    if not run.mine.sums and not run.theirs.sums:
        return by_law(rules, relation, unit, moves, promised, power)
    if list(map(chances, run.mine.laws)) != list(map(chances, run.theirs.laws)):
        raise CannotPlay("what is drawn beside noise differs between the worlds")
    if len(run.mine.sums) != len(run.theirs.sums) or any(
        encoded(mine) != encoded(theirs) for mine, theirs in run.seen
    ):
        raise CannotPlay("the worlds differ beside the noisy sums")
    if any(getattr(rules, name) is not getattr(PAPER, name) for name in PLAIN):
        if tells_little(run, promised):
            return None
        raise CannotPlay("the service shows something else than noisy sums")
    return by_sums(run, relation, unit, promised, power)


def tells_little(run: BothWorlds, promised: Promise) -> bool:
    """Tell whether noisy sums are known to tell no more than is promised, whatever is made of them.

    Then there is no attack in what is computed from them alone.
    """
    loss = Fraction(0)
    for one, other in zip(run.mine.sums, run.theirs.sums, strict=True):
        if one == other:
            continue
        mine, theirs = one.noise, other.noise
        if not (isinstance(mine, DiscreteLaplace) and mine == theirs and mine.truncation is None):
            return False
        loss += -mine.decay_power.exponent * abs(one.centre - other.centre)
    return loss <= promised[0]


def chances(law: Distribution[object]) -> tuple[Fraction, ...]:
    """Return the probabilities of a finite law, in its order."""
    return tuple(weight for _, weight in law.weights)


def place_of(place: int, law: Noisy) -> int:
    """Let every noisy sum be its place in the run, the same in both worlds."""
    del law
    return place


def first_of(place: int, law: Distribution[object]) -> object:
    """Take the first outcome of a finite law."""
    del place
    return law.weights[0][0]


def law_of(mechanism: Mechanism[S, Move, Observation], moves: Sequence[Move]) -> Distribution[Seen]:
    """Return the exact law of what is seen of a list of moves, compared as data."""
    runs = 0

    def run(draw: Draw) -> Seen:
        nonlocal runs
        runs += 1
        if runs > MOST_OUTCOMES:
            raise CannotPlay(f"more than {MOST_OUTCOMES} outcomes")
        state, seen = mechanism.initial, []
        for move in moves:
            state, observed = mechanism.step(state, move, draw)
            seen.append(observed)
        return Seen(tuple(seen))

    return explore(run)


def by_law(
    rules: Rules,
    relation: Relation,
    unit: Unit,
    moves: Sequence[Move],
    promised: Promise,
    power: Fraction,
) -> ScriptAttack | None:
    """Compare the exact laws of what is seen."""
    there = law_of(SystemMechanism(rules=rules), moves)
    gone = law_of(relation.without(rules, unit), moves)
    for world, mine, theirs in (("with x", there, gone), ("without x", gone, there)):
        if hockey_stick(mine, theirs, power) <= promised[1]:
            continue
        telling = [x for x, p in mine.items() if p > power * theirs.probability_of(x)]
        here = max(telling, key=mine.probability_of)
        elsewhere = max(theirs.support(), key=theirs.probability_of)
        seen = cast(Transcript, here.value), cast(Transcript, elsewhere.value)
        if world == "without x":
            seen = seen[1], seen[0]
        return ScriptAttack(
            relation=relation.name,
            unit=unit_text(unit),
            moves=tuple(map(move_text, moves)),
            seen_with=tuple(map(seen_text, seen[0])),
            seen_without=tuple(map(seen_text, seen[1])),
            event="What is seen tells the worlds apart:",
            world=world,
            epsilon=promised[0],
            probability=sum(map(mine.probability_of, telling), Fraction(0)),
            other=sum(map(theirs.probability_of, telling), Fraction(0)),
            power=power,
            allowed=promised[1],
            exact=True,
            made=tuple(moves),
            unit_value=unit,
        )
    return None


def by_sums(
    run: BothWorlds, relation: Relation, unit: Unit, promised: Promise, power: Fraction
) -> ScriptAttack | None:
    """Bound the probability that the noisy sums that tell most lie on the side of x.

    Whatever else is drawn comes out as it did in this run, with the same chance in both worlds.
    """
    with ctx.workprec(PRECISION):
        pairs = zip(run.mine.sums, run.theirs.sums, strict=True)
        sides = [(one, other, *on_the_side(one, other)) for one, other in pairs if one != other]
    sides.sort(key=lambda side: side[3] / side[2])
    mine = theirs = prod((law.weights[0][1] for law in run.mine.laws), start=Fraction(1))
    best, used = promised[1], 0
    for number, (_, _, likely, unlikely) in enumerate(sides, 1):
        mine, theirs = mine * likely, theirs * unlikely
        if mine - power * theirs > best:
            best, used, found = mine - power * theirs, number, (mine, theirs)
    if not used:
        return None
    sums = ", ".join(
        f"{one.centre} with x and {other.centre} without x" for one, other, _, _ in sides[:used]
    )
    return ScriptAttack(
        relation=relation.name,
        unit=unit_text(unit),
        moves=tuple(map(move_text, run.moves)),
        seen_with=tuple(places_text(seen) for seen, _ in run.seen),
        seen_without=tuple(places_text(seen) for _, seen in run.seen),
        event=f"True sums are {sums}. That the noisy sums lie on the side of x:",
        world="with x",
        epsilon=promised[0],
        probability=found[0],
        other=found[1],
        power=power,
        allowed=promised[1],
        exact=False,
        made=tuple(run.moves),
        unit_value=unit,
    )


def on_the_side(one: Noisy, other: Noisy) -> tuple[Fraction, Fraction]:
    """Bound how likely a noisy sum is to reach the true sum with x, with x and without it.

    The first is a lower bound and the second an upper bound.
    """
    if one.centre >= other.centre:
        mine, theirs = one.noise.tail(-1), other.noise.tail(one.centre - 1 - other.centre)
        return bounds(mine)[0], bounds(theirs)[1]
    mine, theirs = one.noise.tail(0), other.noise.tail(one.centre - other.centre)
    return 1 - bounds(mine)[1], 1 - bounds(theirs)[0]


def places_text(observed: Observation) -> str:
    """Tell what is seen, with noisy sums left open."""

    def part(each: Hashable) -> str:
        if isinstance(each, Answer):
            keys = ", ".join(f"key {key}: a noisy sum" for key, _ in each.released)
            return f"the summary {{{keys}}}"
        return seen_text((each,))

    return "; ".join(map(part, observed))
