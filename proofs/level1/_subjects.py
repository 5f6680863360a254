"""Values to run rules of Attribution Level 1 on: symbolic numbers, names, and what is opaque."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import fields
from fractions import Fraction
from functools import partial
from itertools import count
from typing import Any, TypeVar, cast

from immutables import Map

from proofs._opaque import Name, Opaque
from proofs._proof import assume
from proofs._subjects import answering, opaque, plain, unchecked
from proofs._symbolic import MACHINERY, counting, free, refuse, running
from spec.level1 import (
    LIMITS,
    AtConversion,
    Budgets,
    Caller,
    Conversion,
    Device,
    Impression,
    Level1Limits,
    Level1Rules,
    impressions,
)
from spec.level1.budgets import BudgetKey, deduct
from spec.level1.device import clear_history
from spec.numbers import Base

MACHINERY.add(__file__)

K = TypeVar("K")
S = TypeVar("S")
V = TypeVar("V")


def asked_by_us(depth: int = 2) -> bool:
    """Tell whether the caller of what asks this is a function of spec or of a proof."""
    scope = sys._getframe(depth).f_globals
    module = sys.modules.get(str(scope.get("__name__")))
    known = module is not None and module.__name__.split(".")[0] in ("spec", "proofs")
    return known and vars(module) is scope


class Entries(Opaque):
    """Be a map whose keys are compared one by one and never hashed, so that they may be symbolic.

    It stands for an `immutables.Map` and has those of its methods that rules use. Rules of a
    proposal may put entries in and take entries out. They may not look at them: how many there are,
    and whether one is there at all, is not general here. They read budgets by the methods of
    `Budgets`. Only the entry of `own`, a key, may be looked up by everybody. What is not listed is
    `elsewhere`, where that is given: any number.
    """

    __slots__ = ("_elsewhere", "_own", "_pairs")
    _stands_for = Map

    def __init__(
        self,
        pairs: Iterable[tuple[object, object]] = (),
        own: object = None,
        elsewhere: Callable[[], object] | None = None,
    ) -> None:
        super().__init__("what is kept")
        self._pairs = tuple(pairs)
        self._own = own
        self._elsewhere = elsewhere

    def _open(self, key: object = None, depth: int = 3) -> None:
        if not asked_by_us(depth) and (key is None or key is not self._own):
            refuse("a look at what is kept, other than by the methods of the specification,")

    def get(self, key: object, default: object = None) -> object:
        """Return what a key is mapped to."""
        self._open(key)
        for known, value in self._pairs:
            if known == key:
                return value
        return default if self._elsewhere is None else self._elsewhere()

    def __getitem__(self, key: object) -> object:
        self._open(key)
        for known, value in self._pairs:
            if known == key:
                return value
        raise KeyError("no such entry")

    def __contains__(self, key: object) -> bool:
        self._open(key)
        return any(known == key for known, _ in self._pairs)

    def __bool__(self) -> bool:
        self._open()
        return bool(self._pairs)

    def __len__(self) -> int:
        self._open()
        return len(self._pairs)

    def __iter__(self) -> Iterator[object]:
        self._open()
        return iter([key for key, _ in self._pairs])

    def items(self) -> tuple[tuple[object, object], ...]:
        """Return all entries."""
        self._open()
        return self._pairs

    def values(self) -> list[object]:
        """Return what is mapped to."""
        self._open()
        return [value for _, value in self._pairs]

    def delete(self, key: object) -> Entries:
        """Return the map without a key."""
        left = (pair for pair in self._pairs if pair[0] != key)
        return Entries(left, self._own, self._elsewhere)

    def set(self, key: object, value: object) -> Entries:
        """Return the map with another value of a key."""
        return Entries((*self.delete(key)._pairs, (key, value)), self._own, self._elsewhere)

    def update(self, more: Mapping[object, object]) -> Entries:
        """Return the map with the entries of another one."""
        found = self
        for key, value in more.items():
            found = found.set(key, value)
        return found


def entries(
    pairs: Mapping[K, V] | Iterable[tuple[K, V]],
    own: object = None,
    elsewhere: Callable[[], object] | None = None,
) -> Map[K, V]:
    """Return a map with these entries, whose keys may be symbolic."""
    listed = pairs.items() if isinstance(pairs, Mapping) else pairs
    return cast("Map[K, V]", Entries(listed, own, elsewhere))


class Handed(Opaque):
    """Be impressions that a rule may hand on as they are: how many there are is not general.

    A proof may go through them, and so may functions of the specification that it calls. Of those
    that a proposal calls only some may, whose answers do not tell how many there are.
    """

    __slots__ = ("_some", "contents")

    contents: tuple[Impression, ...]
    _some: bool

    def __iter__(self) -> Iterator[Impression]:
        depth, entered = 1, None
        while asked_by_us(depth + 1):
            frame = sys._getframe(depth)
            entered, depth = frame.f_code, depth + 1
            if str(frame.f_globals["__name__"]).startswith("proofs."):
                return iter(self.contents)
        if entered not in SILENT:
            refuse("a look at the impressions one by one")
        return iter(self.contents)

    def __bool__(self) -> bool:
        if not self._some:
            refuse("whether there are impressions")
        return True


SILENT = frozenset({deduct.__code__, clear_history.__code__})
"""Functions of the specification that proposals may call with impressions."""


def handed(*shown: Impression, some: bool = True) -> tuple[Impression, ...]:
    """Return impressions that can be handed on; that there are some is known only if it is said.

    Where a counterexample is replayed they are what they are.
    """
    if not running():
        return shown
    made = Handed("the impressions")
    made.contents, made._some = shown, some
    return cast("tuple[Impression, ...]", made)


def contents_of(left: tuple[Impression, ...]) -> tuple[Impression, ...]:
    """Return what is in impressions that were handed on; refuse other ones."""
    held: object = left
    if type(held) is Handed:
        return held.contents
    if running() and (type(left) is not tuple or left):
        refuse("other impressions than those that were there")
    return left


def is_used(used: object, shown: tuple[Impression, ...]) -> bool:
    """Tell whether all impressions are used, or none; refuse anything else."""
    if used is shown or (not running() and used == shown):
        return True
    if type(used) is not tuple or used:
        refuse("other impressions than all or none")
    return False


class Listed(Opaque):
    """Be any set of which the draft's `matches` may ask whether it allows one known element.

    One that is empty allows every element. That is no other answer than that of a set that holds
    the element, so that this one is never empty.
    """

    __slots__ = ("_element", "_name")

    _element: object
    _name: str

    def __bool__(self) -> bool:
        self._open()
        return True

    def __contains__(self, element: object) -> bool:
        self._open()
        if element is not self._element:
            refuse(f"another element of {self._what}")
        return bool(free(f"{self._name}_allow_it", int) > 0)

    def _open(self) -> None:
        if sys._getframe(2).f_code not in MATCHING:
            refuse(f"a look at {self._what}, other than by the draft's own matching,")


MATCHING = frozenset({impressions.matches.__code__, impressions._allows.__code__})
"""Functions of the specification that ask whether a set allows an element, and nothing else."""


def listed(what: str, element: object) -> frozenset[Any]:
    """Return any set, of which it may be asked whether it allows an element."""
    made = Listed(what)
    made._name, made._element = what.replace(" ", "_"), element
    return cast("frozenset[Any]", made)


class Party(Name):
    """Be a site that takes part: different from others of its kind, which may be any other party.

    The site of an impression may be the conversion site, and an intermediary may be both. So which
    parties are one is asked for, and all answers that fit together are followed.
    """

    __slots__ = ("_beside", "_kind")

    _kind: str
    _beside: list[Party]

    def __eq__(self, other: object) -> bool:
        if type(other) is not Party:
            refuse(f"comparison of {self._what} with a value")
        if self is other or self._kind == other._kind:
            return self is other
        for each in (*self._beside, *other._beside):
            for peer in each._beside:
                assume(each is peer or each.number() != peer.number())
        return bool(self.number() == other.number())

    __hash__ = Name.__hash__

    def number(self) -> int:
        """Return a number that two parties have in common if they are one."""
        return free(f"number of {self._what}".replace(" ", "_"), int)


def parties(kind: str, *named: str) -> list[str]:
    """Return parties of one kind, of which no two are one."""
    made: list[Party] = []
    for what in named:
        made.append(Party(what))
        made[-1]._kind, made[-1]._beside = kind, made
    return cast("list[str]", made)


class Sites(Opaque):
    """Be any set of sites that is not empty: the shop is in it, others may be."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return True

    def __contains__(self, site: object) -> bool:
        if site is SHOP:
            return True
        if type(site) is not Party:
            refuse("whether a site is cleared that the proof does not know")
        return bool(free(f"{site._what}_is_cleared".replace(" ", "_"), int) > 0)

    def __iter__(self) -> Iterator[object]:
        if not asked_by_us():
            refuse("a look at the sites one by one")
        return iter((SHOP,))


