r"""The same attack with simpler numbers: small identifiers and keys, plain times, values, epsilons.

Each edit changes numbers of an attack's moves, and of its unit, everywhere alike. The changed moves
are played; what is no attack any more, or a much weaker one, is not kept. The order of the edits is
fixed and their number is bounded by a count, so that the result is the same everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from typing import Protocol, TypeVar, cast

from properties.scripts import ContributeTo
from spec.aggregation_service import Query
from spec.attribution_client import Source, Trigger
from spec.contributions import Unit
from spec.event_client import EventSource, EventTrigger
from spec.numbers import SpecError
from spec.private_aggregation_client import DeviceWindow, Event
from spec.rules import Limits
from spec.system import Move, PassTime

HOUR, DAY = 3600, 86_400
TIMES = (0, 1, HOUR, DAY, 30 * DAY, 365 * DAY)
"""Plain times, which are tried in this order."""

SMALL = 10
"""Up to here a value is simple as it is."""

DENOMINATORS = (1, 2, 4, 10, 100, 1000, 10**4)
"""The denominators of simple fractions."""

ENOUGH = Fraction(1, 2)
"""The gain of an attack that is strong enough; a weaker one must not become weaker still."""

FEW = 4
"""How many keys of a query are tried alone."""

Variant = tuple[Unit, tuple[Move, ...]]
Edit = Callable[[Variant], Variant]


class Played(Protocol):
    """Be an attack by moves that do not look at the answers."""

    @property
    def unit_value(self) -> Unit:
        """Return the unit that it is against."""
        ...

    @property
    def made(self) -> tuple[Move, ...]:
        """Return its moves."""
        ...

    @property
    def gained(self) -> Fraction:
        """Return the delta that it attains."""
        ...

    @property
    def times(self) -> int:
        """Return how often the last move is made."""
        ...


T = TypeVar("T")
P = TypeVar("P", bound=Played)


def as_good(found: Played, attack: Played) -> bool:
    """Tell whether an attack is as clear as another one, and needs no more repetitions."""
    return found.gained >= min(attack.gained, ENOUGH) and found.times <= attack.times


def simplest(
    attack: P,
    limits: Limits,
    play: Callable[[Unit, tuple[Move, ...]], P | None],
    trials: int,
    as_good: Callable[[P, P], bool] = as_good,
) -> P:
    """Return an attack with the same moves and simpler numbers, played at most so many times."""
    for stage in (plain_numbers, fewer_parts, plain_names):
        for group in stage(attack.made, limits):
            for edit in group:
                before = attack.unit_value, attack.made
                try:
                    after = edit(before)
                    if after == before:
                        break
                    if trials == 0:
                        return attack
                    trials -= 1
                    found = play(*after)
                except (SpecError, TypeError, ValueError):
                    continue
                if found is not None and as_good(found, attack):
                    attack = found
                    break
    return attack


def plain_numbers(moves: Sequence[Move], limits: Limits) -> list[list[Edit]]:
    """Return the groups of edits of numbers, of which the first of a group that works is made."""
    groups = list(edits(moves, limits))
    # Together first: where this works, most of the others have nothing left to do.
    together = one_after_the_other([group[0] for group in groups if len(group) == 1])
    return [[together], *groups, [without_idle_times]]


def plain_names(moves: Sequence[Move], limits: Limits) -> list[list[Edit]]:
    """Return the edits that count from zero again, after something was left out."""
    del moves, limits
    return [[renamed("key", "keys")]]


def edits(moves: Sequence[Move], limits: Limits) -> Iterator[list[Edit]]:
    """Return groups of edits; the first of a group that works is made.

    Groups of one edit do not get in each other's way and can be made together.
    """
    yield [from_the_first_window(limits.window_length)]
    yield [renamed("report_id", "report_ids")]
    yield [renamed("key", "keys")]
    yield [expiring_after_everything]
    for place, move in enumerate(moves):
        match move:
            case Source():
                yield [at_place(place, "expiry", time) for time in TIMES if time < move.expiry]
            case PassTime():
                yield [at_place(place, "until", time) for time in TIMES if time < move.until]
            case Trigger():
                yield [at_place(place, "value", value) for value in plain(move.value, limits)]
            case Event() if hasattr(move.program, "value"):
                values = plain(cast(int, move.program.value), limits)
                yield [at_place(place, "value", value) for value in values]
            case Query():
                others = [each.epsilon for each in moves[::-1] if isinstance(each, Query)]
                simple = [move.epsilon.limit_denominator(each) for each in DENOMINATORS]
                tried = dict.fromkeys((*others, limits.epsilon, *simple))
                yield [at_place(place, "epsilon", each) for each in tried if each > 0]


def fewer_parts(moves: Sequence[Move], limits: Limits) -> Iterator[list[Edit]]:
    """Return edits that leave out keys of queries, programs that look around, and filters."""
    values = dict.fromkeys((1, limits.contribution_budget))
    asked = [move.keys for move in moves if isinstance(move, Query)]
    for place, move in enumerate(moves):
        match move:
            case Query() if len(move.keys) > 1:
                half = move.keys[: len(move.keys) // 2]
                fewer = dict.fromkeys((*((key,) for key in move.keys[:FEW]), half))
                yield [at_place(place, "keys", keys) for keys in fewer]
            case Event() if not hasattr(move.program, "value"):
                keys = dict.fromkeys(key for each in asked for key in each[:FEW])
                plain_ones = [ContributeTo(key, value) for key in keys for value in values]
                yield [at_place(place, "program", program) for program in plain_ones]
            case Source() | Trigger() | EventSource() | EventTrigger():
                for name in sorted(move.filters)[: FEW if len(move.filters) > 1 else 0]:
                    yield [without_filter(place, name)]


def without_filter(place: int, name: str) -> Edit:
    """Return the edit that leaves a filter of one move out, unless it is the last."""

    def edit(variant: Variant) -> Variant:
        move = cast(Source, variant[1][place])
        left = move.filters - {name}
        return at_place(place, "filters", left)(variant) if left else variant

    return edit


def plain(value: int, limits: Limits) -> list[int]:
    """Return values to try in the place of one: the least, and parts of the budget."""
    budget = limits.contribution_budget
    if value <= 1:
        return []
    tried = [1, budget, 2 * budget, budget // 2] if value > SMALL else [1]
    return tried[: tried.index(value)] if value in tried else tried


def one_after_the_other(made: Sequence[Edit]) -> Edit:
    """Return the edit that makes several."""

    def edit(variant: Variant) -> Variant:
        for each in made:
            variant = each(variant)
        return variant

    return edit


def at_place(place: int, name: str, value: object) -> Edit:
    """Return the edit that sets a field of one move, or of its program."""

    def edit(variant: Variant) -> Variant:
        unit, moves = variant
        return unit, (*moves[:place], with_field(moves[place], name, value), *moves[place + 1 :])

    return edit


def with_field(move: Move, name: str, value: object) -> Move:
    """Return a move with another value of a field of its own, or of its program."""
    if isinstance(move, Event) and name not in names_of(move):
        return replace(move, program=replace(cast(PassTime, move.program), **{name: value}))  # type: ignore[arg-type]
    return replace(move, **{name: value})  # type: ignore[arg-type]


def from_the_first_window(length: int) -> Edit:
    """Return the edit that moves everything to the beginning of time."""

    def edit(variant: Variant) -> Variant:
        unit, moves = variant
        if not isinstance(unit, DeviceWindow):
            return variant
        start = unit.window * length
        earlier = (
            replace(move, until=max(move.until - start, 0)) if isinstance(move, PassTime) else move
            for move in moves
        )
        return replace(unit, window=0), tuple(earlier)

    return edit


def expiring_after_everything(variant: Variant) -> Variant:
    """Let all sources expire at the first plain time after the last move."""
    unit, moves = variant
    last = max((move.until for move in moves if isinstance(move, PassTime)), default=0)
    late = [time for time in TIMES if time > last and time >= HOUR]
    if not late:
        return variant
    return unit, tuple(
        replace(move, expiry=min(late[0], move.expiry)) if isinstance(move, Source) else move
        for move in moves
    )


def without_idle_times(variant: Variant) -> Variant:
    """Leave out moves that let no time pass."""
    unit, moves = variant
    now, kept = 0, []
    for move in moves:
        if isinstance(move, PassTime):
            if move.until <= now:
                continue
            now = move.until
        kept.append(move)
    return unit, tuple(kept)


def numbers_of(moves: Sequence[Move], names: tuple[str, ...]) -> list[int]:
    """Return the numbers that fields hold, in the order in which they appear."""
    found: dict[int, None] = {}

    def note(number: int) -> int:
        found[number] = None
        return number

    for move in moves:
        mapped(move, names, note)
    return list(found)


def renamed(*names: str) -> Edit:
    """Return the edit that counts the numbers of some fields from zero; a zero stays one."""

    def edit(variant: Variant) -> Variant:
        unit, moves = variant
        numbers = numbers_of(moves, names)
        if 0 in numbers:
            numbers = [0, *filter(None, numbers)]
        new = {number: place for place, number in enumerate(numbers)}
        return unit, tuple(mapped(move, names, lambda number: new[number]) for move in moves)

    return edit


def mapped(value: T, names: tuple[str, ...], change: Callable[[int], int]) -> T:
    """Return a value with the numbers of some fields changed, in itself and in what it holds."""
    if not is_dataclass(value) or isinstance(value, type):
        return value
    changed: dict[str, object] = {}
    for name in names_of(value):
        held: object = getattr(value, name)
        if name in names and isinstance(held, int):
            changed[name] = change(held)
        elif name in names and isinstance(held, tuple):
            changed[name] = tuple(change(each) for each in held)
        elif isinstance(held, tuple):
            changed[name] = tuple(mapped(each, names, change) for each in held)
        elif is_dataclass(held):
            changed[name] = mapped(held, names, change)
    return replace(value, **changed)


def names_of(value: object) -> list[str]:
    """Return the names of the fields of a dataclass."""
    return [each.name for each in fields(cast(PassTime, value)) if each.init]
