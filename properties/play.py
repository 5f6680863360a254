r"""Play a list of moves in both worlds: an attack with certified numbers, if there is one.

Where nothing is drawn but from finite laws, the law of what is seen is exact. Where the service
shows noisy sums as they are drawn, they are independent, and each has an event that points at one
world; `properties/parts.py` puts these together. Where it makes something else of them, the event
is everything that one way through the run can show (`properties/images.py`).

For every event $W$ the difference $P(W) - e^{\varepsilon_*} Q(W)$ is a certified lower bound of
$\delta$. Only a bound above $\delta_*$ is an attack.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from fractions import Fraction
from typing import Any, TypeVar, cast

from flint import ctx

from properties.images import Image, Runner, at_point, images_of, point_of
from properties.likely import likely_law
from properties.noise_told import Told, noise_told, without_noise
from properties.observation import Seen, encoded
from properties.parts import PRECISION, ListedTwice, Parts, parts_of, shows_as_drawn
from properties.script_attack import ScriptAttack
from properties.simpler import simplest
from properties.telling import key_text, move_text, seen_text, unit_text
from properties.worlds import BothWorlds, CannotPlay
from spec.aggregation_service import Answer, Query
from spec.contributions import Unit
from spec.distributions import Distribution, Draw, Enumerate, explore, hockey_stick
from spec.interaction import Mechanism
from spec.neighbours import Relation
from spec.numbers import Power, SpecError, bounds
from spec.rules import Rules
from spec.system import Move, Observation, SystemMechanism

MOST_OUTCOMES = 64
"""The most transcripts of a script whose law is computed."""

STEPS = 2048
"""How many moves are made to leave some of an attack out, and as many again for simple numbers."""

IMAGES_COST = 128
"""How many moves it counts for to make one where images have to be looked at."""

S = TypeVar("S")

Transcript = tuple[Observation, ...]
Promise = tuple[Fraction, Fraction]
Play = Callable[[Unit, tuple[Move, ...]], ScriptAttack | None]


def attack_of_run(run: BothWorlds, promised: Promise) -> ScriptAttack | None:
    """Return the smallest attack by the moves of a run, without its queries if they are not needed.

    They are not where something else that is seen or drawn differs.
    """
    rules, relation, unit = run.rules, run.relation, run.unit
    moves = run.moves[: len(run.seen)]
    pairs = zip(moves, run.seen, strict=True)
    differs = any(encoded(x) != encoded(y) for move, (x, y) in pairs if not isinstance(move, Query))
    if differs or run.mine.laws or run.theirs.laws:
        quiet = [move for move in moves if not isinstance(move, Query)]
        with suppress(CannotPlay):
            attack = smallest_attack(rules, relation, unit, quiet, promised)
            if attack is not None:
                return attack
    return smallest_attack(rules, relation, unit, moves, promised)


def smallest_attack(
    rules: Rules, relation: Relation, unit: Unit, moves: Sequence[Move], promised: Promise
) -> ScriptAttack | None:
    """Return the attack that a list of moves makes: shortest first, then with simple numbers."""
    attack = attack_by(rules, relation, unit, moves, promised)
    if attack is None:
        return None

    def play(unit: Unit, moves: Sequence[Move]) -> ScriptAttack | None:
        return attack_by(rules, relation, unit, moves, promised)

    plain = parts_if_plain(rules, relation, unit, moves) is not None
    cost = 1 if plain else IMAGES_COST
    attack = shortest(attack, play, STEPS // cost)
    return simplest(attack, rules.limits, play, STEPS // (cost * len(attack.made)))


def shortest(attack: ScriptAttack, play: Play, steps: int) -> ScriptAttack:
    """Return an attack without moves that it does not need, making at most so many moves.

    Longer runs of moves are left out first.
    """
    moves = attack.made
    length = len(moves) // 2
    while length:
        for place in range(len(moves) - length, -1, -length):
            fewer = (*moves[:place], *moves[place + length :])
            steps -= len(fewer)
            if steps < 0:
                return attack
            try:
                found = play(attack.unit_value, fewer)
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
    parts = parts_if_plain(rules, relation, unit, moves)
    if parts is not None:
        sums = parts.sums
    else:
        run = BothWorlds(rules, relation, unit, without_noise)
        for move in moves:
            run.make(move)
        sums = run.mine.sums, run.theirs.sums
    with ctx.workprec(PRECISION):
        power = bounds(Power(rules.limits.base, promised[0]).value())[1]
    played = Played(rules, relation, unit, tuple(moves), promised, power, noise_told(*sums))
    if not any(sums):
        return played.by_law()
    return played.by_images() if parts is None else played.by_parts(parts)


def parts_if_plain(
    rules: Rules, relation: Relation, unit: Unit, moves: Sequence[Move]
) -> Parts | None:
    """Return the parts of a run, if sums are shown as they are drawn and each key has one."""
    if shows_as_drawn(rules):
        with suppress(ListedTwice):
            return parts_of(rules, relation, unit, moves)
    return None


class Played:
    """Play one list of moves against one unit."""

    def __init__(
        self,
        rules: Rules,
        relation: Relation,
        unit: Unit,
        moves: tuple[Move, ...],
        promised: Promise,
        power: Fraction,
        noise: Told | None,
    ) -> None:
        self.rules, self.relation, self.unit = rules, relation, unit
        self.moves, self.promised, self.power, self.noise = moves, promised, power, noise
        self.with_unit = SystemMechanism(rules=rules)
        self.without = relation.without(rules, unit)

    def by_law(
        self, outcomes: Enumerate | None = None, slack: Fraction = Fraction(0)
    ) -> ScriptAttack | None:
        """Compare the laws of what is seen, with the outcomes that laws are said to have.

        The `slack` bounds how far all probabilities of an event may be off, in either world.
        """
        there = law_of(self.with_unit, self.moves, outcomes)
        gone = law_of(self.without, self.moves, outcomes)
        return self.by_laws(there, gone, slack)

    def by_likely_ways(
        self, outcomes: Enumerate, slack: Fraction, least: Fraction, most: int
    ) -> ScriptAttack | None:
        """Compare the laws of what is seen by ways that are not too unlikely, and not too many."""
        there, lost = likely_law(seen_of(self.with_unit, self.moves), outcomes, least, most)
        gone, lost_too = likely_law(seen_of(self.without, self.moves), outcomes, least, most)
        return self.by_laws(there, gone, slack + max(lost, lost_too))

    def by_laws(
        self, there: Distribution[Seen], gone: Distribution[Seen], slack: Fraction
    ) -> ScriptAttack | None:
        """Compare two laws of what is seen, whose events may be off by the slack."""
        for world, mine, theirs in (("with x", there, gone), ("without x", gone, there)):
            gained = hockey_stick(mine, theirs, self.power) - slack * (1 + self.power)
            if gained <= self.promised[1]:
                continue
            telling = [x for x, p in mine.items() if p > self.power * theirs.probability_of(x)]
            here = max(telling, key=mine.probability_of)
            elsewhere = max(theirs.support(), key=theirs.probability_of)
            return self.attack(
                world,
                "What is seen tells the worlds apart:",
                sum(map(mine.probability_of, telling), -slack),
                sum(map(theirs.probability_of, telling), slack),
                (texts(cast(Transcript, here.value)), texts(cast(Transcript, elsewhere.value))),
                exact=not slack,
            )
        return None

    def by_parts(self, found: Parts) -> ScriptAttack | None:
        """Put together what the noisy sums tell, each by itself."""
        best = max(
            found.telling(self.power), key=lambda each: each[1].gain(self.power), default=None
        )
        if best is None or best[1].gain(self.power) <= self.promised[1]:
            return None
        world, told = best
        seen = found.seen if world == "with x" else (found.seen[1], found.seen[0])
        shown = tuple(tuple(map(places_text, self.moves, each)) for each in seen)
        return self.attack(
            world,
            told.event,
            told.likely,
            told.unlikely,
            (shown[0], shown[1]),
            times=told.times,
            exact=all(part.certain for part in told.parts),
        )

    def by_images(self) -> ScriptAttack | None:
        """Look for ways whose images tell the worlds apart, and put them together."""
        with ctx.workprec(PRECISION):
            there = Runner(self.with_unit, self.moves, "with")
            gone = Runner(self.without, self.moves, "without")
            pairs: tuple[tuple[str, Runner[Any], Runner[Any]], ...] = (
                ("with x", there, gone),
                ("without x", gone, there),
            )
            for world, mine, theirs in pairs:
                images = images_of(mine, theirs, self.power, self.promised[1])
                likely = sum((image.least for image in images), Fraction(0))
                unlikely = sum((image.most for image in images), Fraction(0))
                if likely - self.power * unlikely <= self.promised[1]:
                    continue
                return self.attack(
                    world,
                    f"The ad-tech sees something like what is shown {world}:",
                    likely,
                    unlikely,
                    (texts(at_point(*shown_by(images))), texts(theirs.without_noise())),
                )
        return None

    def attack(
        self,
        world: str,
        event: str,
        likely: Fraction,
        unlikely: Fraction,
        seen: tuple[tuple[str, ...], tuple[str, ...]],
        exact: bool = False,
        times: int = 1,
    ) -> ScriptAttack:
        """Write an attack down; `seen` is what is seen in the world it points at, and elsewhere."""
        mine, theirs = seen if world == "with x" else (seen[1], seen[0])
        return ScriptAttack(
            relation=self.relation.name,
            unit=unit_text(self.unit),
            moves=tuple(move_text(move, self.rules.limits.base) for move in self.moves),
            seen_with=mine,
            seen_without=theirs,
            event=event,
            world=world,
            epsilon=self.promised[0],
            base=self.rules.limits.base,
            probability=likely,
            other=unlikely,
            power=self.power,
            allowed=self.promised[1],
            exact=exact,
            times=times,
            noise=self.noise if likely - unlikely < 1 else None,
            made=self.moves,
            unit_value=self.unit,
        )


def shown_by(images: Sequence[Image]) -> tuple[Transcript, dict[str, int]]:
    """Return what the likeliest way shows, and numbers for it."""
    way = max(images, key=lambda image: image.least).way
    return way.seen, point_of(way)


def law_of(
    mechanism: Mechanism[S, Move, Observation],
    moves: Sequence[Move],
    outcomes: Enumerate | None = None,
) -> Distribution[Seen]:
    """Return the law of what is seen of a list of moves, compared as data."""
    runs, follow = 0, seen_of(mechanism, moves)

    def run(draw: Draw) -> Seen:
        nonlocal runs
        runs += 1
        if runs > MOST_OUTCOMES:
            raise CannotPlay(f"more than {MOST_OUTCOMES} outcomes")
        return follow(draw)

    return explore(run) if outcomes is None else explore(run, outcomes)


def seen_of(
    mechanism: Mechanism[S, Move, Observation], moves: Sequence[Move]
) -> Callable[[Draw], Seen]:
    """Return what makes a list of moves and tells what is seen of them."""

    def run(draw: Draw) -> Seen:
        state, seen = mechanism.initial, []
        for move in moves:
            state, observed = mechanism.step(state, move, draw)
            seen.append(observed)
        return Seen(tuple(seen))

    return run


def texts(seen: Transcript) -> tuple[str, ...]:
    """Tell what is seen, move by move."""
    return tuple(map(seen_text, seen))


def places_text(move: Move, observed: Observation) -> str:
    """Tell what is seen, with noisy sums left open."""
    tested = isinstance(move, Query) and move.discovers_keys
    noisy = " plus noise, if above the threshold" if tested else " plus noise"

    def part(each: Hashable) -> str:
        if isinstance(each, Answer):
            keys = ", ".join(f"key {key_text(x)}: {value}{noisy}" for x, value in each.released)
            return f"the summary {{{keys}}}" if keys else "an empty summary"
        return seen_text((each,))

    return "; ".join(map(part, observed))