SHOP, TOYS, THIRD = parties(
    "conversions", "the conversion site", "another conversion site", "a third conversion site"
)
NEWS, BLOG = parties("impressions", "an impression site", "another impression site")
(AGENCY,) = parties("asks", "the intermediary that asks")
(NETWORK,) = parties("saved", "the intermediary that saved")


FIXED = {name: getattr(LIMITS, name) for name in ("grains", "epoch", "day")}
"""Limits that a proof takes as they are in the draft; it is about rules that have these."""

FROM_ONE = ("hour", "maximum_lookback", "maximum_histogram")
FROM_ZERO = ("site_budget", "global_budget", "site_quota", "minimum_batch")
FROM_ANYWHERE = (
    *("maximum_credit", "maximum_match_values"),
    *("maximum_conversion_sites", "maximum_conversion_callers"),
    *("maximum_impression_sites", "maximum_impression_callers"),
)
"""Limits that are any whole number, from the least one that `Level1Limits` allows."""

WHOLE = (*FIXED, *FROM_ONE, *FROM_ZERO, *FROM_ANYWHERE)


def limits_of(**given: object) -> Level1Limits:
    """Return any limits that `Level1Limits` allows, but for the given ones and those of the draft.

    A limit that is a number is any number. The base can be handed on. How long an activation lasts,
    which may be None, and sets of names may be read only where they are given.
    """
    return answering(Level1Limits, ASKED, **({"base": BASE} | FIXED | given))


