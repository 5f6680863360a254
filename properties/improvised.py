r"""Scripts that are made up by chance, and scripts at size: for code that no symbol gets through.

Numbers, times, names and fields come from the ends of their ranges, from what the proposal itself
mentions, or from chance. Types that the proposal adds for moves take the place of the usual ones
now and then. Everything is drawn from one seeded generator, so that a search repeats exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from enum import Enum
from fractions import Fraction
from random import Random
from typing import TypeVar, get_args, get_origin, get_type_hints

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
EXPIRY = 10**11
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
    """Choose by chance, and make moves of the proposal's own types."""

    chance: Random
    words: Vocabulary
    limits: Limits
    discovering: bool = True
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
        kinds = [kind for kind in self.words.types if issubclass(kind, type(move))]
        if kinds and self.often():
            move = self.dressed(move, self.choose(*kinds)) or move
        self.run.make(move)

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
            self.make(query)


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Crowd:
    """Hold a batch: the unit gives a value to keys, others give theirs to the same, null if zero.

    With keys `apart` each of the others has a key of its own. The unit's reports come `first` or
    last. The batch is asked for with all of epsilon, listing keys or not; a batch of null reports
    again, after the unit's reports by themselves.
    """

    others: int
    given: int
    value: int
    keys: int = 1
    apart: bool = False
    first: bool = True
    discovers: bool = False

    def make(self, run: Run, devices: bool) -> None:
        """Make the reports and the queries."""
        if self.first:
            self.own(run, devices)
        for number in range(self.others):
            for place in range(1 if self.given == 0 or self.apart else self.keys):
                self.other(run, devices, number, place)
        if not self.first:
            self.own(run, devices)
        used = self.keys + (self.others if self.apart else 0)
        own = tuple((0 if self.first else LAST) + place for place in range(self.keys))
        query = Query(
            epsilon=run.limits.epsilon,
            report_ids=tuple(sorted(run.there.reports)),
            keys=() if self.discovers else tuple(range(used)),
            delta=run.limits.delta if self.discovers else Fraction(0),
        )
        run.make(query)
        if self.given == 0:
            run.make(replace(query, report_ids=own))
            run.make(query)

    def __str__(self) -> str:
        others = f"{self.others} others" + (f" with {self.given} each" if self.given else "")
        keys = f" to each of {self.keys} keys" if self.keys > 1 else ""
        asked = ", key discovery" if self.discovers else ""
        return f"a batch of {others}, the unit gives {self.value}{keys}{asked}"

    def own(self, run: Run, devices: bool) -> None:
        """Let the unit contribute."""
        base = 0 if self.first else LAST
        if not devices:
            run.make(source_of("x"))
        for place in range(self.keys):
            if devices:
                program = ContributeTo(place, self.value)
                run.make(Event(report_id=base + place, device="phone", program=program))
            else:
                run.make(trigger_of("x", base + place, place, self.value))

    def other(self, run: Run, devices: bool, number: int, place: int) -> None:
        """Let another unit contribute, or send a null report."""
        report_id = 10**6 + number * self.keys + place
        key = self.keys + number if self.apart else place
        if devices:
            program = ContributeTo(key, self.given)
            device = "tablet" if self.given == 0 else f"tablet {number} {place}"
            run.make(Event(report_id=report_id, device=device, program=program))
            return
        name = f"z{number} {place}"
        move = trigger_of(name if self.given else "nobody", report_id, key, max(self.given, 1))
        device = f"tablet {number} {place}" if self.others > LARGEST_CROWD else move.device
        if self.given:
            run.make(replace(source_of(name), device=device))
        run.make(replace(move, device=device))


def source_of(name: str) -> Source:
    """Return a source that only triggers with its own filter match."""
    return Source(
        source_id=name, destination="shop", expiry=EXPIRY, filters=frozenset({name}), key=0
    )


def trigger_of(name: str, report_id: int, key: int, value: int) -> Trigger:
    """Return a trigger for one source."""
    return Trigger(
        report_id=report_id, destination="shop", filters=frozenset({name}), key=key, value=value
    )


