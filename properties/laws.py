r"""Local laws: what one decision must do by itself, tried at sizes that no run reaches quickly.

A unit that gives a value to a key moves the sum of that key by at most this value, whatever others
give to it. This is asked of the totals alone, on batches of up to tens of thousands of reports.

Keys that are answered for with the unit and without it are so in the same order and as often, and
only a key whose sum is nothing without the unit, and which noise does not lift above the threshold,
may be missing there. This is asked of the keys alone, where the answer shows them as they are
listed.

A key is answered for once: two noisy sums of it tell twice as much for one charge, unless the noise
is as much wider. This is asked of the keys alone, too, where the query lists them once, twice or
not at all.

A batch that breaks a law is no attack yet: it is made by moves, and the run is played.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain, pairwise

from properties.crowds import LARGEST_CROWD, Crowd
from properties.listings import Listing, at_size, enough, short
from properties.parts import shows_as_drawn
from properties.telling import key_text
from properties.vocabulary import Vocabulary
from spec.aggregation_service import Query
from spec.numbers import SpecError
from spec.paper import PAPER
from spec.reports import KEY_BITS, Contribution, Key, Report
from spec.rules import AtService, Rules

SIZES = (0, 1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 99, 100, 200, 500, 999, 1000)
LARGEST = 70_000
"""The most reports of a batch."""

MOST_REPORTS = 600_000
"""How many reports are looked at for the keys that are listed of them."""

MOST_ASKED_TWICE = 150_000
"""How many reports are looked at for keys that are listed twice."""

MOST_LIFTED = 4
"""How many batches are made by moves."""

NEAR = 300
STEPS = (10**6, 2**16, 2**32, 2**64, 2**96)
"""Which keys are looked at for such that are answered for as one."""

MOST_TOLD = 12
"""How many keys of a list are told."""


def moving_too_much(rules: Rules, words: Vocabulary) -> list[Crowd]:
    """Return the smallest batches in which one unit moves the sums by more than its budget."""
    if rules.totals is PAPER.totals:
        return []
    limits = rules.limits
    most, keys = limits.contribution_budget, min(limits.sparsity_budget, limits.contribution_budget)
    found: list[Crowd] = []
    for crowd in batches(words, most, keys):
        try:
            moved = moved_by(rules, crowd)
        except SpecError:
            continue
        if moved * crowd.keys > most:
            found.append(crowd)
        if len(found) == MOST_LIFTED:
            break
    return found


def batches(words: Vocabulary, most: int, keys: int) -> Iterator[Crowd]:
    """Return batches, small ones first: how many others, what they give, and what the unit gives.

    Sums that a proposal mentions are reached, or just missed, by others who give all they may.
    """
    reached = {word // most + step for word in words.around for step in (-1, 0)}
    counts = {*SIZES, *words.around, *reached}
    spread = max(1, most // keys)
    small = [word for word in words.around if 0 < word <= most]
    for others in sorted(count for count in counts if 0 <= count <= LARGEST):
        for given in dict.fromkeys((1, most, *(small if others <= 1 else ()))):
            for value, many in ((most, 1), (1, 1), (spread, keys), (1, keys)):
                if others * many <= LARGEST:
                    yield Crowd(others=others, given=given, value=value, keys=many, first=False)
        if 1 < others <= LARGEST_CROWD:
            for value in (most, 1):
                yield Crowd(others=others, given=1, but_one=most, value=value, first=False)


def moved_by(rules: Rules, crowd: Crowd) -> int:
    """Return by how much the unit moves the sum of one key."""
    query = Query(epsilon=rules.limits.epsilon, keys=(0,))
    at = AtService(rules=rules, now=0, service=rules.initial.service, query=query)
    others = tuple(
        Report(report_id=n, contributions=(Contribution(key=0, value=crowd.given_by(n)),))
        for n in range(crowd.others)
    )
    null = Report(report_id=crowd.others)
    own = Report(report_id=crowd.others, contributions=(Contribution(key=0, value=crowd.value),))
    with_unit, without = (rules.totals(at, (*others, each)).get(0, 0) for each in (own, null))
    return abs(with_unit - without)


def listed_otherwise(rules: Rules, words: Vocabulary) -> list[tuple[Listing, str]]:
    """Return the smallest batches of which the unit changes what is listed, and how it does."""
    count = enough(rules)
    if rules.keys is PAPER.keys or not shows_as_drawn(rules) or count is None:
        return []
    found: list[tuple[Listing, str]] = []
    limits, reports = rules.limits, MOST_REPORTS
    batches = (short(words, limits, count), colliding(rules, words, count))
    larger = sorted(at_size(words, limits, count), key=lambda listing: listing.size)
    for listing in chain(*batches, larger):
        reports -= listing.size
        if told := otherwise(rules, listing):
            found.append((listing, told))
        if len(found) == MOST_LIFTED or reports < 0:
            break
    return found


def answered_twice(rules: Rules, words: Vocabulary) -> list[Listing]:
    """Return the smallest batches of which the unit's key is listed twice in both worlds.

    The unit gives all it may to that key.
    """
    count = enough(rules)
    if rules.keys is PAPER.keys or count is None:
        return []
    found: list[Listing] = []
    limits, reports = rules.limits, MOST_ASKED_TWICE
    larger = sorted(at_size(words, limits, count), key=lambda listing: listing.size)
    for batch in chain(short(words, limits, count), larger):
        if batch.value != limits.contribution_budget or not batch.firmly:
            continue
        listed = replace(batch, discovers=False)
        for listing in (*((batch,) if limits.delta else ()), listed, replace(listed, again=True)):
            reports -= listing.size
            if min(times_listed(rules, listing)) > 1:
                found.append(listing)
        if len(found) >= MOST_LIFTED or reports < 0:
            break
    return found[:MOST_LIFTED]


def times_listed(rules: Rules, listing: Listing) -> tuple[int, int]:
    """Return how often the unit's key is listed with the unit and without it."""
    batches = listing.batches()
    query = listing.query(rules.limits, tuple(report.report_id for report in batches[0]))
    at = AtService(rules=rules, now=0, service=rules.initial.service, query=query)
    try:
        mine, theirs = (tuple(rules.keys(at, batch)).count(listing.own) for batch in batches)
    except SpecError:
        return 0, 0
    return mine, theirs