def counted_limits() -> Level1Limits:
    """Return any limits, of which whole numbers are any numbers that count."""
    return answering(Level1Limits, COUNTED, **({"base": BASE} | FIXED))


def any_whole(name: str, least: int | None) -> int:
    """Return a limit that is any whole number, from the least one if there is one."""
    found = free(name, int)
    if least is not None:
        assume(least <= found)
    return found


def any_counted(name: str, least: int | None) -> int:
    """Return such a limit as any number that counts, which is easier beside fractions."""
    found = free(name, Fraction)
    if least is not None:
        assume(least <= found)
    return counting(found)


def any_epsilon() -> Fraction:
    """Return the largest epsilon that may be asked for, any positive fraction."""
    found = free("maximum_epsilon", Fraction)
    assume(0 < found)
    return found


BASE = opaque(Base, "the base of powers")
ASKED: Mapping[str, Callable[[], object]] = {
    **{name: partial(any_whole, name, 1) for name in FROM_ONE},
    **{name: partial(any_whole, name, 0) for name in FROM_ZERO},
    **{name: partial(any_whole, name, None) for name in FROM_ANYWHERE},
    "maximum_epsilon": any_epsilon,
}
"""What is made for a limit that a rule asks for."""

COUNTED: Mapping[str, Callable[[], object]] = {
    name: partial(any_counted, *made.args) if isinstance(made, partial) else made
    for name, made in ASKED.items()
}
"""The same where whole numbers are any numbers."""


def is_usual(limits: Level1Limits) -> bool:
    """Tell whether limits are such as `limits_of` stands for."""
    return (
        type(limits) is Level1Limits
        and all(type(getattr(limits, name)) is int for name in WHOLE)
        and all(getattr(limits, name) == least for name, least in FIXED.items())
        and type(limits.maximum_epsilon) is Fraction
        and type(limits.activation_duration) in (int, type(None))
        and type(limits.services) is type(limits.public_suffixes) is frozenset
    )


def conversion(value: int, max_value: int, epsilon: Fraction, **given: object) -> Conversion:
    """Return a conversion of which only these fields may be read."""
    assume(1 <= value, value <= max_value, 0 < epsilon)
    return unchecked(Conversion, value=value, max_value=max_value, epsilon=epsilon, **given)


def impression(site: str, **given: object) -> Impression:
    """Return an impression of a site of which nothing else may be read but what is given."""
    return unchecked(Impression, site=site, **given)


def at_conversion(
    rules: Level1Rules,
    asked: Conversion,
    device: Device | None = None,
    now: int | None = None,
    caller: Caller | None = None,
) -> AtConversion:
    """Return what a rule sees at a conversion on the shop, at any time.

    Whether an intermediary asks may not be looked at, unless a caller is given.
    """
    return unchecked(
        AtConversion,
        rules=rules,
        now=free("now", int) if now is None else now,
        device=opaque(Device, "the device") if device is None else device,
        caller=unchecked(Caller, site=SHOP) if caller is None else caller,
        conversion=asked,
    )