def crowds(words: Vocabulary, budget: int, sparsity: int, ladder: Sequence[int]) -> list[Crowd]:
    """Return batches of many sizes: of null reports, of others for the same key, and for others."""
    sizes = sorted({*ladder, *(each for each in words.around if 0 < each <= max(ladder))})
    keys = min(sparsity, budget)
    found: list[Crowd] = []
    for size in sizes:
        firsts = (True, False) if size <= LARGEST_CROWD else (False,)
        found += [Crowd(others=size, given=0, value=budget, first=first) for first in firsts]
        if size <= LARGEST_CROWD:
            found += [
                Crowd(others=size, given=given, value=value)
                for given in (1, budget)
                for value in (1, budget)
            ]
            found.append(Crowd(others=size, given=budget // 2, value=budget, apart=True))
            found.append(Crowd(others=size, given=budget, value=budget, discovers=True))
        if size <= FEW:
            found += [
                Crowd(others=size, given=budget, value=value, keys=keys)
                for value in dict.fromkeys((budget // keys, 1))
            ]
    return found


FEW = 10
"""The most others that contribute to many keys in a run."""

LAST = 10**7
"""The identifier of the unit's first report where it comes after all others."""

LARGEST_CROWD = 300
"""The most others that contribute something in a run."""


def many_windows(run: Run, number: int) -> None:
    """Let a device contribute all it may in one window after the other, the unit's first."""
    length, most = run.limits.window_length, run.limits.contribution_budget
    for window in range(number):
        run.make(PassTime(until=window * length))
        program = ContributeTo(min(window, 1), most)
        run.make(Event(report_id=window, device="phone", program=program))
    ask_for_two_keys(run)


def many_ad_techs(run: Run, number: int) -> None:
    """Let a device contribute for one ad-tech after the other, the unit's first and once more."""
    most = run.limits.contribution_budget
    own = Event(report_id=0, device="phone", program=ContributeTo(0, most))
    run.make(own)
    for place in range(1, number):
        program = ContributeTo(1, most)
        run.make(
            Event(report_id=place, device="phone", program=program, ad_tech=f"ad-tech {place}")
        )
    run.make(replace(own, report_id=number))
    ask_for_two_keys(run)


def many_sources(run: Run, number: int) -> None:
    """Let sources of different destinations contribute one after the other, the unit's first.

    In the end it tries once more.
    """
    most = run.limits.contribution_budget
    names = ["x", *(f"z{place}" for place in range(1, number))]
    for place, name in enumerate(names):
        here = f"shop {place}"
        run.make(replace(source_of(name), destination=here))
        for again in (0, 1):
            taken = trigger_of(name, 2 * place + again, min(place, 1), most // 2)
            run.make(replace(taken, destination=here))
    run.make(replace(trigger_of("x", 2 * number, 0, most), destination="shop 0"))
    ask_for_two_keys(run)


def ask_for_two_keys(run: Run) -> None:
    """Ask for all that has arrived in both worlds, with all of epsilon."""
    ids = tuple(each for each in sorted(run.there.reports) if each in run.gone.reports)
    run.make(Query(epsilon=run.limits.epsilon, report_ids=ids, keys=(0, 1)))


def contribute_once(run: Run, devices: bool, report_id: int = 0) -> None:
    """Let the unit contribute all it may in one report."""
    most = run.limits.contribution_budget
    if devices:
        run.make(Event(report_id=report_id, device="phone", program=ContributeTo(0, most)))
    else:
        run.make(source_of("x"))
        run.make(trigger_of("x", report_id, 0, most))


def asked_by_identifier(run: Run, devices: bool, report_id: int) -> None:
    """Ask twice for one report with a certain identifier, with all of epsilon."""
    contribute_once(run, devices, report_id)
    for _ in range(2):
        run.make(Query(epsilon=run.limits.epsilon, report_ids=(report_id,), keys=(0,)))


def asked_for_little(run: Run, devices: bool, share: int) -> None:
    """Ask five times for one report, with a small share of epsilon each."""
    contribute_once(run, devices)
    for _ in range(5):
        run.make(Query(epsilon=run.limits.epsilon / share, report_ids=(0,), keys=(0,)))


def asked_in_shares(
    run: Run, devices: bool, number: int, keys: tuple[int, ...], with_delta: bool, others: int
) -> None:
    """Ask so often for the unit's report that the queries use up the budget, and twice more.

    A key to which others contribute as well is discovered in both worlds, so that its sum tells as
    much as that of a listed one; without others its presence tells.
    """
    limits = run.limits
    most = limits.contribution_budget
    batch = Crowd(others=others, given=most, value=most)
    batch.own(run, devices)
    for other in range(batch.others):
        batch.other(run, devices, other, 0)
    ids = tuple(sorted(run.there.reports))
    query = Query(
        epsilon=limits.epsilon / number,
        delta=limits.delta / (2 * number) if with_delta else Fraction(0),
        report_ids=ids,
        keys=keys,
    )
    for _ in range(number):
        run.make(query)
    whole = Query(epsilon=limits.epsilon, report_ids=ids, keys=(0,))
    for _ in range(2):
        run.make(whole)


def asked_one_by_one(run: Run, devices: bool, given: int) -> None:
    """Ask for the unit's report and then for each of two others by itself, with all of epsilon.

    What is left for one report must not depend on what another one holds.
    """
    batch = Crowd(others=2, given=given, value=run.limits.contribution_budget)
    batch.own(run, devices)
    for other in range(batch.others):
        batch.other(run, devices, other, 0)
    for report_id in sorted(run.there.reports):
        run.make(Query(epsilon=run.limits.epsilon, report_ids=(report_id,), keys=(0,)))


def takes_the_storage(hint: object) -> bool:
    """Tell whether a field may hold a program that is given nothing but the storage."""
    given = get_args(hint)
    return hint is Callable or (get_origin(hint) is Callable and given[:1] == ([Storage],))
