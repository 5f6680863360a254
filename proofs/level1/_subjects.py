"""Values to run rules of Attribution Level 1 on: symbolic numbers, names, and what is opaque."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import TypeVar, cast

from immutables import Map

from proofs._proof import assume
from proofs._subjects import name, opaque, unchecked
from proofs._symbolic import MACHINERY, free
from spec.level1 import (
    AtConversion,
    Budgets,
    Caller,
    Conversion,
    Device,
    Impression,
    Level1Limits,
    Level1Rules,
)
from spec.level1.budgets import BudgetKey

MACHINERY.add(__file__)

K = TypeVar("K")
V = TypeVar("V")


class Entries:
    """Be a map whose keys are compared one by one and never hashed, so that they may be symbolic.

    It stands for an `immutables.Map` and has those of its methods that rules use.
    """

    __slots__ = ("_pairs",)

    def __init__(self, pairs: Iterable[tuple[object, object]] = ()) -> None:
        self._pairs = tuple(pairs)

    def get(self, key: object, default: object = None) -> object:
        """Return what a key is mapped to."""
        return next((value for known, value in self._pairs if known == key), default)

    def __getitem__(self, key: object) -> object:
        for known, value in self._pairs:
            if known == key:
                return value
        raise KeyError("no such entry")

    def __contains__(self, key: object) -> bool:
        return any(known == key for known, _ in self._pairs)

    def __bool__(self) -> bool:
        return bool(self._pairs)

    def __len__(self) -> int:
        return len(self._pairs)

    def __iter__(self) -> Iterator[object]:
        return iter([key for key, _ in self._pairs])

    def items(self) -> tuple[tuple[object, object], ...]:
        """Return all entries."""
        return self._pairs

    def values(self) -> list[object]:
        """Return what is mapped to."""
        return [value for _, value in self._pairs]

    def delete(self, key: object) -> Entries:
        """Return the map without a key."""
        return Entries(pair for pair in self._pairs if pair[0] != key)

    def set(self, key: object, value: object) -> Entries:
        """Return the map with another value of a key."""
        return Entries((*self.delete(key)._pairs, (key, value)))

    def update(self, more: Mapping[object, object]) -> Entries:
        """Return the map with the entries of another one."""
        found = self
        for key, value in more.items():
            found = found.set(key, value)
        return found


def entries(pairs: Mapping[K, V] | Iterable[tuple[K, V]]) -> Map[K, V]:
    """Return a map with these entries, whose keys may be symbolic."""
    listed = pairs.items() if isinstance(pairs, Mapping) else pairs
    return cast("Map[K, V]", Entries(listed))


SHOP, TOYS = name(str, "the conversion site"), name(str, "another conversion site")
NEWS, BLOG = name(str, "an impression site"), name(str, "another impression site")


def limits_of(**given: object) -> Level1Limits:
    """Return limits of which only the given ones may be read."""
    return unchecked(Level1Limits, **given)


def conversion(value: int, max_value: int, epsilon: Fraction, **given: object) -> Conversion:
    """Return a conversion of which only these fields may be read."""
    assume(1 <= value, value <= max_value, 0 < epsilon)
    return unchecked(Conversion, value=value, max_value=max_value, epsilon=epsilon, **given)


def impression(site: str, **given: object) -> Impression:
    """Return an impression of a site of which nothing else may be read but what is given."""
    return unchecked(Impression, site=site, **given)


def at_conversion(
    rules: Level1Rules, asked: Conversion, device: Device | None = None, now: int | None = None
) -> AtConversion:
    """Return what a rule sees at a conversion on the shop, at any time."""
    return unchecked(
        AtConversion,
        rules=rules,
        now=free("now", int) if now is None else now,
        device=opaque(Device, "the device") if device is None else device,
        caller=unchecked(Caller, site=SHOP, intermediary=None),
        conversion=asked,
    )


Pairs = Iterable[tuple[BudgetKey, int]]


def budgets(sites: Pairs, shared: Iterable[tuple[int, int]], quotas: Pairs) -> Budgets:
    """Return budgets with these entries."""
    return unchecked(Budgets, sites=entries(sites), shared=entries(shared), quotas=entries(quotas))
