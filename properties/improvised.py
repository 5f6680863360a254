r"""Runs that are made up by chance: for code that no symbol gets through.

Numbers, times, names and fields come from the ends of their ranges, from what the proposal itself
mentions, or from chance. Types that the proposal adds for moves take the place of the usual ones
now and then. Everything is drawn from one seeded generator, so that a search repeats exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, dataclass, field, fields, replace
from enum import Enum
from fractions import Fraction
from random import Random
from typing import TypeVar, get_args, get_origin, get_type_hints

from properties.crowds import EXPIRY
from properties.scripts import ContributeTo, Run
from properties.vocabulary import Vocabulary
from spec.aggregation_service import Query
from spec.attribution_client import Source, Trigger
from spec.numbers import SpecError
from spec.private_aggregation_client import DeviceWindow, Event, Storage
from spec.reports import KEY_BITS, REPORT_ID_BITS, Contribution
from spec.rules import Limits
from spec.system import Move, PassTime

T = TypeVar("T")
HOUR, DAY = 3600, 86_400
SHARES = (1, 1, 2, 3, 4, 100, 10**4, 10**8)
"""By what the epsilon of a query is divided."""

MOST_MOVES = 9


@dataclass(frozen=True, slots=True)
class ContributeAll:
    """Be a worklet that contributes several times and leaves the storage as it is."""

    parts: tuple[Contribution, ...]

    def __call__(self, storage: Storage) -> tuple[Storage, tuple[Contribution, ...]]:
        """Return the storage and the contributions."""
        return storage, self.parts


@dataclass(slots=True)
class Improvised:
    """Choose by chance, and make moves of the proposal's own types.

    With a generator for `lists`, queries that are asked one after the other list keys and reports
    in different ways.
    """

    chance: Random
    words: Vocabulary
    limits: Limits
    discovering: bool = True
    lists: Random | None = None
    run: Run = field(init=False)
    made: int = 0
    first_id: int = field(init=False)

    def __post_init__(self) -> None:
        """Choose the identifiers of reports."""
        least = self.chance.choice((0, 0, self.chance.randrange(32), *self.words.around))
        self.first_id = min(least, 2**REPORT_ID_BITS - 10**6)

    def choose(self, *options: T) -> T:
        """Return one of the options."""
        return self.chance.choice(options)

    def often(self) -> bool:
        """Return True three times in four."""
        return self.chance.random() < 3 / 4

    def number(self, most: int, *usual: int) -> int:
        """Return a number up to a bound: a usual one, one that is mentioned, or any."""
        mentioned = [word for word in self.words.around if 0 <= word <= most]
        options = [*usual, *mentioned, *mentioned[: len(usual)], self.chance.randint(0, most)]
        return self.chance.choice([each for each in options if 0 <= each <= most])

    def value(self) -> int:
        """Return a value to contribute."""
        most = self.limits.contribution_budget
        return max(1, self.number(2 * most, most, most, most, most // 2, most // 2 + 1, 1))

    def key(self) -> int:
        """Return a key."""
        masks = (0xFF << 120, (1 << 127) | 1, 2**KEY_BITS - 1, 1 << 112)
        return self.number(2**KEY_BITS - 1, 0, 1, 2, 3, *masks, *self.words.keys)

    def name(self, *usual: str) -> str:
        """Return a name: a usual one, or one that is mentioned."""
        return self.choose(*usual, *self.words.texts)

    def report_id(self) -> int:
        """Return the identifier of the next report."""
        self.made += 1
        return self.first_id + self.made - 1

    def make(self, move: Move) -> None:
        """Make a move, now and then as one of the proposal's own types."""
        if self.kinds_of(move) and self.often():
            move = self.as_own(move)
        self.run.make(move)

    def kinds_of(self, move: Move) -> list[type]:
        """Return the types that the proposal adds for a move."""
        return [kind for kind in self.words.types if issubclass(kind, type(move))]

    def as_own(self, move: Move) -> Move:
        """Return a move as one of the proposal's own types, if there is one that can be filled."""
        kinds = self.kinds_of(move)
        return self.dressed(move, self.choose(*kinds)) or move if kinds else move

    def dressed(self, move: Move, kind: type) -> Move | None:
        """Return a move as an instance of a type that adds fields; None if one cannot be filled."""
        own = {each.name: getattr(move, each.name) for each in fields(move)}
        try:
            hints = get_type_hints(kind)
        except (NameError, TypeError):
            hints = {}
        for each in fields(kind):
            if each.name not in own:
                value = self.field_value(hints.get(each.name), each.default)
                if value is not MISSING:
                    own[each.name] = value
        try:
            made: Move = kind(**own)
        except (SpecError, TypeError, ValueError):
            return None
        return made

    def field_value(self, hint: object, default: object) -> object:
        """Return a value for a field of a type that the proposal adds."""
        kind = hint if isinstance(hint, type) else type(default)
        if kind is bool:
            return self.choose(True, False)
        if issubclass(kind, Enum):
            return self.choose(*kind)
        if kind is int:
            return self.number(10**9, 0, 1, 2, 10)
        if kind is Fraction:
            return Fraction(1, self.choose(*SHARES))
        if kind is str:
            return self.name("", "a")
        if default is MISSING and takes_the_storage(hint):
            values = [self.value() for _ in range(self.choose(1, 2, 3))]
            half = self.limits.contribution_budget // len(values)
            key, same = self.key(), self.often()
            values = [half] * len(values) if self.often() else values
            keys = [key if same else self.key() for _ in values]
            return ContributeAll(
                tuple(Contribution(key=k, value=v) for k, v in zip(keys, values, strict=True))
            )
        return default

    def wait(self) -> None:
        """Let some time pass."""
        length = self.limits.window_length
        far = self.number(EXPIRY // 100, 0, 1, HOUR, DAY, 31 * DAY, length, length - 1, 22 * HOUR)
        self.run.make(PassTime(until=self.run.there.now + far))

    def ask(self) -> None:
        """Ask for what has arrived, one to three times alike: listed keys, or key discovery."""
        limits, reports = self.limits, self.run.there.reports
        arrived = tuple(each for each in sorted(reports) if each in self.run.gone.reports)
        if not arrived:
            return
        found: dict[int, None] = {}
        for report_id in arrived:
            for world in (self.run.there, self.run.gone):
                found |= dict.fromkeys(x.key for x in world.reports[report_id].contributions)
        extra = [key | 2**64 - 1 for key in found] if self.often() else [self.key()]
        keys = tuple(dict.fromkeys((*found, *extra[:4])))
        discovers = self.discovering and limits.delta > 0 and not self.often()
        times = self.choose(1, 2, 3)
        share = limits.epsilon / self.choose(*SHARES)
        query = Query(
            epsilon=share,
            delta=limits.delta / self.choose(1, 2, 100) if discovers else Fraction(0),
            report_ids=arrived,
            keys=() if discovers else keys,
        )
        for _ in range(times):
            self.make(query if self.lists is None else relisted(query, self.lists))


def relisted(query: Query, lists: Random) -> Query:
    """Return a query that lists its keys and reports in another way: again, turned, fewer, more."""
    keys, ids = query.keys, query.report_ids
    if keys:
        more = (*keys, lists.randrange(8))
        keys = lists.choice((keys, keys[::-1], (*keys, *keys), keys[:1], keys[1:] or keys, more))
    ids = lists.choice((ids, ids, ids[::-1], (*ids, ids[0]), ids[:1]))
    return replace(query, keys=keys, report_ids=ids)


def dressing(words: Vocabulary, limits: Limits, number: int) -> Callable[[Move, bool], Move]:
    """Return what gives moves types of the proposal's own: to the unit's by chance.

    By the number, moves of others are left as they are, are all alike, or are dressed by chance.
    """
    own = Improvised(Random(f"own {number}"), words, limits)
    others = Improvised(Random(f"others {number}"), words, limits)

    def dress(move: Move, mine: bool) -> Move:
        if mine:
            return own.as_own(move)
        if number % 3 == 0:
            return move
        alike = Improvised(Random(f"alike {number}"), words, limits)
        return (alike if number % 3 == 1 else others).as_own(move)

    return dress


def sources_by_chance(play: Improvised) -> None:
    """Register sources and triggers of a device in any order, and ask now and then."""
    names = ["x", *(f"z{number}" for number in range(play.choose(1, 1, 2, 5)))]
    places = {name: play.name("shop", "shop", "store", f"shop of {name}") for name in names}
    expiry = {name: play.choose(EXPIRY, EXPIRY, DAY, play.number(EXPIRY, HOUR)) for name in names}

    def register(name: str) -> None:
        play.make(
            Source(
                source_id=name,
                destination=places[name],
                expiry=play.run.there.now + expiry[name],
                filters=frozenset({name}),
                key=play.choose(0, 0, play.key()),
            )
        )

    def trigger(*taking: str) -> None:
        play.make(
            Trigger(
                report_id=play.report_id(),
                destination=places[taking[0]],
                filters=frozenset(taking),
                key=play.key(),
                value=play.value(),
                trigger_id=play.choose("", "", "again", play.name("")),
            )
        )

    if not play.often():
        play.wait()
    order = [*names]
    play.chance.shuffle(order)
    for name in order:
        register(name)
        if play.chance.random() < 1 / 8:
            play.wait()
    for _ in range(play.chance.randint(1, MOST_MOVES)):
        match play.chance.randrange(10):
            case 0:
                register(play.choose(*names))
            case 1 | 2:
                play.wait()
            case 3:
                play.ask()
            case 4:
                trigger(*play.chance.sample(names, len(names)))
            case 5 | 6:
                trigger(play.choose(*names))
            case _:
                trigger("x")
    play.wait()
    play.ask()


def any_window(play: Improvised) -> DeviceWindow:
    """Return a unit: a device in any window, for any ad-tech."""
    window = play.number(EXPIRY // play.limits.window_length, 0, 0, 1)
    return DeviceWindow(device="phone", window=window, ad_tech=play.name("ad-tech", "ad-tech"))


def devices_by_chance(play: Improvised, unit: DeviceWindow) -> None:
    """Let devices contribute for ad-techs in any order, and ask now and then."""
    ad_techs = [unit.ad_tech, play.name("another")]
    length = play.limits.window_length
    play.run.make(PassTime(until=unit.window * length + play.choose(0, 1, length - 1)))

    def event(device: str, ad_tech: str) -> None:
        play.make(
            Event(
                report_id=play.report_id(),
                device=device,
                program=ContributeTo(play.key(), play.value()),
                ad_tech=ad_tech,
            )
        )

    event("phone", ad_techs[0])
    for _ in range(play.chance.randint(0, MOST_MOVES)):
        match play.chance.randrange(8):
            case 0:
                play.wait()
            case 1:
                play.ask()
            case 2 | 3:
                event(play.choose("phone", "tablet"), play.choose(*ad_techs))
            case _:
                event("phone", ad_techs[0])
    play.wait()
    play.ask()


def takes_the_storage(hint: object) -> bool:
    """Tell whether a field may hold a program that is given nothing but the storage."""
    given = get_args(hint)
    return hint is Callable or (get_origin(hint) is Callable and given[:1] == ([Storage],))
