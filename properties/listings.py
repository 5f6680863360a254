"""Batches that ask which keys are answered for, and in which order: it must not tell who has them.

Others give as much to each of several keys, far more than the threshold of key discovery, so that
all of them are released in both worlds. The unit gives something to one of these keys, or to a key
of its own. Every order that looks at what is in the reports is turned by one such batch: the unit
comes first or last, and makes its key the one with more reports, a larger sum or another mean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

from properties.crowds import LARGEST_CROWD, LAST, source_of, trigger_of
from properties.scripts import ContributeTo, Run
from properties.telling import key_text
from properties.vocabulary import Vocabulary
from spec.aggregation_service import Query
from spec.noise import Noisy
from spec.numbers import SpecError
from spec.private_aggregation_client import Event
from spec.reports import KEY_BITS, Contribution, Key, Report
from spec.rules import AtService, Limits, Rules
from spec.system import Move

FEW = 16
"""Up to how many others bring the sum of a key so high that it is released whatever the noise."""

MANY = 2000
MOST_KEYS = 120
LARGEST = 70_000
"""The most reports of a batch."""

COUNTS = (9, 10, 50, 99, 100, 999, 1000)
OWN = 2**KEY_BITS - 2
"""A key that only the unit gives to."""

MORE = 2**KEY_BITS - 3
"""A key that others give little to."""

Dress = Callable[[Move, bool], Move]
"""What gives a move another type, told whether it is one of the unit or of the ad-tech."""


def plain(move: Move, mine: bool) -> Move:
    """Leave a move as it is."""
    del mine
    return move


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Hold a batch: to each of `keys` so many others give a value, and one more gives the `rest`.

    They come in turns, or key by key; in the end `more` others give one to another key. The unit
    gives a `value` to its `own` key, in a report before or after all others. The query has all of
    epsilon and delta, or lists the keys, perhaps all of them `again`.
    """

    keys: tuple[Key, ...] = (0, 1)
    count: int
    given: int
    rest: int = 0
    more: int = 0
    own: Key
    value: int
    first: bool = True
    turns: bool = False
    discovers: bool = True
    again: bool = False

    @property
    def total(self) -> int:
        """Return what others give to each key."""
        return self.count * self.given + self.rest

    @property
    def size(self) -> int:
        """Return how many reports others send."""
        return len(self.keys) * (self.count + (self.rest > 0)) + self.more

    @property
    def firmly(self) -> bool:
        """Tell whether the unit gives as much as others do, before all of them."""
        return self.first and not self.turns and self.value == self.given

    def others(self) -> list[tuple[Key, int]]:
        """Return what others give, report by report."""
        values = [self.given] * self.count + [self.rest] * (self.rest > 0)
        more = [(MORE, 1)] * self.more
        if self.turns:
            return [*((key, value) for value in values for key in self.keys), *more]
        return [*((key, value) for key in self.keys for value in values), *more]

    def query(self, limits: Limits, report_ids: tuple[int, ...]) -> Query:
        """Return the query for all reports."""
        listed = tuple(dict.fromkeys((*self.keys, self.own)))
        return Query(
            epsilon=limits.epsilon,
            delta=limits.delta if self.discovers else Fraction(0),
            report_ids=report_ids,
            keys=() if self.discovers else listed * (1 + self.again),
        )

    def batches(self) -> tuple[tuple[Report, ...], tuple[Report, ...]]:
        """Return the batch with the unit, and that with a null report in its place."""
        report_id = 0 if self.first else LAST
        part = Contribution(key=self.own, value=self.value)
        others = tuple(
            Report(report_id=number, contributions=(Contribution(key=key, value=value),))
            for number, (key, value) in enumerate(self.others(), 1)
        )
        own, null = (Report(report_id=report_id, contributions=held) for held in ((part,), ()))
        if self.first:
            return (own, *others), (null, *others)
        return (*others, own), (*others, null)

    def make(self, run: Run, devices: bool, dress: Dress = plain) -> None:
        """Make the reports and the query, each as one of the proposal's own types if so told."""
        if self.first:
            self.give(run, devices, dress, 0, self.own, self.value)
        for number, (key, value) in enumerate(self.others(), 1):
            self.give(run, devices, dress, number, key, value)
        if not self.first:
            self.give(run, devices, dress, LAST, self.own, self.value)
        ids = tuple(each for each in sorted(run.there.reports) if each in run.gone.reports)
        run.make(dress(self.query(run.limits, ids), True))

    def give(
        self, run: Run, devices: bool, dress: Dress, report_id: int, key: Key, value: int
    ) -> None:
        """Let the unit, or one of the others, give a value to a key."""
        own = report_id in (0, LAST)
        if devices:
            device = "phone" if own else f"tablet {report_id}"
            program = ContributeTo(key, value)
            run.make(dress(Event(report_id=report_id, device=device, program=program), own))
            return
        source = source_of("x" if own else f"z{report_id}")
        trigger = trigger_of(source.source_id, report_id, key, value)
        if self.size > LARGEST_CROWD and not own:
            device = f"tablet {report_id}"
            source, trigger = replace(source, device=device), replace(trigger, device=device)
        run.make(dress(source, own))
        run.make(dress(trigger, own))

    def noisy(self, place: int, law: Noisy) -> int:
        """Draw the same for every key to which others give: what is made of it is then the same.

        With key discovery, the sum of a key to which the unit alone gives is drawn as nothing, and
        not released. Where the unit gives one, this shows in the sum; where it gives more, it gives
        to others' keys.
        """
        del place
        alone = self.discovers and self.value == 1 and law.centre <= self.value
        return 0 if alone else self.total

    def __str__(self) -> str:
        rest = f", one with {self.rest}" if self.rest else ""
        rest += f", {self.more} more with 1" if self.more else ""
        turns = " in turns" if self.turns else ""
        where = "before" if self.first else "after"
        asked = "key discovery" if self.discovers else "listed keys" + ", twice" * self.again
        return (
            f"{self.count} others with {self.given} each{rest} for each of {len(self.keys)} "
            f"keys{turns}, the unit gives {self.value} to key {key_text(self.own)} {where} them, "
            f"{asked}"
        )


