r"""Local laws: what one decision must do by itself, tried at sizes that no run reaches quickly.

A unit that gives a value to a key moves the sum of that key by at most this value, whatever others
give to it. This is asked of the totals alone, on batches of up to tens of thousands of reports. A
batch that breaks the law is no attack yet: it is made by moves, and the run is played.
"""

from __future__ import annotations

from collections.abc import Iterator

from properties.crowds import LARGEST_CROWD, Crowd
from properties.vocabulary import Vocabulary
from spec.aggregation_service import Query
from spec.numbers import SpecError
from spec.paper import PAPER
from spec.reports import Contribution, Report
from spec.rules import AtService, Rules

SIZES = (0, 1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 99, 100, 200, 500, 999, 1000)
LARGEST = 70_000
"""The most reports of a batch."""

MOST_LIFTED = 4
"""How many batches are made by moves."""


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
