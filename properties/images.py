r"""What becomes of noise: the probability of everything that one way through a run can show.

A service need not show noisy sums as they are drawn. So the moves of a script are made in one world
with a symbol for every draw, and every path is followed: a *way* is the conditions on the draws,
their laws, and what is seen. Everything that a way can show is its *image*. The event that what is
seen lies in the image has at least the probability of the way in its own world. In the other world
it has at most that of the draws whose own ways lead into the image. Conditions are enclosed by
boxes, one interval for every draw, whose probability is a product: the draws are independent. A box
counts as a lower bound only where it is exactly the conditions.

The rules run as they are, on symbols. So every way is run again on numbers, and must show the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from fractions import Fraction
from math import prod
from typing import Generic, TypeVar, cast

import z3

from proofs._symbolic import NotSymbolic, Number, Truth, assume, explore, integer
from properties.observation import encoded
from properties.worlds import CannotPlay, Draws, alike, chances, is_symbolic
from spec.distributions import Distribution
from spec.interaction import Mechanism
from spec.noise import Noisy
from spec.numbers import bounds
from spec.system import Move, Observation

S = TypeVar("S")
T = TypeVar("T")

WAYS = 64
"""The most ways of a run that are told apart."""

MOST_TRIED = 32
"""Of how many ways, likely ones first, the images are looked at."""

MOST_SIDED = 4
"""Of how many ways the noisy sums are asked to lie on a side."""

EFFORT = 2_000_000
"""What z3 may spend on one question: a count of steps, not of time."""

SHIFTS = (0, 1001)
"""How far from the true sums the numbers are on which a way is run again."""

Interval = tuple[int | None, int | None]
EVERYTHING: Interval = (None, None)
Transcript = tuple[Observation, ...]


@dataclass(frozen=True, slots=True)
class Variable:
    """Hold a draw: its symbol, and the law that it has in its world."""

    term: z3.ArithRef
    law: Noisy | Distribution[object]

    def chance(self, interval: Interval) -> tuple[Fraction, Fraction]:
        """Bound the probability that the draw lies in an interval."""
        low, high = interval
        if isinstance(self.law, Distribution):
            weights = chances(self.law)
            first = 0 if low is None else max(low, 0)
            last = len(weights) if high is None else high + 1
            exactly = sum(weights[first:last], Fraction(0))
            return exactly, exactly
        noise, centre = self.law.noise, self.law.centre
        above = (Fraction(1),) * 2 if low is None else bounds(noise.tail(low - 1 - centre))
        beyond = (Fraction(0),) * 2 if high is None else bounds(noise.tail(high - centre))
        return max(above[0] - beyond[1], Fraction(0)), max(above[1] - beyond[0], Fraction(0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """Hold an interval for draws by their names; `exact` says that nothing else is inside."""

    intervals: Mapping[str, Interval]
    exact: bool
    empty: bool = False

    def of(self, variable: Variable) -> Interval:
        """Return the interval of a draw."""
        return self.intervals.get(variable.term.decl().name(), EVERYTHING)


@dataclass(frozen=True, slots=True)
class Way:
    """Hold one path through a run: when it is taken, what is drawn, and what is seen."""

    conditions: tuple[z3.BoolRef, ...]
    variables: tuple[Variable, ...]
    seen: Transcript

    @property
    def draws_shown(self) -> int:
        """Count the symbols in what is seen."""
        return symbols_in(self.seen)


@dataclass(frozen=True, slots=True)
class Image:
    """Hold an event: everything that a way can show, and its bounds.

    `others` are the ways of the other world that lead into it.
    """

    way: Way
    others: tuple[Way, ...]
    least: Fraction
    most: Fraction


class Runner(Generic[S]):
    """Make the moves of a script in one world, with a symbol for every draw."""

    def __init__(
        self, mechanism: Mechanism[S, Move, Observation], moves: Sequence[Move], name: str
    ) -> None:
        self.mechanism, self.moves, self.name = mechanism, moves, name

    def ways(self, image: Way | None = None, asked: tuple[z3.BoolRef, ...] = ()) -> list[Way]:
        """Follow every path, or every path into the image of a way of the other world."""
        given = () if image is None else (*image.conditions, *asked)

        def play() -> Way:
            assume(*map(truth, given))
            variables: list[Variable] = []
            draws, state, seen = self.draws(variables), self.mechanism.initial, []
            for place, move in enumerate(self.moves):
                state, observed = self.mechanism.step(state, move, draws.draw)
                seen.append(observed)
                if image is not None:
                    assume(cast(bool, alike(image.seen[place], observed)))
            return Way((), tuple(variables), tuple(seen))

        try:
            found = explore(play, most=WAYS)
        except NotSymbolic as refusal:
            raise CannotPlay(str(refusal)) from None
        ways: list[Way] = []
        for path in found.paths:
            if path.raised is not None:
                raise CannotPlay(f"{type(path.raised).__name__}: {path.raised}")
            ways.append(replace(cast(Way, path.returned), conditions=path.conditions))
        return ways

    def draws(self, variables: list[Variable]) -> Draws:
        """Return draws that are symbols, and note which."""

        def noisy(place: int, law: Noisy) -> int:
            if is_symbolic(law.centre):
                raise NotSymbolic("a sum that depends on what was drawn")
            variables.append(Variable(z3.Int(f"{self.name} {place}"), law))
            return integer(f"{self.name} {place}")

        def pick(place: int, law: Distribution[object]) -> object:
            choice = integer(f"{self.name} picks {place}")
            variables.append(Variable(z3.Int(f"{self.name} picks {place}"), law))
            assume(choice >= 0, choice < len(law.weights))
            for number, (outcome, _) in enumerate(law.weights[:-1]):
                if choice == number:
                    return outcome
            return law.weights[-1][0]

        return Draws(noisy, pick)

    def true_sums(self) -> list[Noisy]:
        """Return the laws of the noisy sums where no noise is drawn."""
        draws = Draws(lambda _, law: law.centre, lambda _, law: law.weights[0][0])
        self.seen_with(draws)
        return draws.sums

    def without_noise(self) -> Transcript:
        """Return what is seen where no noise is drawn."""
        return self.seen_with(Draws(lambda _, law: law.centre, lambda _, law: law.weights[0][0]))

    def seen_with(self, draws: Draws) -> Transcript:
        """Make the moves, and return what is seen."""
        state, seen = self.mechanism.initial, []
        for move in self.moves:
            state, observed = self.mechanism.step(state, move, draws.draw)
            seen.append(observed)
        return tuple(seen)


def symbols_in(value: object) -> int:
    """Count the symbols in a value."""
    if isinstance(value, tuple):
        return sum(map(symbols_in, value))
    if is_dataclass(value) and not isinstance(value, type):
        return sum(symbols_in(getattr(value, each.name)) for each in fields(value))
    return int(is_symbolic(value))


def truth(term: z3.BoolRef) -> bool:
    """Return a term as a truth value."""
    return cast(bool, Truth(term))


def replay(runner: Runner[S], way: Way) -> None:
    """Run a way again on numbers that meet its conditions; what is seen must be what it says."""
    for shift in SHIFTS:
        numbers = point_of(way, shift)
        drawn = iter(way.variables)

        def noisy(place: int, law: Noisy) -> int:
            del place, law
            return numbers[next(drawn).term.decl().name()]  # noqa: B023

        def pick(place: int, law: Distribution[object]) -> object:
            del place
            return law.weights[numbers[next(drawn).term.decl().name()]][0]  # noqa: B023

        if encoded(runner.seen_with(Draws(noisy, pick))) != encoded(at_point(way.seen, numbers)):
            raise CannotPlay("a run on symbols does not replay on numbers")


def point_of(way: Way, shift: int = 0) -> dict[str, int]:
    """Return numbers that meet the conditions of a way, as close to the true sums as is asked."""
    solver = z3.Solver()
    solver.set("rlimit", EFFORT)
    solver.add(*way.conditions)
    for variable in way.variables:
        if isinstance(variable.law, Noisy):
            wanted = variable.term == z3.IntVal(variable.law.centre + shift)
            if solver.check(wanted) == z3.sat:
                solver.add(wanted)
    if solver.check() != z3.sat:
        raise CannotPlay("z3 finds no numbers for a way")
    model = solver.model()
    found: dict[str, int] = {}
    for variable in way.variables:
        value = model.eval(variable.term, model_completion=True)
        assert isinstance(value, z3.IntNumRef)
        found[variable.term.decl().name()] = value.as_long()
    return found


def at_point(seen: Transcript, numbers: dict[str, int]) -> Transcript:
    """Return what is seen with numbers in the place of symbols."""
    solver = z3.Solver()
    solver.add(*(z3.Int(name) == z3.IntVal(value) for name, value in numbers.items()))
    solver.check()
    model = solver.model()

    def part(value: object) -> object:
        if type(value) is Number:
            found = model.eval(value._term, model_completion=True)
            if isinstance(found, z3.IntNumRef):
                return found.as_long()
            assert isinstance(found, z3.RatNumRef)
            return Fraction(str(found.as_fraction()))
        if type(value) is Truth:
            return z3.is_true(model.eval(value._term, model_completion=True))
        if is_symbolic(value):
            raise CannotPlay("a text that depends on what was drawn")
        if type(value) is tuple:
            return tuple(map(part, value))
        if is_dataclass(value) and not isinstance(value, type):
            made = object.__new__(type(value))
            for field in fields(value):
                object.__setattr__(made, field.name, part(getattr(value, field.name)))
            return made
        return value

    return cast(Transcript, part(seen))


def images_of(mine: Runner[S], theirs: Runner[T], power: Fraction, wanted: Fraction) -> list[Image]:
    """Return images of one world that tell it from the other, until they gain what is wanted.

    Images of ways that show fewest draws come first: they are the smallest.
    """
    boxes = Boxes()
    likely = [(likely_at_least(way, (), boxes), way) for way in mine.ways()]
    ways = [
        (way, ()) for least, way in sorted(likely, key=lambda x: (x[1].draws_shown, -x[0])) if least
    ]
    sided = [
        (way, sides_of(way, theirs)) for least, way in sorted(likely, key=lambda x: -x[0]) if least
    ]
    for tried in (ways[:MOST_TRIED], [each for each in sided[:MOST_SIDED] if each[1]]):
        found: list[Image] = []
        for way, asked in tried:
            image = image_of(way, asked, theirs, boxes)
            if image.least > power * image.most:
                found.append(image)
            if sum(each.least - power * each.most for each in found) > wanted:
                for each in found:
                    replay(mine, each.way)
                    for other in each.others:
                        replay(theirs, other)
                return found
    return []


def sides_of(way: Way, theirs: Runner[T]) -> tuple[z3.BoolRef, ...]:
    """Ask that all noisy sums lie on the side of this world."""
    sides: list[z3.BoolRef] = []
    for variable, law in zip(way.variables, theirs.true_sums(), strict=False):
        mine = variable.law
        if isinstance(mine, Noisy) and mine.centre != law.centre:
            centre, above = z3.IntVal(mine.centre), mine.centre > law.centre
            sides.append(centre <= variable.term if above else variable.term <= centre)
    return tuple(sides)


def likely_at_least(way: Way, asked: tuple[z3.BoolRef, ...], boxes: Boxes) -> Fraction:
    """Return a lower bound of the probability of a way: zero if no box is exactly it."""
    box = boxes.around((*way.conditions, *asked))
    if box is None or not box.exact:
        return Fraction(0)
    return prod((each.chance(box.of(each))[0] for each in way.variables), start=Fraction(1))


def image_of(way: Way, asked: tuple[z3.BoolRef, ...], theirs: Runner[T], boxes: Boxes) -> Image:
    """Bound the probability of an image in both worlds."""
    most = Fraction(0)
    others = tuple(theirs.ways(way, asked))
    for other in others:
        hull = boxes.around(other.conditions)
        if hull is not None:
            chances = (each.chance(hull.of(each))[1] for each in other.variables)
            most += prod(chances, start=Fraction(1))
    return Image(way, others, likely_at_least(way, asked, boxes), most)


class Boxes:
    """Enclose conditions by boxes, part by part: conditions that share no draw are independent."""

    def __init__(self) -> None:
        self.known: dict[tuple[int, ...], tuple[tuple[z3.BoolRef, ...], Box]] = {}
        self.named: dict[int, tuple[z3.BoolRef, frozenset[str]]] = {}

    def around(self, conditions: Sequence[z3.BoolRef]) -> Box | None:
        """Return the smallest box that holds whatever meets conditions; None if nothing does."""
        intervals: dict[str, Interval] = {}
        exact = True
        for group in self.groups(conditions):
            key = tuple(sorted({each.get_id() for each in group}))
            if key not in self.known:
                self.known[key] = tuple(group), enclosed_by(group, self.names_in(group))
            box = self.known[key][1]
            if box.empty:
                return None
            intervals |= box.intervals
            exact = exact and box.exact
        return Box(intervals=intervals, exact=exact)

    def groups(self, conditions: Sequence[z3.BoolRef]) -> list[list[z3.BoolRef]]:
        """Put conditions together that share a draw."""
        groups: list[tuple[set[str], list[z3.BoolRef]]] = []
        for condition in conditions:
            names = set(self.names_in([condition]))
            mine = [condition]
            for group in [each for each in groups if each[0] & names]:
                groups.remove(group)
                names |= group[0]
                mine = [*group[1], *mine]
            groups.append((names, mine))
        return [each for _, each in groups]

    def names_in(self, conditions: Sequence[z3.BoolRef]) -> frozenset[str]:
        """Return the names of the draws that conditions mention."""
        found: frozenset[str] = frozenset()
        for condition in conditions:
            known = self.named.get(condition.get_id())
            if known is None:
                known = self.named[condition.get_id()] = condition, names_of(condition)
            found |= known[1]
        return found


def names_of(term: z3.ExprRef) -> frozenset[str]:
    """Return the names that a term mentions."""
    pending, known, names = [term], set(), set()
    while pending:
        each = pending.pop()
        if each.get_id() in known:
            continue
        known.add(each.get_id())
        if not each.children() and each.decl().kind() == z3.Z3_OP_UNINTERPRETED:
            names.add(each.decl().name())
        pending += each.children()
    return frozenset(names)


def enclosed_by(conditions: Sequence[z3.BoolRef], names: frozenset[str]) -> Box:
    """Enclose what meets conditions; what z3 leaves open is unbounded."""
    solver = z3.Solver()
    solver.set("rlimit", EFFORT)
    solver.add(*conditions)
    if solver.check() == z3.unsat:
        return Box(intervals={}, exact=True, empty=True)
    box: dict[str, Interval] = {}
    outside = z3.Solver()
    outside.set("rlimit", EFFORT)
    for name in sorted(names):
        term = z3.Int(name)
        low, high = end(conditions, term, False), end(conditions, term, True)
        box[name] = low, high
        if low is not None:
            outside.add(z3.IntVal(low) <= term)
        if high is not None:
            outside.add(term <= z3.IntVal(high))
    outside.add(z3.Not(z3.And(*conditions)))
    return Box(intervals=box, exact=outside.check() == z3.unsat)


def end(conditions: Sequence[z3.BoolRef], term: z3.ArithRef, upper: bool) -> int | None:
    """Return the least or the greatest value of a term under conditions, or None."""
    optimize = z3.Optimize()
    optimize.set("rlimit", EFFORT)
    optimize.add(*conditions)
    goal = optimize.maximize(term) if upper else optimize.minimize(term)
    if optimize.check() != z3.sat:
        return None
    value = goal.value()
    return value.as_long() if isinstance(value, z3.IntNumRef) else None