def enough(rules: Rules) -> int | None:
    """Return how many others who give all they may bring a key above the threshold; None if none.

    Where a few suffice, it is released whatever the noise. Otherwise it is at least likely to be.
    """
    query = Query(epsilon=rules.limits.epsilon, delta=rules.limits.delta)
    at = AtService(rules=rules, now=0, service=rules.initial.service, query=query)
    try:
        threshold = rules.threshold(at, ())
    except SpecError:
        return None
    most = rules.limits.contribution_budget
    if threshold is None:
        return 1
    certain = 2 * threshold // most + 1
    return certain if certain <= FEW else threshold // most + 2


def usual(limits: Limits, count: int, keys: tuple[Key, ...] = (0, 1)) -> Iterator[Listing]:
    """Return batches of one size: whose key it is, where the unit comes, and what it gives.

    Of many reports there are two such batches: the unit gives to the last key before all others,
    and to the first key after them.
    """
    most = limits.contribution_budget
    each = Listing(keys=keys, count=count, given=most, own=keys[-1], value=most)
    yield each
    yield replace(each, own=keys[0], first=False, turns=True)
    if each.size > MANY:
        return
    whose, values = (keys[-1], keys[0]), dict.fromkeys((most, 1))
    for own, value, first, turns in product(whose, values, (True, False), (True, False)):
        yield replace(each, own=own, value=value, first=first, turns=turns)
    if most > 1:
        for own in (keys[-1], keys[0]):
            yield replace(each, count=2 * count, given=most // 2, own=own)


def short(words: Vocabulary, limits: Limits, count: int) -> Iterator[Listing]:
    """Return the batches that are made by moves, small ones first."""
    most = limits.contribution_budget
    if limits.delta > 0:
        yield from usual(limits, count)
        yield from usual(limits, count, (1, 0))
        for own in dict.fromkeys((OWN, *words.keys)):
            for keys, first in product(((0, 1), (1, 0)), (True, False)):
                yield Listing(keys=keys, count=count, given=most, own=own, value=1, first=first)
        for step in dict.fromkeys((*words.around, *words.keys)):
            if 2 < step < OWN // 2:  # Others' keys leave two and one, and the unit's is one.
                alike = (step + 2, 2 * step + 1)
                yield Listing(keys=alike, count=count, given=most, own=1, value=1)
    for listing in usual(limits, 1):
        yield replace(listing, discovers=False)


def pushing_out(limits: Limits, count: int, many: int) -> Iterator[Listing]:
    """Return batches of many keys to which the unit adds one, before or behind all of them.

    Where only so many keys are answered for, it takes the place of another one.
    """
    keys, most = tuple(range(1, many + 1)), limits.contribution_budget
    for own in (0, OWN):
        yield Listing(keys=keys, count=count, given=most, own=own, value=1)


def with_words(words: Vocabulary, limits: Limits, count: int, most: int) -> Iterator[Listing]:
    """Return some batches in which others, those of each key, or keys are as many as mentioned."""
    for others in words.around:
        if 2 < others <= MOST_KEYS and others * count <= most:
            yield from (x for x in usual(limits, count, tuple(range(others))) if x.firmly)
            yield from pushing_out(limits, count, others)
        for each, more in ((others, 0), (others // 2, others % 2)):
            if count <= each and 2 * each + more <= most:
                yield from (replace(x, more=more) for x in usual(limits, each) if x.firmly)


def at_size(words: Vocabulary, limits: Limits, count: int) -> Iterator[Listing]:
    """Return batches of other sizes: more others, sums that are just reached, and more keys.

    A number that the proposal mentions is reached by the unit as a count of reports, as a sum or as
    a step of sums.
    """
    most = limits.contribution_budget
    power = 2 ** count.bit_length() - 1
    for others in sorted({power, *COUNTS, *words.around, *(word - 1 for word in words.around)}):
        if count <= others <= LARGEST // 2:
            yield from usual(limits, others)
    for others in words.around:
        if 2 * count <= others <= LARGEST:
            for listing in usual(limits, others // 2):
                yield replace(listing, more=others % 2)
    least = count * most
    steps = {2 ** least.bit_length(), 10 ** len(str(least))}
    steps |= {(least // word + 1) * word for word in words.around if word > 0}
    for total in sorted(step - 1 for step in steps if step <= most * LARGEST // 2):
        for own, value in product((0, 1), dict.fromkeys((1, most))):
            yield Listing(count=total // most, given=most, rest=total % most, own=own, value=value)
    named = {word + step for word in words.around for step in (0, 1)}
    for many in sorted({3, limits.sparsity_budget + 1, *named}):
        if 2 < many <= MOST_KEYS and many * count <= LARGEST:
            yield from usual(limits, count, tuple(range(many)))
            yield from pushing_out(limits, count, many)
