"""Runs at size: batches of many reports, many windows, ad-techs or sources, and many queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from properties.scripts import ContributeTo, Run
from properties.vocabulary import Vocabulary
from spec.aggregation_service import Query
from spec.attribution_client import Source, Trigger
from spec.private_aggregation_client import Event
from spec.system import PassTime

EXPIRY = 10**11
LARGEST_CROWD = 300
"""The most others that contribute something in a run."""

LARGEST_NAMED = 1200
"""The most, where the proposal mentions their number."""

LAST = 10**7
"""The identifier of the unit's first report where it comes after all others."""

FEW = 10
"""The most others that contribute to many keys in a run, and that always share a device."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Crowd:
    """Hold a batch: the unit gives a value to keys, others give theirs to the same, null if zero.

    One of the others may give a value `but_one` instead. With keys `apart` each of the others has a
    key of its own. The unit's reports come `first` or last. The batch is asked for with all of
    epsilon, listing keys or not; a batch of null reports again, after the unit's reports by
    themselves.
    """

    others: int
    given: int
    value: int
    keys: int = 1
    apart: bool = False
    first: bool = True
    discovers: bool = False
    but_one: int = 0

    def given_by(self, number: int) -> int:
        """Return what one of the others gives."""
        return self.but_one if self.but_one and number == 0 else self.given

    @property
    def shares_a_device(self) -> bool:
        """Tell whether the others' sources are on one device: there each trigger meets them all."""
        return self.others <= FEW or (self.apart and self.others <= LARGEST_CROWD)

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
        others += f", but one with {self.but_one}" if self.but_one else ""
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
        given = self.given_by(number)
        if devices:
            program = ContributeTo(key, given)
            device = "tablet" if self.given == 0 else f"tablet {number} {place}"
            run.make(Event(report_id=report_id, device=device, program=program))
            return
        name = f"z{number} {place}"
        move = trigger_of(name if self.given else "nobody", report_id, key, max(given, 1))
        device = move.device if self.shares_a_device else f"tablet {number} {place}"
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
        elif size <= LARGEST_NAMED and size in words.around:
            found.append(Crowd(others=size, given=1, value=1))
        if size <= FEW:
            found += [
                Crowd(others=size, given=budget, value=value, keys=keys)
                for value in dict.fromkeys((budget // keys, 1))
            ]
    return found


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

    In the end it is registered again, if it is taken, and tries once more.
    """
    most = run.limits.contribution_budget
    names = ["x", *(f"z{place}" for place in range(1, number))]
    for place, name in enumerate(names):
        here = f"shop {place}"
        run.make(replace(source_of(name), destination=here))
        for again in (0, 1):
            taken = trigger_of(name, 2 * place + again, min(place, 1), most // 2)
            run.make(replace(taken, destination=here))
    run.offer(replace(source_of("x"), destination="shop 0"))
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


def asked_for_lists(run: Run, devices: bool, share: int) -> None:
    """Ask for the unit's report with a share of epsilon, twice as often as it may be.

    No two queries list the same keys. All but one list the unit's: before another one or behind it,
    and once twice, alone and in the middle.
    """
    contribute_once(run, devices)
    lists: list[tuple[int, ...]] = [(0, 0), (0,), (1, 0, 2)]
    lists += [(0, other) if other % 2 else (other, 0) for other in range(1, 2 * share)]
    lists += [(2 * share,), (0, 2 * share)]
    for keys in lists:
        run.make(Query(epsilon=run.limits.epsilon / share, report_ids=(0,), keys=keys))


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