def colliding(rules: Rules, words: Vocabulary, count: int) -> Iterator[Listing]:
    """Return batches with two keys that are answered for as one, and a third between them.

    Others give to the third and to one of the two, the unit gives to the other one.
    """
    query = Query(epsilon=rules.limits.epsilon, delta=rules.limits.delta)
    at = AtService(rules=rules, now=0, service=rules.initial.service, query=query)
    given = rules.limits.contribution_budget
    groups: dict[tuple[Key, ...], list[Key]] = {}
    for key in sorted(tried(words)):
        report = Report(report_id=0, contributions=(Contribution(key=key, value=given),))
        with suppress(SpecError):
            groups.setdefault(tuple(rules.keys(at, (report,))), []).append(key)
    listed = [group for keys, group in groups.items() if keys]
    for one, other in pairwise(listed):
        for group, between in ((one, other), (other, one)):
            low, high = group[0], group[-1]
            for key in [each for each in between if low < each < high][:1]:
                yield Listing(keys=(key, high), own=low, count=count, given=given, value=1)
                yield Listing(keys=(low, key), own=high, count=count, given=given, value=1)


def tried(words: Vocabulary) -> set[Key]:
    """Return keys of which some may be answered for as one, such as those alike in lower bits."""
    steps = {*STEPS, *words.around, *words.keys}
    far = {step * times + place for step in steps for times in (0, 1, 2) for place in (0, 1, 2)}
    return {key for key in (*range(NEAR), *far) if 0 <= key < 2**KEY_BITS}


def otherwise(rules: Rules, listing: Listing) -> str:
    """Say what is listed with the unit and without it, if they may not differ like this."""
    batches = listing.batches()
    ids = tuple(report.report_id for report in batches[0])
    query = listing.query(rules.limits, ids)
    at = AtService(rules=rules, now=0, service=rules.initial.service, query=query)
    try:
        mine, theirs = (tuple(rules.keys(at, batch)) for batch in batches)
        if mine == theirs:
            return ""
        if rules.threshold(at, batches[1]) is not None:
            there, gone = (rules.totals(at, batch) for batch in batches)
            shared = {key for key in (*mine, *theirs) if there.get(key, 0) and gone.get(key, 0)}
            mine, theirs = as_listed(mine, shared), as_listed(theirs, shared)
    except SpecError:
        return ""
    if mine == theirs:
        return ""
    return f"{told(mine)} with x, {told(theirs)} without x"


def as_listed(keys: Sequence[Key], shared: set[Key]) -> tuple[Key, ...]:
    """Return the keys that have sums in both worlds, and the others that are there twice."""
    return tuple(key for place, key in enumerate(keys) if key in shared or key in keys[:place])


def told(keys: Sequence[Key]) -> str:
    """Tell which keys are listed."""
    shown = ", ".join(map(key_text, keys[:MOST_TOLD])) or "no key"
    return shown + (f" and {len(keys) - MOST_TOLD} more" if len(keys) > MOST_TOLD else "")