def state_of(state: S, kind: type[S], said: Collection[str]) -> S:
    """Return a state that a rule answered; refuse one with a field of which a proof says nothing.

    A rule that returns a whole state may change every field of it.
    """
    unsaid = [each.name for each in fields(cast(Any, kind)) if each.name not in said]
    if unsaid:
        refuse(f"a {kind.__name__} with {', '.join(unsaid)}, of which the proof says nothing,")
    return plain(state, kind)


def budgets_of(after: Budgets) -> Budgets:
    """Return the budgets that a rule answered; all that they hold are maps of three kinds."""
    state_of(after, Budgets, ("sites", "shared", "quotas"))
    for kept in (after.sites, after.shared, after.quotas):
        if type(kept) not in (Entries, Map):
            refuse("budgets in anything but a map of the specification")
    return after


def amount(what: str) -> int:
    """Return any number of grains, also a part of one: nothing makes charges whole."""
    return counting(free(what, Fraction))


def amounts(*named: str) -> dict[str, int]:
    """Return what is left in several places, anything that is not negative."""
    found = {what: amount(what) for what in named}
    assume(*(0 <= left for left in found.values()))
    return found


Pairs = Iterable[tuple[BudgetKey, int]]


def budgets(
    sites: Pairs, shared: Iterable[tuple[int, int]], quotas: Pairs, world: str = ""
) -> Budgets:
    """Return budgets with these entries; what is left elsewhere is any number, by world."""
    places = count()

    def elsewhere() -> int:
        left = amount(f"left_elsewhere{world}_{next(places)}")
        assume(0 <= left)
        return left

    return unchecked(
        Budgets,
        sites=entries(sites, elsewhere=elsewhere),
        shared=entries(shared, elsewhere=elsewhere),
        quotas=entries(quotas, elsewhere=elsewhere),
    )


def kept_beside(own: int, other: int, world: int, apart: bool = False) -> Budgets:
    """Return budgets of which those of another epoch are those of this world alone.

    Of the epoch itself they are the same in all worlds. Where worlds are `apart` in what a third
    site asked of the epoch, those of that site and the shared limits are of this world alone.
    """
    site, rival = amounts("site", "rival").values()
    then = amounts(*(f"{what}_then_{world}" for what in ("site", "all", "news")))
    sites = [((own, SHOP), site), ((own, TOYS), rival)]
    drawn = [f"{what}_{world}" if apart else what for what in ("all", "news", "blog")]
    shared, news, blog = amounts(*drawn).values()
    if apart:
        sites.append(((own, THIRD), amounts(f"third_{world}")[f"third_{world}"]))
    before, all_before, news_before = then.values()
    return budgets(
        [*sites, ((other, SHOP), before)],
        [(own, shared), (other, all_before)],
        [((own, NEWS), news), ((own, BLOG), blog), ((other, NEWS), news_before)],
        world=f"_{world}",
    )


def is_alike(here: Map[K, int], there: Map[K, int], key: K) -> bool:
    """Tell whether two maps hold the same under a key, or both hold nothing."""
    if (key in here) != (key in there):
        return False
    return key not in here or here[key] == there[key]


def any_caller(between: bool) -> Caller:
    """Return the shop as the caller, or an intermediary on its page."""
    return unchecked(Caller, site=SHOP, intermediary=AGENCY if between else None)


def any_impression(timestamp: int, between: bool, at: Caller) -> Impression:
    """Return an impression of any kind that a site or an intermediary saved, at a given time."""
    return impression(
        NEWS,
        timestamp=timestamp,
        lifetime=free("lifetime", int),
        match_value=free("match_value", int),
        histogram_index=free("histogram_index", int),
        priority=free("priority", int),
        intermediary=NETWORK if between else None,
        conversion_sites=listed("the conversion sites", SHOP),
        conversion_callers=listed("the conversion callers", at.name),
    )


def any_choice(shown: Impression) -> dict[str, object]:
    """Return fields of a conversion that say which impressions it wants: any."""
    return {
        "match_values": listed("the match values", shown.match_value),
        "impression_sites": listed("the impression sites", shown.site),
        "impression_callers": listed("the impression callers", shown.caller),
    }
